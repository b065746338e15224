// SPDX-License-Identifier: Apache-2.0

// Package mcp measures skills over MCP: 10,000 of them listed and one read, against the
// bare SDK with static results, and requests over HTTP to one server and to two behind
// a plain reverse proxy.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/mcpskill"
)

const many = 10_000

func skills(b *testing.B, n int) string {
	dir := b.TempDir()
	for i := range n {
		name := fmt.Sprintf("skill-%05d", i)
		sub := filepath.Join(dir, name)
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: %s\ndescription: Use it when number %d is asked for.\n---\n%s\n", name, i, strings.Repeat("Do it well. ", 50))
		if err := os.WriteFile(filepath.Join(sub, "SKILL.md"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		old := time.Now().Add(-time.Hour) // a file that was just written is read again
		if err := os.Chtimes(filepath.Join(sub, "SKILL.md"), old, old); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func server(b *testing.B, dir string) *mcpskill.Server {
	s, err := mcpskill.NewServer(b.Context(), mcpskill.FS(mcpskill.DirFS(dir), "."), nil)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// A page is a static answer.
type page struct {
	sdk.ResultBase
	raw []byte
}

func (p *page) MarshalJSON() ([]byte, error) { return p.raw, nil }

type params struct {
	sdk.ParamsBase
	Cursor string `json:"cursor"`
	URI    string `json:"uri"`
}

// bare is the SDK with the same answers, made once.
func bare(b *testing.B, s *mcpskill.Server) *sdk.Server {
	all := s.Skills()
	pages := map[string]*page{}
	for i, cursor := 0, ""; i < len(all); i += mcpskill.DefaultPageSize {
		end := min(i+mcpskill.DefaultPageSize, len(all))
		next := ""
		if end < len(all) {
			next = fmt.Sprint(end)
		}
		raw, err := json.Marshal(map[string]any{"resultType": "complete", "skills": all[i:end], "nextCursor": next, "ttlMs": 1000, "cacheScope": "public"})
		if err != nil {
			b.Fatal(err)
		}
		pages[cursor] = &page{raw: raw}
		cursor = next
	}
	caps := &sdk.ServerCapabilities{Resources: &sdk.ResourceCapabilities{}}
	caps.AddExtension(mcpskill.Extension, nil)
	out := sdk.NewServer(&sdk.Implementation{Name: "bare", Version: "1"}, &sdk.ServerOptions{Capabilities: caps})
	if err := sdk.AddReceivingCustomMethod(out, "skills/list", func(_ context.Context, _ *sdk.ServerSession, p *params) (*page, error) {
		return pages[p.Cursor], nil
	}); err != nil {
		b.Fatal(err)
	}
	one, err := json.Marshal(map[string]any{"resultType": "complete", "skill": all[many/2], "ttlMs": 1000, "cacheScope": "public"})
	if err != nil {
		b.Fatal(err)
	}
	if err := sdk.AddReceivingCustomMethod(out, "skills/get", func(context.Context, *sdk.ServerSession, *params) (*page, error) { return &page{raw: one}, nil }); err != nil {
		b.Fatal(err)
	}
	text := fmt.Sprintf("---\nname: skill-%05d\ndescription: Use it when number %d is asked for.\n---\n%s\n", many/2, many/2, strings.Repeat("Do it well. ", 50))
	out.AddResource(&sdk.Resource{URI: all[many/2].URI, Name: "x"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: all[many/2].URI, Text: text}}}, nil
	})
	return out
}

// BenchmarkList lists 10,000 skills and loads one, with our host, over HTTP.
func BenchmarkList(b *testing.B) {
	dir := skills(b, many)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := server(b, dir)
	runtime.GC()
	runtime.ReadMemStats(&after)
	heap := float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
	bareServer := bare(b, s)
	for name, h := range map[string]http.Handler{
		"ours": s.Handler(nil),
		"bare": sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return bareServer }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
	} {
		b.Run(name, func(b *testing.B) {
			srv := httptest.NewServer(h)
			defer srv.Close()
			host := mcpskill.NewHost(nil)
			defer host.Close()
			o, err := host.Connect(b.Context(), "bench", mcpskill.Endpoint{URL: srv.URL})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				l, err := o.List(b.Context())
				if err != nil || len(l.Entries) != many {
					b.Fatal(err, l)
				}
				if _, err := o.Load(b.Context(), l.Entries[many/2].ID.URI, func(context.Context, mcpskill.Question) (mcpskill.Answer, error) { return mcpskill.Once, nil }); err != nil {
					b.Fatal(err)
				}
			}
			if name == "ours" {
				b.ReportMetric(heap, "MiB-index")
			}
		})
	}
	b.Run("first look", func(b *testing.B) {
		for b.Loop() {
			server(b, dir)
		}
	})
	b.Run("look again", func(b *testing.B) {
		for b.Loop() {
			if err := s.Refresh(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://skill-00050/SKILL.md","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"b","version":"1"}}}}`

// BenchmarkRequests reads one file over HTTP, from many clients at once.
func BenchmarkRequests(b *testing.B) {
	dir := skills(b, 100)
	one := httptest.NewServer(server(b, dir).Handler(nil))
	defer one.Close()
	two := httptest.NewServer(server(b, dir).Handler(nil))
	defer two.Close()
	var turn atomic.Int64
	var targets []*url.URL
	for _, s := range []*httptest.Server{one, two} {
		u, err := url.Parse(s.URL)
		if err != nil {
			b.Fatal(err)
		}
		targets = append(targets, u)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(targets[turn.Add(1)%2]) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	})
	defer proxy.Close()
	for name, at := range map[string]string{"one": one.URL, "two behind a proxy": proxy.URL} {
		b.Run(name, func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			defer client.CloseIdleConnections()
			var bad atomic.Int64
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					req, err := http.NewRequest(http.MethodPost, at, strings.NewReader(read))
					if err != nil {
						bad.Add(1)
						continue
					}
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("Accept", "application/json, text/event-stream")
					req.Header.Set("MCP-Protocol-Version", "2026-07-28")
					req.Header.Set("Mcp-Method", "resources/read")
					req.Header.Set("Mcp-Name", "skill://skill-00050/SKILL.md")
					resp, err := client.Do(req)
					if err != nil {
						bad.Add(1)
						continue
					}
					body, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "Do it well.") {
						bad.Add(1)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
			b.ReportMetric(float64(bad.Load()), "errors")
		})
	}
}
