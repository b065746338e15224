// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What HTTPOptions has by default.
const (
	DefaultMaxRequests = 512
	DefaultMaxBody     = 1 << 20
)

// HTTPOptions are the choices of [Server.Handler]. A nil pointer means the zero value.
type HTTPOptions struct {
	// Token is what a client has to send as a bearer token. Empty lets everyone in.
	Token string
	// Hosts are the names, without a port, by which the server may be called. Without
	// any, those of this machine itself: localhost and loopback addresses. "*" allows all,
	// for behind a proxy that checks them.
	Hosts []string
	// Origins are the web origins, such as "https://app.example.com", from whose pages
	// a browser may call. Requests without an Origin come from no page.
	Origins []string
	// MaxRequests is how many requests are worked on at once; others get a 503.
	MaxRequests int
	// MaxBody is the largest request in bytes.
	MaxBody int64
	// Ending is done when the server is about to stop: it then says at /healthz that it
	// does, and subscriptions end, which would otherwise keep it. Nil means never.
	Ending context.Context
}

// Handler serves MCP over streamable HTTP at every path but /healthz. It is stateless:
// each request stands for itself, so any number of processes can share the work.
func (s *Server) Handler(o *HTTPOptions) http.Handler {
	if o == nil {
		o = &HTTPOptions{}
	}
	g := &gate{opts: *o, secret: sha256.Sum256([]byte(o.Token))}
	if g.opts.MaxRequests <= 0 {
		g.opts.MaxRequests = DefaultMaxRequests
	}
	if g.opts.MaxBody <= 0 {
		g.opts.MaxBody = DefaultMaxBody
	}
	if g.opts.Ending == nil {
		g.opts.Ending = context.Background()
	}
	g.room = make(chan struct{}, g.opts.MaxRequests)
	g.next = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes:        g.opts.MaxBody,
		DisableLocalhostProtection: true, // the gate checks the host in every case
	})
	return g
}

// gate is what a request passes before it is read.
type gate struct {
	opts   HTTPOptions
	secret [sha256.Size]byte
	room   chan struct{}
	next   http.Handler
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		if g.opts.Ending.Err() != nil {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
		return
	}
	switch {
	case !g.hostAllowed(r.Host):
		http.Error(w, "this host name is not served here: start the server with --allow-host", http.StatusMisdirectedRequest)
		return
	case !g.originAllowed(r):
		http.Error(w, "pages of this origin may not call: start the server with --allow-origin", http.StatusForbidden)
		return
	case !g.tokenRight(r.Header.Get("Authorization")):
		w.Header().Set("WWW-Authenticate", `Bearer realm="skills"`)
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
		return
	}
	select {
	case g.room <- struct{}{}:
		defer func() { <-g.room }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(g.opts.Ending, cancel)()
		r = r.WithContext(ctx)
	}
	g.next.ServeHTTP(w, r)
}

func (g *gate) hostAllowed(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if len(g.opts.Hosts) == 0 {
		return isLoopback(host)
	}
	return slices.ContainsFunc(g.opts.Hosts, func(h string) bool { return h == "*" || strings.EqualFold(h, host) })
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// originAllowed keeps pages out that a user happens to look at.
func (g *gate) originAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	for _, o := range origins {
		if slices.ContainsFunc(g.opts.Origins, func(a string) bool { return strings.EqualFold(a, o) }) {
			continue
		}
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

func (g *gate) tokenRight(header string) bool {
	if g.opts.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(got[:], g.secret[:]) == 1
}
