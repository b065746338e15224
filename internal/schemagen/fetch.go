// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// maxFile is how large a file of the package may be.
const maxFile = 16 << 20

// fetch takes over the schema of a version of the package and says what is
// different from what is committed.
func fetch(dir, version string, out io.Writer) error {
	files, err := unpack(version)
	if err != nil {
		return err
	}
	for _, v := range []string{"v1", "v2"} {
		name := "schema/" + v + "/schema.unstable.json"
		all, base := files[name], files["schema/"+v+"/schema.json"]
		if all == nil || base == nil {
			return fmt.Errorf("%s@%s does not have %s and its stable twin; has it moved?", pkg, version, name)
		}
		fresh, err := structure(version, name, all, base)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, "schema", v+".json")
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := report(out, v, old, fresh); err != nil {
			return err
		}
		if err := os.WriteFile(path, fresh, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "now run go generate ./... and look at what it says")
	return nil
}

// unpack has npm fetch the package and returns its schemas by name.
func unpack(version string) (map[string][]byte, error) {
	tmp, err := os.MkdirTemp("", "schemagen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("npm", "pack", "--silent", "--pack-destination", tmp, pkg+"@"+version)
	cmd.Stderr = os.Stderr
	if _, err := cmd.Output(); err != nil {
		return nil, fmt.Errorf("npm pack %s@%s: %w; npm has to be installed and the registry within reach", pkg, version, err)
	}
	archives, err := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack left %d archives, want 1 (%v)", len(archives), err)
	}
	f, err := os.Open(archives[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(h.Name, "package/")
		if !strings.HasPrefix(name, "schema/") || h.Size > maxFile {
			continue
		}
		if files[name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// report says what has changed, definition by definition.
func report(out io.Writer, version string, old, fresh []byte) error {
	b, err := schema.Parse(fresh)
	if err != nil {
		return err
	}
	if a0, err := schema.Parse(old); err != nil || !a0.Has("$defs") {
		fmt.Fprintf(out, "%s: new, %d definitions\n", version, len(b.Get("$defs").Keys))
		return nil
	}
	a, err := schema.Parse(old)
	if err != nil {
		return err
	}
	if bytes.Equal(old, fresh) {
		fmt.Fprintf(out, "%s: unchanged (%s)\n", version, a.Str("x-source", "version"))
		return nil
	}
	fmt.Fprintf(out, "%s: from %s to %s\n", version, a.Str("x-source", "version"), b.Str("x-source", "version"))
	for _, name := range notIn(b, a) {
		fmt.Fprintf(out, "  + %s\n", name)
	}
	for _, name := range notIn(a, b) {
		fmt.Fprintf(out, "  - %s\n", name)
	}
	for _, name := range a.Get("$defs").Keys {
		was, is := a.Get("$defs", name), b.Get("$defs", name)
		if is != nil && was.String() != is.String() {
			fmt.Fprintf(out, "  ~ %s\n      was %s\n      is  %s\n", name, was, is)
		}
	}
	if was, is := a.Get("x-unstable").String(), b.Get("x-unstable").String(); was != is {
		fmt.Fprintf(out, "  ~ what is unstable\n      was %s\n      is  %s\n", was, is)
	}
	return nil
}
