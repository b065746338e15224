// SPDX-License-Identifier: Apache-2.0

package acpskill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// SessionOptions set up a [Session].
type SessionOptions struct {
	// Catalog says where the session's skills are; Workspace is the session's
	// working directory and its additional directories.
	Catalog catalog.Options
	// Reserved are the names of the agent's own commands. Skills of those
	// names are qualified.
	Reserved []string
}

// A Session is the skills of one session of an agent, as its client sees them,
// up to date with the disk. It is safe for concurrent use.
type Session struct {
	cat      *catalog.Catalog
	reserved []string
	stop     func()

	mu      sync.Mutex
	names   Names
	current map[string]Listed
	hidden  map[string]bool // names of skills that only the model can use
	list    []*acp.Skill
	changed func([]*acp.Skill)
}

// Open reads the session's skills. Close it with the session.
func Open(ctx context.Context, store *catalog.Store, opts SessionOptions) (*Session, error) {
	cat, err := store.Open(ctx, opts.Catalog)
	if err != nil {
		return nil, fmt.Errorf("reading the session's skills: %w", err)
	}
	s := &Session{cat: cat, reserved: opts.Reserved}
	s.update(cat.Snapshot())
	s.stop = cat.Subscribe(func(snap *catalog.Snapshot) {
		if list, changed, tell := s.update(snap); changed && tell != nil {
			tell(list)
		}
	})
	return s, nil
}

// Close ends the session's watch on the disk.
func (s *Session) Close() {
	s.stop()
	s.cat.Close()
}

// OnChange has f called with the whole list when it is another one than before
// (ACP-A8). Calls come one at a time, from a goroutine of the catalog.
func (s *Session) OnChange(f func([]*acp.Skill)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = f
}

// Skills is the current list. The slice is shared; do not change it.
func (s *Session) Skills() []*acp.Skill {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// Catalog is the current snapshot, with what only the model may use.
func (s *Session) Catalog() *catalog.Snapshot { return s.cat.Snapshot() }

// Resolve says what a name stands for in the current list (ACP-P1). It is an
// [acp.SkillResolver].
func (s *Session) Resolve(name string) acp.Resolution {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.has(name):
		return acp.Resolution{State: acp.SkillInvocable}
	case s.hidden[name]:
		return acp.Resolution{State: acp.SkillModelOnly}
	case slices.Contains(s.reserved, name):
		return acp.Resolution{State: acp.SkillIsCommand}
	}
	for _, l := range s.list {
		if strings.EqualFold(l.Name, name) {
			return acp.Resolution{Hint: l.Name}
		}
	}
	return acp.Resolution{}
}

func (s *Session) has(name string) bool { _, ok := s.current[name]; return ok }

// Activate reads the skill of that name from the disk, as it is now (ACT-2). A
// skill that is gone, or that the user may no longer invoke, is a
// *[GoneError].
func (s *Session) Activate(ctx context.Context, name string) (*skill.Activation, error) {
	s.mu.Lock()
	l, ok := s.current[name]
	s.mu.Unlock()
	if !ok {
		return nil, &GoneError{Name: name}
	}
	return Activate(ctx, l)
}

// Activate reads a listed skill from the disk, as it is now (ACT-2). A skill
// that is gone, or that the user may no longer invoke, is a *[GoneError].
func Activate(ctx context.Context, l Listed) (*skill.Activation, error) {
	a, err := l.Activate(ctx, nil)
	if err != nil {
		return nil, &GoneError{Name: l.Name, Err: err}
	}
	if !a.Skill.UserInvocable() {
		return nil, &GoneError{Name: l.Name}
	}
	return a, nil
}

// A GoneError says that a name which a client used is no skill any more that the
// user can invoke.
type GoneError struct {
	Name string
	Err  error // why it could not be read; may be nil
}

func (e *GoneError) Error() string {
	shown := skill.Sanitize(e.Name)
	if e.Err != nil {
		return fmt.Sprintf("skill %q cannot be read any more: %v", shown, e.Err)
	}
	return fmt.Sprintf("skill %q is no longer one that the user can invoke", shown)
}

func (e *GoneError) Unwrap() error { return e.Err }

// update takes over a snapshot and reports whether the list is another one now,
// and whom to tell.
func (s *Session) update(snap *catalog.Snapshot) (list []*acp.Skill, changed bool, tell func([]*acp.Skill)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	listed := s.names.Assign(snap.All(), func(n string) bool { return slices.Contains(s.reserved, n) })
	s.current = make(map[string]Listed, len(listed))
	list = make([]*acp.Skill, 0, len(listed))
	for _, l := range listed {
		s.current[l.Name] = l
		list = append(list, Entry(l))
	}
	s.hidden = map[string]bool{}
	for _, e := range snap.All() {
		if !e.UserInvocable() {
			s.hidden[e.ID] = true
		}
	}
	changed = !slices.EqualFunc(s.list, list, func(a, b *acp.Skill) bool {
		return a.Name == b.Name && a.Description == b.Description && a.Path == b.Path
	})
	s.list = list
	return list, changed, s.changed
}
