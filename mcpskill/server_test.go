// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestServedAndUsed(t *testing.T) {
	ways(t, some(), func(t *testing.T, o *Origin, dir string) {
		l, err := o.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"skill://acme/billing/refunds/SKILL.md", "skill://acme/billing/refunds/inner/deep/SKILL.md",
			"skill://acme/support/refunds/SKILL.md", "skill://git-workflow/SKILL.md",
		}
		if d := cmp.Diff(want, uris(l)); d != "" || len(l.Problems) > 0 || l.Partial {
			t.Fatalf("listed (-want +got):\n%s\nproblems %v", d, l.Problems)
		}
		if d := cmp.Diff([]string{"acme/billing/refunds", "deep", "acme/support/refunds", "git-workflow"}, Names(l.Entries)); d != "" {
			t.Errorf("names (-want +got):\n%s", d)
		}
		for _, e := range l.Entries {
			got, err := o.Get(t.Context(), e.ID.URI)
			if err != nil || got.Set() != e.Set() || string(got.Frontmatter) != string(e.Frontmatter) {
				t.Errorf("get of %s: %v, %+v", e.ID.URI, err, got)
			}
			k, err := o.Load(t.Context(), e.ID.URI, always)
			if err != nil {
				t.Fatalf("load of %s: %v", e.ID.URI, err)
			}
			for i, f := range e.Files() {
				b, err := k.Read(t.Context(), f)
				if err != nil {
					t.Fatalf("read of %s: %v", f, err)
				}
				disk, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(e.Resources[i].URI, "skill://"))))
				if err != nil || !bytes.Equal(b, disk) {
					t.Errorf("%s came as %q, on disk is %q (%v)", f, b, disk, err)
				}
			}
			k.Close()
			if _, err := k.Read(t.Context(), "SKILL.md"); err == nil {
				t.Error("a file was read after the acting window had ended")
			}
		}
		if e := l.Entries[3]; !slices.Equal(e.Files(), []string{"SKILL.md", "assets/logo.bin", "empty.txt", "references/GUIDE.md", "scripts/run.sh"}) {
			t.Errorf("files %q: hidden ones do not belong, the others do", e.Files())
		}
		for _, uri := range []string{
			"skill://git-workflow/nothing", "skill://git-workflow/.env", "skill://git-workflow/references/../SKILL.md",
			"skill://git-workflow/%53KILL.md", "skill://git-workflow/%2e%2e/acme/support/refunds/SKILL.md", "file:///etc/passwd", "skill://", "skill://git-workflow",
		} {
			_, err := bound(t.Context(), o, "resources/read", func(ctx ctxType) (any, error) { return o.session.ReadResource(ctx, readParams(uri)) })
			wantCode(t, "reading "+uri, err, jsonrpc.CodeInvalidParams)
			_, err = call[*getReply](t.Context(), o, methodGet, &getParams{URI: uri})
			wantCode(t, "getting "+uri, err, jsonrpc.CodeInvalidParams)
		}
		for uri, want := range map[string][]string{
			"skill://git-workflow":            {"skill://git-workflow/SKILL.md", "skill://git-workflow/assets inode/directory", "skill://git-workflow/empty.txt", "skill://git-workflow/references inode/directory", "skill://git-workflow/scripts inode/directory"},
			"skill://git-workflow/references": {"skill://git-workflow/references/GUIDE.md"},
			"skill://acme":                    {"skill://acme/billing inode/directory", "skill://acme/support inode/directory"},
		} {
			members, err := o.Directory(t.Context(), uri)
			var got []string
			for _, m := range members {
				s := m.URI
				if m.MIMEType == directoryType {
					s += " " + m.MIMEType
				}
				got = append(got, s)
			}
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("directory %s (-want +got):\n%s%v", uri, d, err)
			}
		}
		for _, uri := range []string{"skill://git-workflow/SKILL.md", "skill://git-workflow/", "skill://git-workflow/nothing", "skill://"} {
			_, err := call[*directoryReply](t.Context(), o, methodDirectory, &directoryParams{URI: uri})
			wantCode(t, "directory "+uri, err, jsonrpc.CodeInvalidParams)
		}
	})
}

func wantCode(t *testing.T, what string, err error, code int64) {
	t.Helper()
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s gives %v, want an error with code %d", what, err, code)
	}
}

