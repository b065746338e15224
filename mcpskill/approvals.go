// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Approvals remembers on disk which skills the user has approved, each bound to the
// uri and digest of every file (MCP-5). One file may be used by several processes: each
// reads it anew, and the last one to write wins for the skill that it writes.
type Approvals struct {
	file string
	mu   sync.Mutex
}

// OpenApprovals returns the approvals of a file, which need not exist yet.
func OpenApprovals(file string) *Approvals { return &Approvals{file: file} }

type approval struct {
	Server    string     `json:"server"` // label and place
	URI       string     `json:"uri"`
	Resources []Resource `json:"resources"`
}

// covers reports whether what was approved is all of the entry and nothing else.
func (a approval) covers(e *Entry) bool {
	return !e.Dynamic && len(e.Resources) > 0 && slices.EqualFunc(a.Resources, e.Resources, func(x, y Resource) bool { return x.URI == y.URI && x.Digest == y.Digest })
}

// differs names the files that are new, gone and rewritten since.
func (a approval) differs(e *Entry) (added, removed, rewritten []string) {
	old := map[string]string{}
	for _, r := range a.Resources {
		old[r.URI] = r.Digest
	}
	for i, r := range e.Resources {
		d, had := old[r.URI]
		delete(old, r.URI)
		switch {
		case !had:
			added = append(added, e.rels[i])
		case d != r.Digest:
			rewritten = append(rewritten, e.rels[i])
		}
	}
	for uri := range old {
		if rel, err := fileURI(e.root, uri); err == nil {
			removed = append(removed, rel)
		}
	}
	slices.Sort(removed)
	return added, removed, rewritten
}

const maxApprovals = 16 << 20

func (a *Approvals) read() ([]approval, error) {
	info, err := os.Stat(a.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxApprovals:
		return nil, fmt.Errorf("%s is not a file of approvals; move it away", a.file)
	}
	b, err := os.ReadFile(a.file)
	if err != nil {
		return nil, err
	}
	var all []approval
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s: %w; move it away to start anew", a.file, err)
	}
	return all, nil
}

func (a *Approvals) get(server, uri string) (approval, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.read()
	if err != nil {
		return approval{}, false, err
	}
	for _, p := range all {
		if p.Server == server && p.URI == uri {
			return p, true, nil
		}
	}
	return approval{}, false, nil
}

// update changes the list and writes it as a whole.
func (a *Approvals) update(change func([]approval) []approval) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.read()
	if err != nil {
		return err
	}
	b, err := json.Marshal(change(all))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(a.file), 0o700); err != nil {
		return err
	}
	return writeWhole(a.file, b)
}

func (a *Approvals) put(server string, e *Entry) error {
	return a.update(func(all []approval) []approval {
		all = slices.DeleteFunc(all, func(p approval) bool { return p.Server == server && p.URI == e.ID.URI })
		return append(all, approval{server, e.ID.URI, e.Resources})
	})
}

// Forget takes back what was approved of a server, known by label and place.
func (a *Approvals) Forget(label, endpoint string) error {
	server := label + "\x00" + endpoint
	return a.update(func(all []approval) []approval {
		return slices.DeleteFunc(all, func(p approval) bool { return p.Server == server })
	})
}

// writeWhole replaces a file in one step, readable by the user only.
func writeWhole(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone after the rename
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
