// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

const (
	version = "1"
	maxFile = 4 << 20 // bytes: some ten thousand workspaces
)

// A StoreError says what is wrong with the store and what to do about it. While
// it holds, nothing is trusted.
type StoreError struct {
	Path string // of the file or directory
	Err  error
}

func (e *StoreError) Error() string {
	return fmt.Sprintf("the list of trusted workspaces %s is not used: %v", skill.Sanitize(e.Path), e.Err)
}

func (e *StoreError) Unwrap() error { return e.Err }

// ErrUnsafe says that others could have written the store.
var ErrUnsafe = errors.New("others could have written it")

// file is the store's content. What is not known here keeps its bytes.
type file struct {
	raw   []byte // the object; nil when there is no file
	items []item
}

type item struct {
	Entry
	raw []byte
}

// readFile reads the store. One that does not exist is empty.
func readFile(path string) (*file, error) {
	f, err := openStore(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{}, nil
	}
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	content, err := parse(text)
	if err != nil {
		return nil, &StoreError{Path: path, Err: fmt.Errorf("%w. Put it right, or move it away and trust your workspaces anew with: skillgraft trust add", err)}
	}
	return content, nil
}

// parse reads the content. Nothing is guessed: of a file that is not wholly
// understood no entry counts.
func parse(text []byte) (*file, error) {
	switch {
	case len(text) > maxFile:
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	case !rawjson.Valid(text):
		return nil, errors.New("it is damaged: no JSON")
	}
	text = bytes.TrimSpace(text)
	if !rawjson.IsObject(text) {
		return nil, errors.New("it is damaged: no object")
	}
	if name, dup := rawjson.HasDuplicate(text); dup {
		return nil, fmt.Errorf("it is damaged: %q stands there twice", skill.Sanitize(name))
	}
	switch v := string(rawjson.Get(text, "version")); {
	case v == "":
		return nil, errors.New("it is damaged: it has no version")
	case v != version:
		return nil, fmt.Errorf("its version is %s and this program reads version %s: use the newer skillgraft that wrote it", skill.Sanitize(v), version)
	}
	list := rawjson.Get(text, "trusted")
	if !rawjson.IsArray(list) {
		return nil, errors.New("it is damaged: trusted is no list")
	}
	f := &file{raw: text}
	for _, e := range rawjson.Elements(list) {
		it := item{raw: e.Value}
		path, ok := rawjson.GetString(e.Value, "path")
		if _, dup := rawjson.HasDuplicate(e.Value); dup || !ok || !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return nil, errors.New("it is damaged: an entry has no absolute path, or a name twice")
		}
		it.Path = path
		if added, ok := rawjson.GetString(e.Value, "added"); ok {
			it.Added, _ = time.Parse(time.RFC3339, added) // for people; nothing depends on it
		}
		f.items = append(f.items, it)
	}
	return f, nil
}

func (f *file) find(path string) int {
	return slices.IndexFunc(f.items, func(it item) bool { return it.Path == path })
}

// covering is the nearest entry that covers a path, empty for none.
func (f *file) covering(path string) string {
	by := ""
	for _, it := range f.items {
		if covers(it.Path, path) && len(it.Path) > len(by) {
			by = it.Path
		}
	}
	return by
}

func (f *file) entries() []Entry {
	out := make([]Entry, 0, len(f.items))
	for _, it := range f.items {
		out = append(out, it.Entry)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func (f *file) add(e Entry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f.items = append(f.items, item{Entry: e, raw: raw})
	return nil
}

// write puts the content in the file's place, so that a crash leaves the old or
// the new one. The store is locked.
func (f *file) write(path string) error {
	raw := f.raw
	if raw == nil {
		raw = []byte(`{"version":` + version + `}`)
	}
	tokens := make([][]byte, 0, len(f.items))
	for _, it := range f.items {
		tokens = append(tokens, it.raw)
	}
	raw = rawjson.Set(raw, rawjson.Array(tokens), "trusted")
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	tmp, err := os.CreateTemp(filepath.Dir(path), ".trust.*.tmp") // mode 0600, never an existing file
	if err != nil {
		return err
	}
	_, err = tmp.Write(text.Bytes())
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = replace(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