func TestNotServedIsReported(t *testing.T) {
	files := some()
	files["over/SKILL.md"] = skillMD("over", "", "x")
	for i := range MaxFiles {
		files[fmt.Sprintf("over/f/%03d.txt", i)] = "x"
	}
	files["full/SKILL.md"] = skillMD("full", "", "x")
	for i := range MaxFiles - 1 {
		files[fmt.Sprintf("full/f/%03d.txt", i)] = "x"
	}
	dir := tree(t, files)
	main := skillMD("heavy", "", "x")
	write(t, filepath.Join(dir, "heavy/SKILL.md"), main)
	write(t, filepath.Join(dir, "heavy/blob.bin"), strings.Repeat("x", MaxSize-len(main)+1))
	main = skillMD("brim", "", "x")
	write(t, filepath.Join(dir, "brim/SKILL.md"), main)
	write(t, filepath.Join(dir, "brim/blob.bin"), strings.Repeat("x", MaxSize-len(main)))
	secret := filepath.Join(tree(t, map[string]string{"secret": "s"}), "secret")
	for link, target := range map[string]string{"git-workflow/leak.md": secret, "git-workflow/inside.md": "references/GUIDE.md", "git-workflow/up": "../acme"} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip("this system makes no links: ", err)
		}
	}
	s := newServer(t, dir, nil)
	for path, words := range map[string]string{
		"bad-name": "bad-name", "over": "more than 512 files", "heavy": "more than 16777216 bytes", "git-workflow": "leak.md",
		"acme/billing/refunds/inner/wrong": "stays a file of",
	} {
		if !hasProblem(s, path, words) {
			t.Errorf("nothing is said about %s and %q: %v", path, words, s.Problems())
		}
	}
	var listed []string
	for _, k := range s.Skills() {
		listed = append(listed, k.URI)
		for _, r := range k.Resources {
			if strings.Contains(r.URI, "leak") || strings.Contains(r.URI, "/up") {
				t.Errorf("%s leaves the skill and is served", r.URI)
			}
		}
	}
	for _, name := range []string{"full", "brim", "git-workflow"} {
		if !slices.Contains(listed, "skill://"+name+"/SKILL.md") {
			t.Errorf("%s is not served: %v", name, s.Problems())
		}
	}
	if slices.Contains(listed, "skill://over/SKILL.md") || slices.Contains(listed, "skill://heavy/SKILL.md") {
		t.Errorf("a skill over the limits is served: %v", listed)
	}
	if _, ok := s.now.Load().byFile["skill://git-workflow/inside.md"]; !ok {
		t.Error("a link to a file inside of the skill is not served")
	}
}

// What stands on the wire, by revision: the newer fields are in the newer one only.
func TestFieldsByRevision(t *testing.T) {
	url := serve(t, newServer(t, tree(t, some()), nil).Handler(nil))
	modern := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	for _, c := range []struct {
		method, params string
		fresh          bool
	}{
		{"skills/list", "", true},
		{"skills/get", `"uri":"skill://git-workflow/SKILL.md"`, true},
		{"resources/list", "", true},
		{"resources/templates/list", "", true},
		{"resources/read", `"uri":"skill://git-workflow/empty.txt"`, true},
		{"resources/directory/read", `"uri":"skill://git-workflow"`, false},
	} {
		for _, rev := range []string{"2026-07-28", "2025-11-25"} {
			params := c.params
			if rev == revision {
				params = strings.TrimPrefix(params+`,"_meta":`+modern, ",")
			}
			req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, c.method, params)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("MCP-Protocol-Version", rev)
			req.Header.Set("Mcp-Method", c.method)
			if c.method == "resources/read" {
				req.Header.Set("Mcp-Name", "skill://git-workflow/empty.txt")
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Result map[string]json.RawMessage
			}
			if err := json.Unmarshal(body, &got); err != nil || got.Result == nil {
				t.Fatalf("%s in %s: %s %v", c.method, rev, body, err)
			}
			for field, want := range map[string]bool{"resultType": rev == revision, "ttlMs": rev == revision && c.fresh, "cacheScope": rev == revision && c.fresh} {
				if _, has := got.Result[field]; has != want {
					t.Errorf("%s in %s: %s is there: %v, want %v\n%s", c.method, rev, field, has, want, body)
				}
			}
			if c.method == "resources/read" && !bytes.Contains(body, []byte(`"text":""`)) {
				t.Errorf("an empty file has no text: %s", body)
			}
		}
	}
}

func TestChangesAreTold(t *testing.T) {
	for _, rev := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(rev, func(t *testing.T) {
			dir := tree(t, some())
			s := newServer(t, dir, nil)
			told := make(chan string, 16)
			h := newHost(t, &HostOptions{Revision: rev, Changed: func(label string) { told <- label }})
			o := connectTo(t, h, "docs", memory(t, s))
			before, err := o.Get(t.Context(), "skill://git-workflow/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "git-workflow/references/GUIDE.md"), "another guide\n")
			deadline := time.After(time.Minute)
			for len(told) == 0 {
				if err := s.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				select {
				case label := <-told:
					told <- label
				case <-time.After(20 * time.Millisecond):
				case <-deadline:
					t.Fatal("nobody was told of a change")
				}
			}
			after, err := o.Get(t.Context(), "skill://git-workflow/SKILL.md")
			if err != nil || after.Set() == before.Set() {
				t.Fatalf("the set of files is the same after a change (%v)", err)
			}
		})
	}
}

