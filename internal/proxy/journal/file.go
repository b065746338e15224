// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

var (
	// ErrLocked means that another process held a session's file for seconds,
	// as one that was suspended does.
	ErrLocked = errors.New("journal: another process keeps the session's file locked")
	// ErrUnsafeFile means that what stands in the place of a session's file is
	// a link, is no regular file or belongs to another user. Remove it.
	ErrUnsafeFile = errors.New("journal: not a regular file of this user; remove it")
	// ErrDamaged means that a file has lines which are not ours, or were cut.
	ErrDamaged = errors.New("journal: some lines cannot be understood and are passed over")
	// ErrTooLarge means that one record alone is longer than
	// [Options.MaxBytes].
	ErrTooLarge = errors.New("journal: the prompt is too long to be kept")
)

const (
	fileExt = ".jsonl"
	tempExt = ".tmp"

	// A lock is held for one write, so this is long; and a prompt waits for it.
	lockTimeout = 5 * time.Second
	lockPause   = 2 * time.Millisecond
)

// lockFile opens and locks a session's file. Unless create is set, the error is
// fs.ErrNotExist when there is none. Closing the file gives the lock back.
func lockFile(path string, create, exclusive bool) (*os.File, error) {
	for deadline := time.Now().Add(lockTimeout); ; {
		f, err := openFile(path, create)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return nil, err
			}
			f, err = openFile(path, create)
		}
		if err != nil {
			return nil, err
		}
		ok, err := lockOpened(f, exclusive)
		if ok && err == nil {
			return f, nil
		}
		_ = f.Close() // nothing was written
		if err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%w: %q", ErrLocked, path)
		}
		time.Sleep(lockPause)
	}
}

// lockOpened reports false when the lock is taken, and when the file is not at
// its path any more: it was removed or replaced before the lock was had.
func lockOpened(f *os.File, exclusive bool) (bool, error) {
	if err := checkFile(f); err != nil {
		return false, err
	}
	if ok, err := tryLock(f, exclusive); !ok || err != nil {
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there), nil
}

// appendLines adds whole lines to a file that is locked exclusively. When there
// is no room for them, the oldest records go.
func appendLines(f *os.File, lines []byte, maxBytes int64) error {
	if int64(len(lines)) > maxBytes {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(lines), maxBytes)
	}
	size, err := cutTorn(f)
	if err != nil {
		return err
	}
	if size+int64(len(lines)) > maxBytes {
		return compact(f, lines, maxBytes)
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return err
	}
	if _, err := f.Write(lines); err != nil {
		return errors.Join(err, f.Truncate(size)) // as on a full disk: leave no torn line
	}
	return nil
}

// cutTorn removes what stands behind the last line feed, which a crash left
// there, and returns the size of what remains. Otherwise the next line would be
// lost with it.
func cutTorn(f *os.File) (size int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end := st.Size()
	buf := make([]byte, 4096)
	for end > 0 {
		from := max(0, end-int64(len(buf)))
		part := buf[:end-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			end = from + int64(i) + 1
			break
		}
		end = from
	}
	if end < st.Size() {
		return end, f.Truncate(end)
	}
	return end, nil
}

// compact rewrites a file as the newest of its records and the new lines. It
// goes down to half of the limit, so that not every write from then on has to.
func compact(f *os.File, lines []byte, maxBytes int64) error {
	data, err := readLines(f, maxBytes)
	if err != nil {
		return err
	}
	var kept [][]byte
	room := maxBytes/2 - int64(len(lines))
	entries, _ := fold(data)
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].void {
			continue
		}
		line, err := promptLine(entries[i].Record)
		if err != nil {
			continue // it was read, so it can be written
		}
		if room -= int64(len(line)); room < 0 {
			break
		}
		kept = append(kept, line)
	}
	var out []byte
	for i := len(kept) - 1; i >= 0; i-- {
		out = append(out, kept[i]...)
	}
	return replaceContent(f, append(out, lines...))
}

// readLines reads a file from its beginning, or when it is longer than maxBytes,
// as somebody with a higher limit may have left it, from the first line of its
// last maxBytes on.
func readLines(f *os.File, maxBytes int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, st.Size()-maxBytes)
	data := make([]byte, st.Size()-from)
	n, err := f.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data = data[:n]
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	return data, nil
}
