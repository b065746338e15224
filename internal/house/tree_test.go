// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	spdx     = "// SPDX-License-Identifier: Apache-2.0"
	maxLines = 600

	// jsonModule becomes the standard library's encoding/json/v2. Until then one
	// corner of the tree depends on it, so that the move is one commit.
	jsonModule = "github.com/go-json-experiment/json"
)

// A goFile is one Go file of the module.
type goFile struct {
	name    string // slash-separated, relative to the root
	text    []byte
	imports []string
}

func (f *goFile) dir() string  { return path.Dir(f.name) }
func (f *goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

func parseFile(name string, text []byte) (goFile, error) {
	f := goFile{name: name, text: text}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return f, err
	}
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}

// root returns the module's directory and path.
func root(t *testing.T) (dir, module string) {
	t.Helper()
	dir = filepath.Join("..", "..")
	mod, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer mod.Close()
	for lines := bufio.NewScanner(mod); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "module "); ok {
			return dir, strings.TrimSpace(name)
		}
	}
	t.Fatal("go.mod names no module")
	return "", ""
}

// tree reads all Go files of the module, whatever their build tags, and leaves
// out what the go tool leaves out.
func tree(t *testing.T, dir string) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
			if name != dir && (hidden || base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f, err := parseFile(filepath.ToSlash(rel), text)
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkImports(f goFile, module string) []error {
	var errs []error
	for _, imported := range f.imports {
		if dir, ours := strings.CutPrefix(imported, module+"/"); ours {
			if err := allowed(f.dir(), dir, f.isTest()); err != nil {
				errs = append(errs, fmt.Errorf("%s imports %q: %w", f.name, imported, err))
			}
		}
		experiment := imported == jsonModule || strings.HasPrefix(imported, jsonModule+"/")
		if experiment && !f.isTest() && f.dir() != "acp" && !strings.HasPrefix(f.name, "acp/") {
			errs = append(errs, fmt.Errorf("%s imports %q, which only acp and the packages below it may. "+
				"Use encoding/json here, or internal/rawjson to look into a message without decoding it", f.name, imported))
		}
	}
	if len(f.imports) == 0 {
		return errs
	}
	if _, err := roomOf(f.dir()); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
	}
	return errs
}

// unfinished matches the words that stand for work left over. They are put
// together here so that this file does not match itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

func checkText(f goFile) []error {
	var errs []error
	if !bytes.HasPrefix(f.text, []byte(spdx+"\n\n")) {
		errs = append(errs, fmt.Errorf("%s: the first line must be %q and the second one empty, so that tools can tell the licence "+
			"and the line is no part of the package's documentation", f.name, spdx))
	}
	if !f.isTest() {
		if at := unfinished.FindIndex(f.text); at != nil {
			errs = append(errs, fmt.Errorf("%s:%d says %s. Do it now, or file an issue and describe here what the code does today",
				f.name, 1+bytes.Count(f.text[:at[0]], []byte{'\n'}), f.text[at[0]:at[1]]))
		}
	}
	if n := bytes.Count(f.text, []byte{'\n'}); n > maxLines && !isGenerated(f) {
		errs = append(errs, fmt.Errorf("%s has %d lines; %d is the most. It holds more than one concept: give each its own file "+
			"(generated files need the standard \"Code generated ... DO NOT EDIT.\" line)", f.name, n, maxLines))
	}
	return errs
}

func isGenerated(f goFile) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && ast.IsGenerated(parsed)
}

// An import only goes down.
func TestImportsGoDown(t *testing.T) {
	dir, module := root(t)
	for _, f := range tree(t, dir) {
		for _, err := range checkImports(f, module) {
			t.Error(err)
		}
	}
}

func TestFilesAreInOrder(t *testing.T) {
	dir, _ := root(t)
	seen := false
	for _, f := range tree(t, dir) {
		seen = seen || f.name == "internal/house/doc.go"
		for _, err := range checkText(f) {
			t.Error(err)
		}
	}
	if !seen {
		t.Error("the walk did not find internal/house/doc.go: it looks at the wrong tree")
	}
}

// Each check is tried on a file that breaks it, and on its nearest good neighbour.
func TestChecksFindFaults(t *testing.T) {
	const head = spdx + "\n\npackage p\n"
	long := strings.Repeat("\n", maxLines)
	for _, tc := range []struct {
		name, file, text string
		want             string // in the only error; empty for none
	}{
		{"good", "acp/a.go", head, ""},
		{"no licence", "acp/a.go", "package p\n", "first line"},
		{"licence glued to the package", "acp/a.go", spdx + "\npackage p\n", "first line"},
		{"leftover", "acp/a.go", head + "// FIX" + "ME: later\n", "acp/a.go:4 says"},
		{"leftover in a test", "acp/a_test.go", head + "// TO" + "DO\n", ""},
		{"a longer word", "acp/a.go", head + "const TO" + "DOS = 1\n", ""},
		{"long", "acp/a.go", head + long, "more than one concept"},
		{"long and generated", "acp/a.go", spdx + "\n\n// Code generated by x. DO NOT EDIT.\n\npackage p\n" + long, ""},
		{"import up", "skill/a.go", head + `import "m/acpskill"` + "\n", "only goes down"},
		{"import down", "acpskill/a.go", head + `import "m/skill"` + "\n", ""},
		{"not ours", "skill/a.go", head + `import "mm/acpskill"` + "\n", ""},
		{"json in acp", "acp/jsonrpc/a.go", head + `import "` + jsonModule + `/jsontext"` + "\n", ""},
		{"json elsewhere", "skill/a.go", head + `import "` + jsonModule + `/jsontext"` + "\n", "encoding/json"},
		{"json in a test elsewhere", "internal/rawjson/a_test.go", head + `import "` + jsonModule + `"` + "\n", ""},
		{"homeless", "internal/attic/a.go", head + `import "io"` + "\n", "no place in the house"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := parseFile(tc.file, []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			errs := append(checkText(f), checkImports(f, "m")...)
			switch {
			case tc.want == "" && len(errs) > 0:
				t.Errorf("unexpected: %v", errs)
			case tc.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), tc.want)):
				t.Errorf("found %v, want one error with %q", errs, tc.want)
			}
		})
	}
}
