// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say where a journal is and how much it keeps. In all numbers zero
// means the default.
type Options struct {
	// Dir is where the files are; see [DefaultDir].
	Dir string
	// Agent is the identity of the agent, since two agents may use the same
	// session ids.
	Agent string
	// MaxAge is how long a session is kept after its last record, 90 days by
	// default. Negative keeps all.
	MaxAge time.Duration
	// MaxFiles is how many sessions are kept, over all agents, 2000 by
	// default. Negative keeps all.
	MaxFiles int
	// MaxBytes is how long a session's file gets, 16 MiB by default. The
	// oldest records make room for the newest.
	MaxBytes int64
	// Now is the clock for MaxAge, [time.Now] by default.
	Now func() time.Time
	// BlobLimit is the length in bytes over which a binary value is kept as a
	// hash only, 32 KiB by default. Negative keeps all.
	BlobLimit int
}

// The defaults of [Options].
const (
	DefaultMaxAge    = 90 * 24 * time.Hour
	DefaultMaxFiles  = 2000
	DefaultMaxBytes  = 16 << 20
	DefaultBlobLimit = 32 << 10
)

// A Journal is a directory of sessions. Its methods may be called by several
// goroutines, and several processes may share the directory; a write that finds
// the file locked waits for it, for seconds at most ([ErrLocked]). A nil
// *Journal is valid: it keeps nothing and knows nothing.
type Journal struct {
	opts Options
}

// Open returns the journal in a directory. It does not touch the disk; that is
// left to the first write.
func Open(opts Options) *Journal {
	// The zero byte is what parts agent and session in a file's name.
	opts.Agent = strings.ReplaceAll(opts.Agent, "\x00", "\uFFFD")
	if opts.MaxAge == 0 {
		opts.MaxAge = DefaultMaxAge
	}
	if opts.MaxFiles == 0 {
		opts.MaxFiles = DefaultMaxFiles
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.BlobLimit == 0 {
		opts.BlobLimit = DefaultBlobLimit
	}
	return &Journal{opts: opts}
}

// Append adds a record to a session. Its long binary values are kept as hashes
// only; see [Unblob]. A record whose id the session has already is not added
// again.
func (j *Journal) Append(session string, r Record) error {
	if j == nil {
		return nil
	}
	r.Blocks = stripBlobs(r.Blocks, j.opts.BlobLimit)
	if n := int64(len(r.Blocks)); n > j.opts.MaxBytes { // before it is copied
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, n, j.opts.MaxBytes)
	}
	line, err := promptLine(r)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return j.write(session, line, true)
}

// Confirm gives a record its message id, which an empty one leaves as it is, and
// brings it back if it was void. A record that is not there is no error; it may
// have had to make room.
func (j *Journal) Confirm(session, recordID, messageID string) error {
	if j == nil {
		return nil
	}
	return j.write(session, confirmLine(recordID, messageID), false)
}

// Void takes a record out, because the agent refused the prompt and it will not
// come back in a replay. A record that is not there is no error.
func (j *Journal) Void(session, recordID string) error {
	if j == nil {
		return nil
	}
	return j.write(session, voidLine(recordID), false)
}

// Load returns a session's records in the order of Append, without void ones and
// with their message ids. A session without a file has none. Lines that cannot
// be understood are passed over: then the error is [ErrDamaged], beside the
// records that the others have.
func (j *Journal) Load(session string) ([]Record, error) {
	if j == nil {
		return nil, nil
	}
	f, err := lockFile(j.path(session), false, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(err)
	}
	// A line too many that somebody else wrote should not cost the others.
	data, err := readLines(f, 4*j.opts.MaxBytes)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, wrap(err)
	}
	var records []Record
	entries, foreign := fold(data)
	for _, e := range entries {
		if !e.void {
			records = append(records, e.Record)
		}
	}
	if foreign > 0 {
		return records, fmt.Errorf("%w: %d lines of %q", ErrDamaged, foreign, j.path(session))
	}
	return records, nil
}

// Fork adds the records of a session to another, as the agent did with its
// messages. The records keep their ids; what happens to one from then on does
// not change the other.
func (j *Journal) Fork(from, to string) error {
	if j == nil || from == to {
		return nil
	}
	records, err := j.Load(from)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if len(records) == 0 { // also when no line of a damaged file could be read
		return nil
	}
	var lines []byte
	for _, r := range records {
		r.Inherited = true
		line, err := promptLine(r)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		lines = append(lines, line...)
	}
	return j.write(to, lines, true)
}

// Remove forgets a session. One that is not there is no error.
func (j *Journal) Remove(session string) error {
	if j == nil {
		return nil
	}
	path := j.path(session)
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap(err)
	}
	if !st.Mode().IsRegular() { // an empty directory could be removed too
		return fmt.Errorf("%w: %q", ErrUnsafeFile, path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	return nil
}

// write adds lines to a session's file. Without create, a session that has no
// file stays so.
func (j *Journal) write(session string, lines []byte, create bool) error {
	f, err := lockFile(j.path(session), create, true)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap(err)
	}
	return wrap(errors.Join(appendLines(f, lines, j.opts.MaxBytes), f.Close()))
}

// path is the file of a session. Agent and session id are other people's text,
// so nothing of them but a hash gets into a name.
func (j *Journal) path(session string) string {
	return filepath.Join(j.opts.Dir, HashBytes([]byte(j.opts.Agent+"\x00"+session))+fileExt)
}

// wrap says whose error it is, once.
func wrap(err error) error {
	if err == nil || errors.Is(err, ErrLocked) || errors.Is(err, ErrUnsafeFile) || errors.Is(err, ErrTooLarge) {
		return err
	}
	return fmt.Errorf("journal: %w", err)
}
