// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp"
)

// A history is what was said in a session, in memory and, if it has a file,
// appended there. It is safe for concurrent use.
//
// The order of writing and sending makes a replay after a crash a prefix of what the
// client saw. A user's message is written before it is sent, since what cannot be
// kept is refused, and counts only with the record that follows when it was sent.
// All else is sent first and written then. So a crash costs at most what belongs to
// the turn that it ended.
type history struct {
	id, cwd string
	path    string // of the file; empty: memory only

	mu      sync.Mutex
	file    *os.File // nil: not open yet
	records []record
	queue   []record // are in records and not in the file
	torn    bool     // the file's last line has no end
	name    string
	updated time.Time
	skills  map[string]record // by key, the skills that are in the model's context
	config  map[string]string
}

func newHistory(id, cwd, path string) *history {
	h := &history{id: id, cwd: cwd, path: path, skills: map[string]record{}, config: map[string]string{}}
	h.note(record{Type: recordSession, Version: historyVersion, SessionID: id, Cwd: cwd})
	return h
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// apply takes a record into memory.
func (h *history) apply(r record) {
	h.updated = r.At
	if r.Type == recordVoid {
		h.records = h.records[:lastMessage(h.records)]
		h.name, h.skills = "", map[string]record{}
		for _, r := range h.records {
			h.index(r)
		}
		return
	}
	h.records = append(h.records, r)
	h.index(r)
}

func (h *history) index(r record) {
	switch r.Type {
	case recordTitle:
		h.name = r.Title
	case recordSkill:
		h.skills[r.Skill] = r
	case recordConfig:
		h.config[r.Option] = r.Value
	}
}

// lastMessage is where the records of the last user's message begin.
func lastMessage(records []record) int {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Type == recordUser {
			if i > 0 && records[i-1].Type == recordTitle {
				i--
			}
			return i
		}
	}
	return len(records)
}

// note takes a record that is written with the next one: on its own it is not worth
// a file.
func (h *history) note(r record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.At = now()
	h.apply(r)
	h.queue = append(h.queue, r)
}

// add appends records, all of them or none. A session's file is made with its
// first message: a session in which nothing was said is not worth keeping.
func (h *history) add(records ...record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := now()
	for i := range records {
		records[i].At = at
	}
	if h.path != "" {
		if err := h.write(append(h.queue[:len(h.queue):len(h.queue)], records...)); err != nil {
			if errors.Is(err, errElsewhere) {
				return err
			}
			return fmt.Errorf("the session cannot be kept: %w; start the agent with --state none, or with a directory that it can write to", err)
		}
	}
	h.queue = nil
	for _, r := range records {
		h.apply(r)
	}
	return nil
}

// write appends whole lines by one write. What a crash leaves of one is a torn
// last line, which readers skip.
func (h *history) write(records []record) error {
	var b bytes.Buffer
	if h.torn {
		b.WriteByte('\n')
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	sync := false
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return err
		}
		sync = sync || r.Type == recordEnd
	}
	if err := h.open(); err != nil {
		return err
	}
	n, err := h.file.Write(b.Bytes())
	switch {
	case err == nil && sync:
		h.torn = false
		err = h.file.Sync()
	case err == nil:
		h.torn = false
	case n > 0:
		h.torn = takeBack(h.file, int64(n)) != nil
	}
	return err
}

func (h *history) open() error {
	if h.file != nil {
		return nil
	}
	dir := filepath.Dir(h.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := lock(f); err != nil {
		return errors.Join(err, f.Close())
	}
	h.file = f
	return nil
}

// errElsewhere is for a session that another process works with.
var errElsewhere = errors.New("another process has the session open; close it there, or fork it")

// close closes the file. A later record opens it again.
func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil {
		_ = h.file.Close() // each write has said what was wrong
		h.file = nil
	}
}

// takeBack cuts off the n bytes that were appended last: what was refused must not
// be found by a later reader.
func takeBack(f *os.File, n int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Truncate(info.Size() - n)
}

// readHistory reads a session's file. Lines that cannot be read are skipped: the
// rest of a session is worth more than none of it.
func readHistory(id, path string) (h *history, skipped int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	h = &history{id: id, path: path, skills: map[string]record{}, config: map[string]string{}, torn: len(data) > 0 && data[len(data)-1] != '\n'}
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			skipped++
			continue
		}
		if r.Type == recordSession {
			if len(h.records) > 0 || r.SessionID != id || r.Version != historyVersion {
				return nil, skipped, fmt.Errorf("%s is not the file of session %s, or of a newer version", path, id)
			}
			h.cwd = r.Cwd
		} else if len(h.records) == 0 {
			continue // not a session before its first record
		}
		h.apply(r)
	}
	if len(h.records) == 0 {
		return nil, skipped, fmt.Errorf("%s does not start as a session", path)
	}
	updated := h.updated
	h.settle()
	h.updated = updated
	return h, skipped, nil
}

// settle ends what a crash has left open. A message of which the client was not told
// is none, and a turn without an end was interrupted.
func (h *history) settle() {
	at := lastMessage(h.records)
	if at == len(h.records) {
		return // nobody has said anything
	}
	begun, ended := false, false
	for _, r := range h.records[at:] {
		switch r.Type {
		case recordTitle, recordUser, recordSkill:
		case recordEnd:
			ended = true
			begun = true
		default:
			begun = true
		}
	}
	switch {
	case !begun:
		h.note(record{Type: recordVoid})
	case !ended:
		h.note(record{Type: recordEnd, Stop: acp.StopCancelled, Interrupted: true})
	}
}

// copyTo is the history under another session's name.
func (h *history) copyTo(id, cwd, path string) *history {
	c := newHistory(id, cwd, path)
	for _, r := range h.all() {
		if r.Type != recordSession {
			c.apply(r)
			c.queue = append(c.queue, r)
		}
	}
	c.settle()
	c.updated = now()
	return c
}

// all is the records so far.
func (h *history) all() []record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.records[:len(h.records):len(h.records)]
}

func (h *history) title() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.name
}

// hasSkill reports whether the skill is in the context with this content.
func (h *history) hasSkill(key, hash string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.skills[key].Hash == hash && hash != ""
}

// activated are the skills that are in the context, by the names by which the model
// knows them.
func (h *history) activated() map[string]record {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[string]record, len(h.skills))
	for _, r := range h.skills {
		out[r.Name] = r
	}
	return out
}

// option is the value of a configuration option, empty when it was never set.
func (h *history) option(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.config[id]
}

// said reports whether a message was said in the session.
func (h *history) said() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return lastMessage(h.records) < len(h.records)
}
