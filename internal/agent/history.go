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
)

// The types of records.
const (
	recordSession = "session" // the first one: what the session is
	recordTitle   = "title"
	recordUser    = "user"  // a message of the user, as it was sent
	recordAgent   = "agent" // a piece of a message of the agent
	recordSkill   = "skill" // a skill came into the context, with this content
	recordEnd     = "end"   // a turn is over
)

// historyVersion is the version of the records. Readers skip types that they do
// not know, so it changes only when an old type means something else.
const historyVersion = 1

// A record is one line of a session's file.
type record struct {
	Type string    `json:"type"`
	At   time.Time `json:"at"`

	Version   int             `json:"version,omitempty"`   // session
	SessionID string          `json:"sessionId,omitempty"` // session
	Cwd       string          `json:"cwd,omitempty"`       // session
	Title     string          `json:"title,omitempty"`     // title
	MessageID string          `json:"messageId,omitempty"` // user, agent
	Content   json.RawMessage `json:"content,omitempty"`   // user: content blocks
	Text      string          `json:"text,omitempty"`      // agent
	Skill     string          `json:"skill,omitempty"`     // skill: its file
	Hash      string          `json:"hash,omitempty"`      // skill
	Stop      string          `json:"stop,omitempty"`      // end
}

// A history is what was said in a session, in memory and, if it has a file,
// appended there. It is safe for concurrent use.
type history struct {
	id, cwd string
	file    string // empty: memory only

	mu      sync.Mutex
	records []record
	written int  // records that are in the file
	torn    bool // the file's last line has no end
	name    string
	updated time.Time
	skills  map[string]string // key, and the hash of the content in the context
}

func newHistory(id, cwd, file string) *history {
	h := &history{id: id, cwd: cwd, file: file, skills: make(map[string]string)}
	h.apply(record{Type: recordSession, At: now(), Version: historyVersion, SessionID: id, Cwd: cwd})
	return h
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// apply takes a record into memory.
func (h *history) apply(r record) {
	h.records = append(h.records, r)
	h.updated = r.At
	switch r.Type {
	case recordTitle:
		h.name = r.Title
	case recordSkill:
		h.skills[r.Skill] = r.Hash
	}
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
	if h.file != "" {
		if err := h.write(append(h.records[h.written:len(h.records):len(h.records)], records...)); err != nil {
			return fmt.Errorf("the session cannot be kept: %w; start the agent with --state none, or with a directory that it can write to", err)
		}
	}
	for _, r := range records {
		h.apply(r)
	}
	h.written = len(h.records)
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
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	n, err := f.Write(b.Bytes())
	switch {
	case err == nil:
		h.torn = false
	case n > 0:
		h.torn = takeBack(f, int64(n)) != nil
	}
	return errors.Join(err, f.Close())
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
func readHistory(id, file string) (h *history, skipped int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	h = &history{id: id, file: file, skills: make(map[string]string), torn: len(data) > 0 && data[len(data)-1] != '\n'}
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			skipped++
			continue
		}
		if r.Type == recordSession {
			if len(h.records) > 0 || r.SessionID != id || r.Version != historyVersion {
				return nil, skipped, fmt.Errorf("%s is not the file of session %s, or of a newer version", file, id)
			}
			h.cwd = r.Cwd
		} else if len(h.records) == 0 {
			continue // not a session before its first record
		}
		h.apply(r)
	}
	if len(h.records) == 0 {
		return nil, skipped, fmt.Errorf("%s does not start as a session", file)
	}
	h.written = len(h.records)
	return h, skipped, nil
}

// copyTo is the history under another session's name.
func (h *history) copyTo(id, cwd, file string) *history {
	c := newHistory(id, cwd, file)
	for _, r := range h.all() {
		if r.Type != recordSession {
			c.apply(r)
		}
	}
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
	return h.skills[key] == hash
}

// said reports whether the session has more than its first record.
func (h *history) said() bool { return len(h.all()) > 1 }
