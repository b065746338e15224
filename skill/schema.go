// SPDX-License-Identifier: Apache-2.0

package skill

import _ "embed" // the schema

//go:embed skill.schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of the frontmatter, for editors and for tools
// that have no YAML positions. It says less than [Parse]: a schema cannot compare the name
// with a directory or look at how a value is written.
func Schema() []byte { return []byte(schema) }
