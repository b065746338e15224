// SPDX-License-Identifier: Apache-2.0

// Format measures what finding and reading skills costs.
//
//	bare walk     lists the same directories, reads the start of the same files,
//	              and does nothing with it: the floor for any discovery
//	skillgraft    first scan, and rescans of what has not changed
//	reference     the reference library in one Python process, given the directories
//
// The tree is 10,000 generated skills in eight roots, or with -corpus any
// directory, such as a folder of checkouts.
//
// Each measurement is a process of its own, so that memory is its own and the
// first scan is a first one. Every round takes each once, in an order that
// rotates, and a ratio is taken within its round; what is printed is the median
// over the rounds. So a machine that gets slower halfway shifts the absolute
// figures and not the ratios, which are what the project holds.
//
// A discovery that loses a skill ends the run with an error and is never
// reported as fast. With -verify nothing is measured: every skill of the tree is
// compared with a YAML parser's reading of it and with the reference's output,
// and each difference is listed. With -odd the tree is one of what should not be
// in a tree of skills.
package main
