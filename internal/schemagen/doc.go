// SPDX-License-Identifier: Apache-2.0

// Schemagen writes the types of acp and acp/v1 from the protocol's schema.
//
//	go generate ./...                       from what is committed, offline
//	go run ./internal/schemagen             the same
//	go run ./internal/schemagen fetch 2.4.0 takes over another package version
//
// What is committed of the schema, in schema/v1.json and schema/v2.json, is its
// structure: every text that was written for people is taken out when it is
// fetched, and the package's version and the hash of its file are put in front.
// What the schema does not have yet stands in schema/skills.json, and all that is
// ours to decide (names, comments, exceptions with their reasons) in the tables
// of this package.
package main
