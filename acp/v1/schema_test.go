// SPDX-License-Identifier: Apache-2.0

package v1_test

// schemaFiles are the schema of version 1, which has no skills (ACP-C4).
func schemaFiles() []string { return []string{"../../internal/schemagen/schema/v1.json"} }
