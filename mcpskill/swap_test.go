// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Once approved is approved for these files: each change revokes it, and is shown.
func TestApprovalIsBoundToTheFiles(t *testing.T) {
	h := newHostile(t)
	file := filepath.Join(t.TempDir(), "state", "approvals.json")
	url := h.url(t)
	var asked []Question
	ask := func(_ context.Context, q Question) (Answer, error) { asked = append(asked, q); return Always, nil }
	load := func(label string, want int) *Loaded {
		t.Helper()
		asked = nil
		host := newHost(t, &HostOptions{Approvals: OpenApprovals(file)}) // as after a restart
		k, err := connectTo(t, host, label, Endpoint{URL: url}).Load(t.Context(), toolURI, ask)
		if err != nil {
			t.Fatal(err)
		}
		if len(asked) != want {
			t.Fatalf("asked %d times, want %d: %+v", len(asked), want, asked)
		}
		return k
	}
	load("docs", 1)
	if q := asked; len(q) != 1 || q[0].Changed || q[0].Entry.Wants()[0] != "allowed-tools: Bash" || q[0].Endpoint != url {
		t.Errorf("the question is %+v", q)
	}
	load("docs", 0)
	load("other", 1) // the same uri of another server is another skill (MCP-3)
	h.mu.Lock()
	h.files[refURI] = "another reference\n"
	h.mu.Unlock()
	load("docs", 1)
	if q := asked[0]; !q.Changed || len(q.Rewritten) != 1 || q.Rewritten[0] != "ref.md" {
		t.Errorf("the question does not say what changed: %+v", q)
	}
	h.mu.Lock()
	h.with(func(e obj) { e["resources"] = append(e["resources"].([]any), resourceOf("skill://tool/new.md", "new")) })
	h.mu.Unlock()
	load("docs", 1)
	if q := asked[0]; len(q.Added) != 1 || q.Added[0] != "new.md" {
		t.Errorf("the question does not say what was added: %+v", q)
	}
	if err := OpenApprovals(file).Forget("docs", url); err != nil {
		t.Fatal(err)
	}
	load("docs", 1)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read what was approved: %v %v", info.Mode(), err)
	}
}

func TestNoMeansNothingIsRead(t *testing.T) {
	h := newHostile(t)
	host := newHost(t, &HostOptions{Approvals: OpenApprovals(filepath.Join(t.TempDir(), "a.json"))})
	o := connectTo(t, host, "docs", memoryOf(t, h.server(t)))
	for _, ask := range []Ask{nil, func(context.Context, Question) (Answer, error) { return No, nil }} {
		_, err := o.Load(t.Context(), toolURI, ask)
		var denied *DeniedError
		if !errors.As(err, &denied) || h.reads != 0 {
			t.Errorf("%v, and %d files were read", err, h.reads)
		}
	}
	once := func(context.Context, Question) (Answer, error) { return Once, nil }
	if _, err := o.Load(t.Context(), toolURI, once); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Load(t.Context(), toolURI, nil); err == nil {
		t.Error("a yes for once was remembered")
	}
}

