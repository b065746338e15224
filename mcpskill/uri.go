// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/skill"
)

const (
	mainFile = "SKILL.md"
	// maxURI bounds what a server can make others keep and show, in bytes.
	maxURI = 2048
)

// A uriError says why a uri cannot be a skill's.
type uriError struct{ uri, reason string }

func (e *uriError) Error() string {
	return fmt.Sprintf("the uri %q %s", skill.Sanitize(clip(e.uri, 200)), e.reason)
}

// clip shortens s to at most n bytes, for messages.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// checkURI looks at the path of a uri behind its scheme, which no two parsers may
// read in two ways: each segment is a name, also after it was decoded.
func checkURI(uri string) (segments []string, err error) {
	fail := func(reason string) ([]string, error) { return nil, &uriError{uri, reason} }
	if len(uri) > maxURI {
		return fail(fmt.Sprintf("is longer than %d bytes", maxURI))
	}
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || !validScheme(scheme) {
		return fail("has no scheme with :// behind it")
	}
	for _, r := range rest {
		switch {
		case r == utf8.RuneError, r <= ' ', r == 0x7f, unicode.IsControl(r), unicode.IsSpace(r):
			return fail("has characters that cannot stand in a uri")
		case r == '?' || r == '#':
			return fail("has a query or a fragment")
		case r == '\\':
			return fail("has a backslash")
		}
	}
	for i, seg := range strings.Split(rest, "/") {
		if i == 0 && strings.ContainsAny(seg, "@") {
			return fail("has a user in it")
		}
		name, err := url.PathUnescape(seg)
		switch {
		case err != nil:
			return fail("has a broken percent sign")
		case !utf8.ValidString(name):
			return fail("has bytes that are not UTF-8")
		case name == "" || name == "." || name == "..":
			return fail("has an empty segment, or one that is . or ..")
		case strings.ContainsAny(name, "/\\"):
			return fail("has an encoded slash in a segment")
		case strings.ContainsFunc(name, unicode.IsControl):
			return fail("has an encoded control character")
		}
		segments = append(segments, name)
	}
	return segments, nil
}

func validScheme(s string) bool {
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		case i > 0 && (r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// skillURI takes a skill's uri apart: its root directory, without a slash at the
// end, and the name that the last directory segment says (MCP-2).
func skillURI(uri string) (root, name string, err error) {
	segments, err := checkURI(uri)
	if err != nil {
		return "", "", err
	}
	root, ok := strings.CutSuffix(uri, "/"+mainFile)
	if !ok || len(segments) < 2 {
		return "", "", &uriError{uri, "is not that of a SKILL.md in a directory"}
	}
	return root, segments[len(segments)-2], nil
}

// fileURI checks that a uri is that of a file in the skill's directory, and returns
// its path below it, decoded.
func fileURI(root, uri string) (rel string, err error) {
	segments, err := checkURI(uri)
	if err != nil {
		return "", err
	}
	below, ok := strings.CutPrefix(uri, root+"/")
	if !ok {
		return "", &uriError{uri, "is outside of the skill's directory " + clip(skill.Sanitize(root), 200)}
	}
	n := strings.Count(below, "/") + 1
	return path.Join(segments[len(segments)-n:]...), nil
}

// escapePath writes a slash-separated path as that of a uri.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
