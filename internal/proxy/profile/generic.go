// SPDX-License-Identifier: Apache-2.0

package profile

// generic is an agent of which nothing is known: every skill is expanded.
func generic() *Profile {
	return &Profile{Name: "generic", Title: "any other agent"}
}
