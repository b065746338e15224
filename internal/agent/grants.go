// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A grant is the user's word that a script may run without being asked again: this
// script of this skill, with this content of the whole skill.
type grant struct {
	At     time.Time `json:"at"`
	Skill  string    `json:"skill"`  // its key
	Script string    `json:"script"` // in it, with slashes
	Digest string    `json:"digest"` // of all files
}

// grants are the lasting permissions, in memory and, if there is a file, appended to
// that. It is safe for concurrent use, also by several processes: the file is read at
// each question.
type grants struct {
	path string // empty: memory only

	mu   sync.Mutex
	here map[grant]bool // without times
}

func newGrants(dir string) *grants {
	g := &grants{here: map[grant]bool{}}
	if dir != "" {
		g.path = filepath.Join(dir, "grants.jsonl")
	}
	return g
}

// has reports whether there is a grant.
func (g *grants) has(want grant) (bool, error) {
	want.At = time.Time{}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.here[want] || g.path == "" {
		return g.here[want], nil
	}
	data, err := os.ReadFile(g.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	if err := onlyMine(g.path); err != nil {
		return false, err
	}
	for in := bufio.NewScanner(bytes.NewReader(data)); in.Scan(); {
		var have grant
		if json.Unmarshal(in.Bytes(), &have) != nil {
			continue // one line less is a question more
		}
		if have.At = (time.Time{}); have == want {
			return true, nil
		}
	}
	return false, nil
}

// add remembers a grant.
func (g *grants) add(what grant) error {
	what.At = time.Time{}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.here[what] = true
	if g.path == "" {
		return nil
	}
	what.At = now()
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(g.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// onlyMine refuses a file into which others could have written a grant.
func onlyMine(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 && openToRead != os.O_RDONLY {
		return fmt.Errorf("%s could have been written by others; chmod 600 it if it is yours", path)
	}
	return nil
}
