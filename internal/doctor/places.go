// SPDX-License-Identifier: Apache-2.0

package doctor

import "github.com/skillgraft/skillgraft/skill/catalog"

// A Place is a directory in which skills are looked for.
type Place struct {
	Scope  catalog.Scope `json:"scope"`
	Dir    string        `json:"dir"`
	Exists bool          `json:"exists"`
	// Reason is why it was not searched although something is there.
	Reason string `json:"reason,omitempty"`
	Skills int    `json:"skills"` // that were found there first, shadowed ones included
}

// Places lists where the catalog has looked, in its order of precedence (DSC-1): also
// the folders that do not exist, since a missing skill may be meant to lie there. A
// directory that is configured twice is one place.
func (f *Found) Places() []Place {
	counts := map[string]int{}
	for _, s := range f.Skills {
		counts[s.Root]++
	}
	// Of several the searched one counts, or else the last: in the home directory
	// the folders are the user's, and those of the workspace come before.
	kept := map[string]int{}
	for i, r := range f.roots {
		if j, ok := kept[r.Path]; !ok || f.roots[j].State != catalog.RootSearched {
			kept[r.Path] = i
		}
	}
	var places []Place
	for i, r := range f.roots {
		if kept[r.Path] != i {
			continue
		}
		p := Place{Scope: r.Scope, Dir: r.Path, Exists: r.State != catalog.RootMissing && r.State != catalog.RootInvalid}
		switch r.State {
		case catalog.RootSearched:
			p.Skills = counts[r.Path]
		case catalog.RootMissing:
		default:
			p.Reason = r.Reason
		}
		places = append(places, p)
	}
	return places
}