// A file that is edited without its time or size telling is served as it is, and
// the entry follows.
func TestReadSeesWhatTheIndexMissed(t *testing.T) {
	dir := tree(t, some())
	file := filepath.Join(dir, "git-workflow/references/GUIDE.md")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, dir, nil)
	write(t, file, "THE GUIDE\n")
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	o := connectTo(t, newHost(t, nil), "docs", memory(t, s))
	b, err := o.ReadUnverified(t.Context(), "skill://git-workflow/references/GUIDE.md")
	if err != nil || string(b) != "THE GUIDE\n" {
		t.Fatalf("got %q, %v", b, err)
	}
}

func TestCursorsAreStable(t *testing.T) {
	dir := tree(t, some())
	a, b := newServer(t, dir, &ServerOptions{PageSize: 2}), newServer(t, dir, &ServerOptions{PageSize: 2})
	first, err := a.list(t.Context(), nil, nil)
	if err != nil || first.NextCursor == "" {
		t.Fatal(first, err)
	}
	write(t, filepath.Join(dir, "aaa/SKILL.md"), skillMD("aaa", "", "x"))
	if err := b.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := b.list(t.Context(), nil, &listParams{Cursor: first.NextCursor})
	if err != nil || len(second.Skills) != 2 || !bytes.Contains(second.Skills[0], []byte("acme/support/refunds")) {
		t.Fatalf("another process, with another list, went on with %s, %v", second.Skills, err)
	}
	if _, err := a.list(t.Context(), nil, &listParams{Cursor: "!"}); err == nil {
		t.Error("a cursor of somebody else is taken")
	}
}

func TestSourcesOfOwn(t *testing.T) {
	fsys := fstest.MapFS{
		"skills/one/SKILL.md": {Data: []byte(skillMD("one", "", "x"))},
		"two/SKILL.md":        {Data: []byte(skillMD("two", "", "x"))},
		"gen/SKILL.md":        {Data: []byte(skillMD("gen", "", "x"))},
		"hid/SKILL.md":        {Data: []byte(skillMD("hid", "", "x"))},
	}
	sub := func(dir string) Bundle {
		f, err := fsys.Sub(dir)
		if err != nil {
			t.Fatal(err)
		}
		return Bundle{Path: dir, Files: f}
	}
	gen, hid := sub("gen"), sub("hid")
	gen.Dynamic, hid.Unlisted = true, true
	s, err := NewServer(t.Context(), Join(FS(fsys, "skills"), func(ctxType) ([]Bundle, error) { return []Bundle{sub("two"), sub("two"), gen, hid}, nil }), &ServerOptions{Prefix: "team"})
	if err != nil {
		t.Fatal(err)
	}
	o := connectTo(t, newHost(t, &HostOptions{AllowDynamic: true}), "docs", memory(t, s))
	l, err := o.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"skill://team/gen/SKILL.md", "skill://team/one/SKILL.md", "skill://team/two/SKILL.md"}, uris(l)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if !hasProblem(s, "team/two", "another skill") {
		t.Errorf("two skills of one path are not reported: %v", s.Problems())
	}
	for _, uri := range []string{"skill://team/hid/SKILL.md", "skill://team/gen/SKILL.md"} {
		if k, err := o.Load(t.Context(), uri, always); err != nil || k.Body == "" {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := NewServer(t.Context(), FS(fsys, "."), &ServerOptions{Prefix: "../x"}); err == nil {
		t.Error("a prefix that leads up is taken")
	}
}

func TestGate(t *testing.T) {
	s := newServer(t, tree(t, some()), nil)
	const body = `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{}}`
	url := serve(t, s.Handler(&HTTPOptions{Token: "right", Origins: []string{"https://app.example.com"}, MaxBody: 4096}))
	for _, c := range []struct {
		what, host, origin, auth, body string
		want                           int
	}{
		{"all right", "", "", "Bearer right", body, 200},
		{"no token", "", "", "", body, 401},
		{"a wrong token", "", "", "Bearer wrong", body, 401},
		{"another scheme", "", "", "Basic right", body, 401},
		{"another host", "evil.example.com", "", "Bearer right", body, 421},
		{"a page of another origin", "", "https://evil.example.com", "Bearer right", body, 403},
		{"a page of no origin", "", "null", "Bearer right", body, 403},
		{"a page that may", "", "https://app.example.com", "Bearer right", body, 200},
		{"too much", "", "", "Bearer right", body + strings.Repeat(" ", 5000), 413},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		if c.auth != "" {
			req.Header.Set("Authorization", c.auth)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.what, resp.StatusCode, c.want)
		}
	}
	h := newHost(t, nil)
	if _, err := h.Connect(t.Context(), "docs", Endpoint{URL: url}); err == nil {
		t.Error("a host without the token was let in")
	}
	o := connectTo(t, h, "docs", Endpoint{URL: url, Header: http.Header{"Authorization": {"Bearer right"}}})
	if l, err := o.List(t.Context()); err != nil || len(l.Entries) != 4 {
		t.Errorf("%v, %v", l, err)
	}
}
