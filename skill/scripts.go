// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// maxScripts bounds how many files of scripts/ are looked at.
const maxScripts = 200

// adviseScripts looks at the files directly in scripts/ that an agent may want to run
// (FMT-11): they need a first line that names the interpreter and the right to run. What lies
// deeper is taken for what scripts use themselves.
func (v *validation) adviseScripts(root *os.Root) {
	d, err := root.OpenFile("scripts", openFlags, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			v.warn(0, 0, "scripts cannot be searched: %s; make it a readable directory inside of the skill's", reason(err))
		}
		return
	}
	defer d.Close()
	entries, err := d.ReadDir(maxScripts)
	if err != nil && !errors.Is(err, io.EOF) {
		v.warn(0, 0, "scripts cannot be searched: %s; make it a readable directory inside of the skill's", reason(err))
		return
	}
	var noRun, noFirst []string
	for _, e := range entries {
		name := "scripts/" + e.Name()
		if !e.Type().IsRegular() || !isScript(e.Name()) {
			continue
		}
		run, first, ok := script(root, name)
		if !ok {
			continue
		}
		if !run {
			noRun = append(noRun, name)
		}
		if !first {
			noFirst = append(noFirst, name)
		}
	}
	if len(noRun) > 0 {
		v.warn(0, 0, "%s; run chmod +x on what is run, and move modules into a folder below scripts", someHave(noRun, "no run bit"))
	}
	if len(noFirst) > 0 {
		v.warn(0, 0, "%s; begin what is run with one such as #!/usr/bin/env python3, and move modules into a folder below scripts", someHave(noFirst, "no first line with #!"))
	}
}

// someHave says of files what they have, naming the first three.
func someHave(names []string, what string) string {
	slices.Sort(names)
	shown := make([]string, 0, 3)
	for _, n := range names[:min(3, len(names))] {
		shown = append(shown, Sanitize(n))
	}
	s := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		s += " and " + strconv.Itoa(n) + " more"
	}
	if len(names) == 1 {
		return s + " has " + what
	}
	return s + " have " + what
}

// isScript tells by the name whether a file is meant to be run on a system that has first
// lines and run bits.
func isScript(name string) bool {
	if strings.HasPrefix(name, ".") || name == "__init__.py" {
		return false
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php", ".lua", ".r":
		return true
	case "":
		return !strings.EqualFold(name, "LICENSE") && !strings.EqualFold(name, "README") && !strings.EqualFold(name, "Makefile")
	}
	return false
}

// script reads how a script begins. ok is false for what is empty or no text.
func script(root *os.Root, name string) (run, first, ok bool) {
	f, err := root.OpenFile(name, openFlags, 0)
	if err != nil {
		return false, false, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return false, false, false
	}
	var head [512]byte
	n, err := io.ReadFull(f, head[:])
	if n == 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || bytes.IndexByte(head[:n], 0) >= 0 {
		return false, false, false
	}
	// Windows has no run bit to miss.
	run = fi.Mode().Perm()&0o111 != 0 || runtime.GOOS == "windows"
	return run, bytes.HasPrefix(head[:n], []byte("#!")), true
}
