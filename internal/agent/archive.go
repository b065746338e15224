// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp"
)

const (
	// logName is the file in a session's directory.
	logName = "log.jsonl"
	// pageSize is how many sessions one page of a list has.
	pageSize = 50
	// headSize is how much of a file is read for a list. The title stands before
	// the first message, so a message of any size does not hide it.
	headSize = 16 << 10
)

// An archive has the histories of sessions: those of this connection, and those
// in a directory.
type archive struct {
	dir string // empty: memory only
	log *slog.Logger

	mu   sync.Mutex
	here map[string]*history
}

func newArchive(stateDir string, log *slog.Logger) *archive {
	a := &archive{log: log, here: make(map[string]*history)}
	if stateDir != "" {
		a.dir = filepath.Join(stateDir, "sessions")
	}
	return a
}

// probe says why sessions could not be kept, before there is one. It leaves nothing
// behind: the directory is made when there is something to keep.
func (a *archive) probe() error {
	if a.dir == "" {
		return nil
	}
	dir := a.dir
	for {
		st, err := os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			return fmt.Errorf("%s is no directory", dir)
		case err == nil:
			f, err := os.CreateTemp(dir, ".probe-*")
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Remove(f.Name()))
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			dir = filepath.Dir(dir)
		default:
			return err
		}
	}
}

// fileOf is the session's file. ok is false when no file can have the id: ids
// come from clients, too, and must not lead elsewhere.
func (a *archive) fileOf(id string) (file string, ok bool) {
	ok = a.dir != "" && id != "" && len(id) <= 128
	for _, c := range []byte(id) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	}
	if !ok {
		return "", false
	}
	return filepath.Join(a.dir, id, logName), true
}

func (a *archive) create(id, cwd string) *history {
	file, _ := a.fileOf(id)
	h := newHistory(id, cwd, file)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.here[id] = h
	return h
}

// open is the history of a session that was there before. The error is the
// answer to the client.
func (a *archive) open(id string) (*history, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.here[id]; h != nil {
		return h, nil
	}
	h, err := a.read(id)
	if err != nil {
		return nil, err
	}
	a.here[id] = h
	return h, nil
}

func (a *archive) read(id string) (*history, error) {
	file, ok := a.fileOf(id)
	if !ok {
		return nil, sessionNotFound(id)
	}
	h, skipped, err := readHistory(id, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, sessionNotFound(id)
	case err != nil:
		return nil, fmt.Errorf("the session cannot be read: %w", err)
	case skipped > 0:
		a.log.Warn("a session's file has lines that cannot be read", "file", file, "lines", skipped)
	}
	return h, nil
}

// fork copies a session, whether or not it is open.
func (a *archive) fork(from, to, cwd string) (*history, error) {
	a.mu.Lock()
	h := a.here[from]
	a.mu.Unlock()
	if h == nil {
		var err error
		if h, err = a.read(from); err != nil {
			return nil, err
		}
	}
	file, _ := a.fileOf(to)
	c := h.copyTo(to, cwd, file)
	if c.said() {
		if err := c.add(); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.here[to] = c
	return c, nil
}

// release lets the history of a closed session go, if it can be read again:
// another process may go on with it.
func (a *archive) release(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.here[id]; h != nil && h.path != "" && h.said() {
		h.close()
		delete(a.here, id)
	}
}

// remove forgets a session for good. One that is not there is removed.
func (a *archive) remove(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.here[id]; h != nil {
		h.close()
		delete(a.here, id)
	}
	if file, ok := a.fileOf(id); ok {
		if err := os.RemoveAll(filepath.Dir(file)); err != nil {
			return fmt.Errorf("the session cannot be deleted: %w", err)
		}
	}
	return nil
}

// close closes the files of all sessions.
func (a *archive) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.here {
		h.close()
	}
}

// A listing is a session as a list shows it.
type listing struct {
	id, cwd, title string
	updated        time.Time
}

// compare says which of two comes first: the latest first.
func (l listing) compare(o listing) int {
	return cmp.Or(o.updated.Compare(l.updated), cmp.Compare(l.id, o.id))
}

// page is one page of the sessions.
func (a *archive) page(r *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	after, err := readCursor(r.Cursor)
	if err != nil {
		return nil, err
	}
	all := a.list()
	out := &acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	for i, l := range all {
		if r.Cwd != "" && l.cwd != filepath.Clean(r.Cwd) || after != nil && l.compare(*after) <= 0 {
			continue
		}
		if len(out.Sessions) == pageSize {
			out.NextCursor = writeCursor(all[i-1])
			// The one before may belong to another directory; the order is the same.
			break
		}
		out.Sessions = append(out.Sessions, acp.SessionInfo{
			SessionID: l.id, Cwd: l.cwd, Title: l.title, UpdatedAt: l.updated.Format(time.RFC3339),
		})
	}
	return out, nil
}

func writeCursor(l listing) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(l.updated.UnixNano(), 10) + " " + l.id))
}

func readCursor(cursor string) (*listing, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	at, id, ok := strings.Cut(string(raw), " ")
	nanos, numErr := strconv.ParseInt(at, 10, 64)
	if err != nil || numErr != nil || !ok {
		return nil, invalidParams("params.cursor: is not one that this agent gave; start again without one")
	}
	return &listing{id: id, updated: time.Unix(0, nanos)}, nil
}

// list is all sessions, the latest first.
func (a *archive) list() []listing {
	a.mu.Lock()
	here := make(map[string]*history, len(a.here))
	for id, h := range a.here {
		here[id] = h
	}
	a.mu.Unlock()

	var out []listing
	for id, h := range here {
		h.mu.Lock()
		out = append(out, listing{id, h.cwd, h.name, h.updated})
		h.mu.Unlock()
	}
	if a.dir != "" {
		entries, err := os.ReadDir(a.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.log.Warn("the sessions cannot be listed", "dir", a.dir, "error", err)
		}
		for _, e := range entries {
			if here[e.Name()] != nil {
				continue
			}
			if l, ok := a.peek(e.Name()); ok {
				out = append(out, l)
			}
		}
	}
	slices.SortFunc(out, listing.compare)
	return out
}

// peek reads the head of a session's file. A file that is none is not listed.
func (a *archive) peek(id string) (l listing, ok bool) {
	file, ok := a.fileOf(id)
	if !ok {
		return l, false
	}
	f, err := os.Open(file)
	if err != nil {
		return l, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return l, false
	}
	l.updated = info.ModTime()
	lines := bufio.NewScanner(io.LimitReader(f, headSize))
	lines.Buffer(nil, headSize)
	for lines.Scan() && l.title == "" {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue
		}
		switch r.Type {
		case recordSession:
			if r.SessionID == id && r.Version == historyVersion {
				l.id, l.cwd = id, r.Cwd
			}
		case recordTitle:
			l.title = r.Title
		}
	}
	return l, l.id != ""
}
