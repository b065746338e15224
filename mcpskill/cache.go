// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultCacheSize is how many bytes a cache keeps.
const DefaultCacheSize = 256 << 20

// A Cache keeps verified files on disk, and verifies them again at each use (MCP-8):
// others may write where it lies, but nothing they write is ever used.
//
// A file lies under its server and its uri, and is named by its digest. None is ever
// named SKILL.md, so that no discovery of skills, wherever it looks, takes what is here
// for a skill of the disk.
type Cache struct {
	dir string
	max int64

	mu    sync.Mutex
	grown int64 // bytes written since the last look at all of it
}

// OpenCache returns the cache in a directory, which need not exist yet. max is in
// bytes; 0 means [DefaultCacheSize].
func OpenCache(dir string, max int64) *Cache {
	if max <= 0 {
		max = DefaultCacheSize
	}
	return &Cache{dir: dir, max: max, grown: max} // the first file has all looked at
}

var errTampered = errors.New("the cached file is not what was put there")

// place is a server's directory: its label to be recognised by people, and a hash of
// label and place to be told from every other.
func (c *Cache) place(server string) string {
	label, _, _ := strings.Cut(server, "\x00")
	return filepath.Join(c.dir, name(label, 40)+"~"+short(server))
}

func (c *Cache) file(server, uri string, r Resource) string {
	return filepath.Join(c.place(server), name(uri, 100)+"~"+short(uri), strings.TrimPrefix(r.Digest, "sha256:"))
}

// name is text as a file name of every system.
func name(s string, n int) string {
	s = url.PathEscape(s)
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, s)
	if len(s) > n {
		s = s[:n]
	}
	return strings.Trim(s, ". ")
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// get returns a cached file after it was verified. One that is not what it should be
// is removed.
func (c *Cache) get(server, uri string, r Resource) ([]byte, error) {
	file := c.file(server, uri, r)
	b, _, err := readFile(DirFS(filepath.Dir(file)), filepath.Base(file), r.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || int64(len(b)) != r.Size || digest(b) != r.Digest {
		_ = os.Remove(file) // what cannot be removed is refused again next time
		return nil, errTampered
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // so that what is used stays longest
	return b, nil
}

func (c *Cache) put(server, uri string, r Resource, b []byte) error {
	file := c.file(server, uri, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := writeWhole(file, b); err != nil {
		return err
	}
	if c.grown += r.Size; c.grown < c.max/16 {
		return nil
	}
	c.grown = 0
	return c.prune()
}

// prune removes what was not used longest, down to three quarters, once there is too
// much.
func (c *Cache) prune() error {
	type item struct {
		path string
		size int64
		used time.Time
	}
	var all []item
	var total int64
	err := filepath.WalkDir(c.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // somebody else removed it
		}
		if info, err := d.Info(); err == nil {
			all = append(all, item{p, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if err != nil || total <= c.max {
		return err
	}
	slices.SortFunc(all, func(a, b item) int { return a.used.Compare(b.used) })
	for _, it := range all {
		if total <= c.max/4*3 {
			break
		}
		if os.Remove(it.path) == nil {
			total -= it.size
		}
	}
	return nil
}

// Forget removes everything of a server, known by label and place.
func (c *Cache) Forget(label, endpoint string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.RemoveAll(c.place(label + "\x00" + endpoint)); err != nil {
		return fmt.Errorf("removing what was cached: %w", err)
	}
	return nil
}
