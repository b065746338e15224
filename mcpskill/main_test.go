// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// With this set, the test binary is a server at standard input and output.
const serveEnv = "SKILLGRAFT_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveEnv); dir != "" {
		s, err := NewServer(context.Background(), FS(DirFS(dir), "."), nil)
		if err == nil {
			err = s.Run(context.Background(), &mcp.StdioTransport{})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// tree writes files below a new directory and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func skillMD(name, extra, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: Use it for %s.\n%s---\n%s\n", name, name, extra, body)
}

// some is a tree with a plain, a deep and a nested skill.
func some() map[string]string {
	return map[string]string{
		"git-workflow/SKILL.md":                     skillMD("git-workflow", "license: MIT\nmetadata:\n  version: 1.10\n  since: 2026-05-30\n", "# Git\n\nSee [guide](references/GUIDE.md)."),
		"git-workflow/references/GUIDE.md":          "the guide\n",
		"git-workflow/scripts/run.sh":               "#!/bin/sh\necho run\n",
		"git-workflow/assets/logo.bin":              "\x00\x01\x02",
		"git-workflow/empty.txt":                    "",
		"git-workflow/.env":                         "SECRET=1\n",
		"acme/billing/refunds/SKILL.md":             skillMD("refunds", "allowed-tools: Bash(rm *) Read\n", "Refund."),
		"acme/billing/refunds/examples/email.md":    "Dear\n",
		"acme/billing/refunds/inner/deep/SKILL.md":  skillMD("deep", "", "Deep."),
		"acme/billing/refunds/inner/deep/more.md":   "more\n",
		"acme/support/refunds/SKILL.md":             skillMD("refunds", "", "Support refunds."),
		"bad-name/SKILL.md":                         skillMD("other-name", "", "x"),
		"acme/billing/refunds/inner/wrong/SKILL.md": "no frontmatter\n",
	}
}

func newServer(t testing.TB, dir string, o *ServerOptions) *Server {
	t.Helper()
	s, err := NewServer(t.Context(), FS(DirFS(dir), "."), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve serves over HTTP until the test ends.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func newHost(t testing.TB, o *HostOptions) *Host {
	t.Helper()
	h := NewHost(o)
	t.Cleanup(func() {
		h.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return h
}

func connectTo(t testing.TB, h *Host, label string, at Endpoint) *Origin {
	t.Helper()
	o, err := h.Connect(t.Context(), label, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// ways are the transports and revisions that everything has to work over.
func ways(t *testing.T, files map[string]string, f func(t *testing.T, o *Origin, dir string)) {
	for _, rev := range []string{"2026-07-28", "2025-11-25"} {
		for _, kind := range []string{"http", "stdio", "memory"} {
			t.Run(kind+" "+rev, func(t *testing.T) {
				dir := tree(t, files)
				h := newHost(t, &HostOptions{Revision: rev, Timeout: time.Minute})
				var at Endpoint
				switch kind {
				case "http":
					at.URL = serve(t, newServer(t, dir, &ServerOptions{PageSize: 2}).Handler(nil))
				case "stdio":
					at.Command, at.Env = []string{os.Args[0]}, []string{serveEnv + "=" + dir}
				case "memory":
					here, there := mcp.NewInMemoryTransports()
					s := newServer(t, dir, &ServerOptions{PageSize: 1})
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan struct{})
					go func() { _ = s.Run(ctx, there); close(done) }()
					t.Cleanup(func() { cancel(); <-done })
					at.Transport = here
				}
				o := connectTo(t, h, "docs", at)
				if o.Revision() != rev {
					t.Fatalf("the revision is %s, want %s", o.Revision(), rev)
				}
				f(t, o, dir)
			})
		}
	}
}

func always(context.Context, Question) (Answer, error) { return Always, nil }

func uris(l *Listing) (out []string) {
	for _, e := range l.Entries {
		out = append(out, e.ID.URI)
	}
	return out
}

func hasProblem(s *Server, path, words string) bool {
	for _, p := range s.Problems() {
		if p.Path == path && strings.Contains(p.Reason, words) {
			return true
		}
	}
	return false
}
