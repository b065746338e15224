// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// maxPatched is how many bytes of text a patch is made of. A larger change is told
// without one.
const maxPatched = 4 << 20

// upDiff is a diff in version 2's form: which file changes, and a patch. Version 1
// has the text before and after, and cannot tell a deleted file from one that was
// emptied; the latter is what it says. Many agents give only the part of a file
// that changes, so that the patch's line numbers are those of the part.
func upDiff(cwd string, tok []byte) []byte {
	given, _ := rawjson.GetString(tok, "path")
	after, ok := rawjson.GetString(tok, "newText")
	before, existed := rawjson.GetString(tok, "oldText")
	path := upAbsolute(cwd, given)
	if path == "" || !ok {
		patch := upPatch(given, before, after, existed)
		return objectOf(textField("type", "content"), field{"content", objectOf(textField("type", "text"), textField("text", patch))}, field{"_meta", objectAt(tok, "_meta")})
	}
	operation := "modify"
	if !existed {
		operation = "add"
	}
	var patch []byte
	if text := upPatch(path, before, after, existed); text != "" {
		patch = objectOf(textField("format", acp.DiffFormatGitPatch), textField("text", text))
	}
	out := tok
	for _, name := range []string{"path", "oldText", "newText"} {
		out = rawjson.Delete(out, name)
	}
	change := objectOf(textField("operation", operation), textField("path", path), textField("fileType", acp.DiffFileText))
	out = rawjson.Set(out, rawjson.Array([][]byte{change}), "changes")
	if patch != nil {
		out = rawjson.Set(out, patch, "patch")
	}
	return out
}

// upPatch is the change of a file as git writes it; empty when there is none, or
// it is too large.
func upPatch(path, before, after string, existed bool) string {
	if len(before)+len(after) > maxPatched || existed && before == after {
		return ""
	}
	name := upPatchName(path)
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", name, name)
	old := name
	if !existed {
		b.WriteString("new file mode 100644\n")
		old = "/dev/null"
	}
	_, hunks, _ := bytes.Cut(diff.Diff("a", []byte(before), "b", []byte(after)), []byte("+++ b\n"))
	if len(hunks) > 0 {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", upPatchLine(old), upPatchLine(name))
		b.Write(hunks)
	}
	return b.String()
}

// upPatchName is a path as git writes it: quoted when it has characters that
// would end the line or the name.
func upPatchName(path string) string {
	special := func(r rune) bool { return r < 0x20 || r == 0x7f || r == '"' || r == '\\' }
	if strings.IndexFunc(path, special) < 0 {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// upPatchLine is a name where only the line's end ends it: git puts a tab behind
// one with blanks.
func upPatchLine(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}
