// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// Every exported name has a comment that says more than the name.
func TestEveryNameIsExplained(t *testing.T) {
	for _, dir := range []string{".", "v1", "jsonrpc", "internal/object"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		check := func(name string, docs ...*ast.CommentGroup) {
			seen++
			for _, doc := range docs {
				if says(name, doc.Text()) {
					return
				}
			}
			t.Errorf("%s: %s has no comment that says more than its name", dir, name)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				explained(d, check)
			}
		}
		if seen < 20 {
			t.Errorf("%s: only %d names", dir, seen)
		}
	}
}

func explained(d ast.Decl, check func(name string, docs ...*ast.CommentGroup)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			switch d.Name.Name {
			case "Error", "Unwrap", "String": // what they do is what they are called
			default:
				check(d.Name.Name, d.Doc)
			}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					check(s.Name.Name, s.Doc, d.Doc)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() {
					check(s.Names[0].Name, s.Doc, s.Comment, d.Doc)
				}
			}
		}
	}
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// says reports whether a comment has words that are not those of the name.
func says(name, doc string) bool {
	var parts strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			parts.WriteByte(' ')
		}
		parts.WriteRune(unicode.ToLower(c))
	}
	known := " " + parts.String() + " " + strings.ToLower(name) + " a an the is are of and or "
	fresh := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(doc), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if !strings.Contains(known, " "+w+" ") {
			fresh++
		}
	}
	return fresh >= 1 && !strings.Contains(doc, "is the definition")
}
