// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// maxLinks and maxMarkdown bound how many links of a body are followed and how much of it
// is read as Markdown; maxOpeners and maxQuotes keep away from texts for which a Markdown
// reader takes time with the square of their size, which nobody writes by hand.
const (
	maxLinks    = 500
	maxMarkdown = 96 << 10
	maxOpeners  = 2000
	maxQuotes   = 50
)

// adviseLinks looks at the relative links of the body (FMT-11): an agent follows them.
func (v *validation) adviseLinks(root *os.Root, d *Document) {
	body := []byte(d.Body)
	if len(body) > maxMarkdown {
		body = body[:maxMarkdown]
	}
	seen := map[string]bool{}
	for _, l := range markdownLinks(body) {
		p, ok := relative(l.to)
		if !ok || seen[p] {
			continue
		}
		if seen[p] = true; len(seen) > maxLinks {
			return
		}
		line, column := d.place(l.at)
		shown := Sanitize(p)
		switch clean := path.Clean(p); {
		case !filepath.IsLocal(filepath.FromSlash(clean)):
			v.warn(line, column, "the link to %s leaves the skill's directory; copy the file into it", shown)
		default:
			switch err := reachable(root, clean); {
			case errors.Is(err, fs.ErrNotExist):
				v.warn(line, column, "the link to %s leads to no file; correct the path, which starts at the skill's directory, or add the file", shown)
			case err != nil:
				v.warn(line, column, "the link to %s cannot be followed inside of the skill's directory: %s", shown, reason(err))
			case strings.Count(clean, "/") > 1:
				v.warn(line, column, "the link to %s is more than one folder deep; move the file up", shown)
			}
		}
	}
}

// reachable tells why a file cannot be reached inside of the root.
func reachable(root *os.Root, name string) error {
	_, err := root.Stat(filepath.FromSlash(name))
	return err
}

// relative returns the path of a link to a file beside this one. Links with a scheme, to
// a place in the same text, from the root of a site, and templates are none.
func relative(to string) (string, bool) {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || path.IsAbs(u.Path) {
		return "", false
	}
	if strings.ContainsAny(u.Path, "{}<>$*|\\\n") || strings.Contains(u.Path, "...") || !utf8.ValidString(u.Path) {
		return "", false
	}
	// A bare word, such as the url in [text](url), is an example and not a file.
	if !strings.ContainsAny(u.Path, "./") {
		return "", false
	}
	return u.Path, true
}

// A mdLink is a link or image, at an offset of the text.
type mdLink struct {
	to string
	at int
}

// markdownLinks returns the links of a Markdown text in order. Those in code are none.
func markdownLinks(body []byte) []mdLink {
	if bytes.Count(body, []byte("](")) > maxOpeners || bytes.Contains(body, bytes.Repeat([]byte("> "), maxQuotes)) ||
		bytes.Contains(body, bytes.Repeat([]byte(">"), maxQuotes)) {
		return nil
	}
	var links []mdLink
	doc := goldmark.DefaultParser().Parse(text.NewReader(body))
	// The walker gives back only what the function returns, which is never an error.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, mdLink{string(n.Destination), n.Pos()})
		case *ast.Image:
			links = append(links, mdLink{string(n.Destination), n.Pos()})
		}
		return ast.WalkContinue, nil
	})
	return links
}

// place returns the line and column of an offset of the body.
func (d *Document) place(at int) (line, column int) {
	before := d.Body[:max(0, min(at, len(d.Body)))]
	start := strings.LastIndexByte(before, '\n') + 1
	return d.BodyLine + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}
