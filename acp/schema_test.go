// SPDX-License-Identifier: Apache-2.0

package acp_test

// schemaFiles are the schema and what this project adds to it.
func schemaFiles() []string {
	const dir = "../internal/schemagen/schema/"
	return []string{dir + "v2.json", dir + "skills.json"}
}