// The entry changes between approval and read: the user is asked about what is
// there then, and the window holds one entry.
func TestSwapAfterApproval(t *testing.T) {
	h := newHostile(t)
	o := connectTo(t, newHost(t, nil), "docs", memoryOf(t, h.server(t)))
	n := 0
	k, err := o.Load(t.Context(), toolURI, func(context.Context, Question) (Answer, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if n++; n == 1 {
			h.files[toolURI] = skillMD("tool", "allowed-tools: Bash\n", "Another body.")
		}
		return Once, nil
	})
	if err != nil || n != 2 || k.Body != "Another body.\n" {
		t.Fatalf("asked %d times, then %v", n, err)
	}
	n = 0
	_, err = o.Load(t.Context(), toolURI, func(context.Context, Question) (Answer, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		n++
		h.files[toolURI] = skillMD("tool", "allowed-tools: Bash\n", fmt.Sprint("Body ", n))
		return Once, nil
	})
	var changed *ChangedError
	if !errors.As(err, &changed) || changed.Now == nil {
		t.Fatalf("a skill that always changes gives %v", err)
	}
	// A file that the server has now and the held entry had not is refused.
	h.mu.Lock()
	h.files["skill://tool/new.md"] = poison
	h.mu.Unlock()
	for _, ref := range []string{"new.md", "skill://tool/new.md", "../other/SKILL.md", "/etc/passwd", "skill://other/SKILL.md", "file:///etc/passwd", "https://example.com/", "a/../../x", "%2e%2e/x"} {
		var bad *RuleError
		if b, err := k.Read(t.Context(), ref); !errors.As(err, &bad) || b != nil {
			t.Errorf("%s: %q, %v", ref, b, err)
		}
	}
	if b, err := k.Read(t.Context(), "./sub/../ref.md"); err != nil || string(b) != "the reference\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestDynamicIsDeclined(t *testing.T) {
	h := newHostile(t)
	h.with(func(e obj) { e["resources"] = "dynamic" })
	file := filepath.Join(t.TempDir(), "a.json")
	o := connectTo(t, newHost(t, &HostOptions{Approvals: OpenApprovals(file)}), "docs", memoryOf(t, h.server(t)))
	var bad *RuleError
	if _, err := o.Load(t.Context(), toolURI, always); !errors.As(err, &bad) || bad.Rule != "MCP-5" || h.reads > 0 {
		t.Errorf("%v", err)
	}
	asked := 0
	ask := func(context.Context, Question) (Answer, error) { asked++; return Always, nil }
	o = connectTo(t, newHost(t, &HostOptions{Approvals: OpenApprovals(file), AllowDynamic: true}), "docs", Endpoint{URL: h.url(t)})
	for range 2 {
		k, err := o.Load(t.Context(), toolURI, ask)
		if err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		h.files["skill://tool/big"] = strings.Repeat("x", MaxSize)
		h.mu.Unlock()
		if _, err := k.Read(t.Context(), "big"); !errors.As(err, &bad) || bad.Rule != "MCP-2" {
			t.Errorf("more than a skill may have was read: %v", err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times: an approval was held for what has no digests", asked)
	}
	h.mu.Lock()
	h.with(func(e obj) { e["resources"] = "dynamic"; field(e, "frontmatter")["description"] = "Harmless." })
	h.mu.Unlock()
	if _, err := o.Load(t.Context(), toolURI, always); !errors.As(err, &bad) || bad.Rule != "MCP-4" {
		t.Errorf("a dynamic skill with lying frontmatter: %v", err)
	}
}

// Restart: what was cached is used without the server, and only as it was put there.
func TestCacheIsVerifiedAtEachUse(t *testing.T) {
	h := newHostile(t)
	dir := filepath.Join(t.TempDir(), "cache")
	url := h.url(t)
	load := func(label string) (*Loaded, error) {
		return connectTo(t, newHost(t, &HostOptions{Cache: OpenCache(dir, 0)}), label, Endpoint{URL: url}).Load(t.Context(), toolURI, always)
	}
	if _, err := load("docs"); err != nil || h.reads != 1 {
		t.Fatal(h.reads, err)
	}
	if _, err := load("docs"); err != nil || h.reads != 1 {
		t.Fatalf("%d reads: the cache was not used (%v)", h.reads, err)
	}
	if _, err := load("other"); err != nil || h.reads != 2 {
		t.Fatalf("%d reads: a file of one server was used for another one (%v)", h.reads, err)
	}
	var files []string
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, p)
		}
		return err
	})
	if len(files) != 2 || !strings.Contains(files[0]+files[1], "docs~") || !strings.Contains(files[0]+files[1], "other~") || strings.Contains(files[0]+files[1], "SKILL.md"+string(filepath.Separator)+"SKILL.md") {
		t.Fatalf("the files are %q", files)
	}
	for _, f := range files {
		if filepath.Base(f) == mainFile {
			t.Errorf("%s would be found as a skill of the disk", f)
		}
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(f)
		b = []byte(strings.Replace(string(b), "The body.", "The BODY.", 1))
		if err := os.WriteFile(f, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	if k, err := load("docs"); err != nil || h.reads != 3 || k.Body != "The body.\n" {
		t.Fatalf("%d reads: a file that was edited by hand was used (%v)", h.reads, err)
	}
	if err := OpenCache(dir, 0).Forget("docs", url); err != nil {
		t.Fatal(err)
	}
	if _, err := load("docs"); err != nil || h.reads != 4 {
		t.Fatalf("%d reads: what was forgotten is still there (%v)", h.reads, err)
	}
	small := OpenCache(filepath.Join(t.TempDir(), "small"), 1000)
	for i := range 20 {
		b := []byte(strings.Repeat(fmt.Sprint(i%10), 100))
		if err := small.put("s", fmt.Sprint("skill://x/", i), Resource{Digest: digest(b), Size: 100}, b); err != nil {
			t.Fatal(err)
		}
	}
	var total int64
	_ = filepath.WalkDir(small.dir, func(_ string, d os.DirEntry, err error) error {
		if info, ierr := d.Info(); err == nil && ierr == nil && !d.IsDir() {
			total += info.Size()
		}
		return err
	})
	if total > 1100 || total == 0 {
		t.Errorf("a cache of 1000 bytes has %d", total)
	}
}

// Two servers, one uri: two skills, each from its own server.
func TestTwoServersOneURI(t *testing.T) {
	a, b := newHostile(t), newHostile(t)
	b.files[toolURI] = skillMD("tool", "allowed-tools: Bash\n", "The other one.")
	host := newHost(t, &HostOptions{Cache: OpenCache(filepath.Join(t.TempDir(), "c"), 0), Approvals: OpenApprovals(filepath.Join(t.TempDir(), "a"))})
	oa, ob := connectTo(t, host, "a", Endpoint{URL: a.url(t)}), connectTo(t, host, "b", Endpoint{URL: b.url(t)})
	for range 2 {
		ka, err := oa.Load(t.Context(), toolURI, always)
		if err != nil {
			t.Fatal(err)
		}
		kb, err := ob.Load(t.Context(), toolURI, always)
		if err != nil {
			t.Fatal(err)
		}
		if ka.Body != "The body.\n" || kb.Body != "The other one.\n" || ka.Entry.ID == kb.Entry.ID {
			t.Fatalf("%q %q", ka.Body, kb.Body)
		}
		wrapped := ka.Wrap("nonce")
		if !strings.Contains(wrapped, `origin="MCP server &quot;a&quot; at http://127.0.0.1`) || strings.Contains(wrapped, "github") {
			t.Errorf("the origin is not the host's own label: %s", wrapped)
		}
	}
}

// A server that dies, hangs at the start, floods or redirects costs itself.
func TestServersThatDoNotBehave(t *testing.T) {
	host := newHost(t, &HostOptions{Timeout: 500 * time.Millisecond})
	quick := newHost(t, nil)
	elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a request came to another server, with %q", r.Header.Get("X-Api-Key"))
	}))
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	for what, h := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is it seen that the client has left
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		},
		"breaks off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("{"))
		},
		"is a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
	} {
		t.Run(what, func(t *testing.T) {
			srv := httptest.NewServer(h)
			defer func() { srv.CloseClientConnections(); srv.Close() }()
			if o, err := host.Connect(t.Context(), "docs", Endpoint{URL: srv.URL, Header: http.Header{"X-Api-Key": {"secret"}}}); err == nil {
				o.Close()
				t.Error("it was connected to")
			}
		})
	}
	t.Run("has no skills", func(t *testing.T) {
		s := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
		if _, err := quick.Connect(t.Context(), "docs", memoryOf(t, s)); !errors.Is(err, ErrNoSkills) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("never answers a list", func(t *testing.T) {
		h := newHostile(t)
		h.hang = methodList
		o := connectTo(t, newHost(t, &HostOptions{Timeout: 500 * time.Millisecond}), "docs", Endpoint{URL: h.url(t)})
		if _, err := o.List(t.Context()); err == nil {
			t.Error("it answered")
		}
	})
	t.Run("dies at once", func(t *testing.T) {
		_, err := quick.Connect(t.Context(), "docs", Endpoint{Command: []string{os.Args[0]}, Env: []string{serveEnv + "=/nonexistent/place"}})
		if err == nil || !strings.Contains(err.Error(), "nonexistent") {
			t.Errorf("its last words are missing: %v", err)
		}
	})
	t.Run("does not exist", func(t *testing.T) {
		if _, err := quick.Connect(t.Context(), "docs", Endpoint{Command: []string{"/nonexistent/program"}}); err == nil {
			t.Error("it was started")
		}
	})
}
