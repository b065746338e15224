// SPDX-License-Identifier: Apache-2.0

// Package format is the tools for those who write skills: what the commands validate,
// read-properties, to-prompt, show, new and explain do.
//
//	arguments --> Find --> Targets --> Check --> Checked --> Printer (text, json, sarif, github)
//	                          |          |
//	                          |          +-- FixOptions: diff, and the file replaced
//	                          +--> Properties, ToPrompt, Show
//
// What is right and wrong is decided in package skill alone. This package finds the files,
// says what was found, and changes a file only by the fixes that package skill
// offers, and only under the path that the user gave.
package format
