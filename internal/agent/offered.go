// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"strconv"
	"sync"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// offered is what the model can use at one moment. It is immutable.
type offered struct {
	of     *catalog.Snapshot
	names  []string // in order of precedence
	byName map[string]*catalog.Entry

	once      sync.Once // makes what each request to the model has
	text      string
	shortened bool
}

// listing is the catalogue within a session's budget, which is the same each time.
func (o *offered) listing(budget int) (text string, shortened bool) {
	o.once.Do(func() { o.text, o.shortened = o.catalogue(budget) })
	return o.text, o.shortened
}

// offer picks from a snapshot, for each name the first skill in order of
// precedence that the model may use: those that are the user's alone (ACT-10), and
// those of a workspace that is not trusted, are left out. One that is left out hides
// no other: the user's own skill stays usable when an untrusted workspace has one of
// its name.
func offer(snap *catalog.Snapshot) *offered {
	o := &offered{of: snap, byName: map[string]*catalog.Entry{}}
	have := map[string]bool{}
	for _, e := range snap.All() {
		if !e.ModelInvocable() || !e.Trusted || have[e.Skill.Name] {
			continue
		}
		have[e.Skill.Name] = true
		name := o.free(acpskill.WireName(e.ID))
		o.names, o.byName[name] = append(o.names, name), e
	}
	return o
}

// free is a name, or one made from it that nobody has: names that differ in white
// space alone are one name here.
func (o *offered) free(name string) string {
	for i, base := 2, name; o.byName[name] != nil; i++ {
		name = base + "-" + strconv.Itoa(i)
	}
	return name
}

// keyOf identifies a skill over processes, in which names may differ.
func keyOf(s *skill.Skill) string {
	if s.File != "" {
		return s.File
	}
	return "builtin:" + s.Name
}
