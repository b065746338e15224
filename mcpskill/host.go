// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill"
)

// What HostOptions has by default.
const (
	DefaultTimeout   = 30 * time.Second
	DefaultMaxSkills = 50_000
	DefaultMaxList   = 256 << 20
)

// maxMessage bounds one message of a server in bytes: a file of [MaxSize] whose every
// byte is escaped in JSON, and something for what is around it.
const maxMessage = 6*MaxSize + 1<<20

// HostOptions are the choices of [NewHost]. A nil pointer means the zero value.
type HostOptions struct {
	// Version is told to servers.
	Version string
	// Cache keeps what was read and verified. Nil keeps nothing on disk.
	Cache *Cache
	// Approvals remembers what the user has approved. Nil asks each time.
	Approvals *Approvals
	// Timeout bounds each request to a server, and the connecting.
	Timeout time.Duration
	// MaxSkills and MaxList, in bytes, bound what is taken of one listing. What comes
	// after is left out, and reported.
	MaxSkills int
	MaxList   int64
	// AllowDynamic loads also skills without digests. Each load of one asks the user,
	// and nothing that is read of it is verified.
	AllowDynamic bool
	// Revision, if not empty, is the protocol revision to ask servers for.
	Revision string
	// Changed is called when a server says that its list is another one. It must not
	// wait.
	Changed func(label string)
	// Log may be nil.
	Log *slog.Logger
}

// A Host uses skills of servers. It is safe for concurrent use.
type Host struct {
	opts HostOptions

	mu      sync.Mutex
	origins map[*Origin]bool
}

// NewHost returns a host that is connected to nothing.
func NewHost(o *HostOptions) *Host {
	h := &Host{origins: map[*Origin]bool{}}
	if o != nil {
		h.opts = *o
	}
	if h.opts.Timeout <= 0 {
		h.opts.Timeout = DefaultTimeout
	}
	if h.opts.MaxSkills <= 0 {
		h.opts.MaxSkills = DefaultMaxSkills
	}
	if h.opts.MaxList <= 0 {
		h.opts.MaxList = DefaultMaxList
	}
	if h.opts.Log == nil {
		h.opts.Log = slog.New(slog.DiscardHandler)
	}
	return h
}

// Close ends all connections. A nil host has none.
func (h *Host) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	var all []*Origin
	for o := range h.origins {
		all = append(all, o)
	}
	h.mu.Unlock()
	for _, o := range all {
		o.Close()
	}
}

// An Endpoint is where a server is: a URL, or a command whose standard input and
// output are the wire.
type Endpoint struct {
	URL    string
	Header http.Header

	Command []string
	Env     []string // in addition to this process's own
	Dir     string

	// Transport, if not nil, is used instead: for servers in the same process.
	Transport mcp.Transport
}

// String is the endpoint without what may be secret: headers, the query and the
// user in a URL, a command's arguments.
func (e Endpoint) String() string {
	switch {
	case e.URL != "":
		s, _, _ := strings.Cut(e.URL, "?")
		if scheme, rest, ok := strings.Cut(s, "://"); ok {
			host, path, _ := strings.Cut(rest, "/")
			if i := strings.LastIndexByte(host, '@'); i >= 0 {
				host = host[i+1:]
			}
			s = scheme + "://" + strings.TrimSuffix(host+"/"+path, "/")
		}
		return s
	case len(e.Command) > 0:
		return e.Command[0]
	}
	return "in process"
}

// An Origin is one connected server. Everything that is read through it comes from
// that server and no other (MCP-6).
type Origin struct {
	host     *Host
	label    string
	endpoint string
	session  *mcp.ClientSession
	program  *program
	dirRead  bool

	closing sync.Once
}

// ErrNoSkills says that a server does not declare the Skills extension: nothing is
// asked of it.
var ErrNoSkills = errors.New("the server does not declare that it serves skills")

// Connect connects to a server. label is the host's own name of it, which identifies
// its skills: the same server has to have the same label each time, and no two servers
// one. A server that does not declare the extension is [ErrNoSkills].
func (h *Host) Connect(ctx context.Context, label string, at Endpoint) (*Origin, error) {
	if strings.TrimSpace(label) == "" {
		return nil, errors.New("an MCP server needs a label")
	}
	o := &Origin{host: h, label: label, endpoint: at.String()}
	ctx, cancel := context.WithTimeout(ctx, h.opts.Timeout)
	defer cancel()
	caps := &mcp.ClientCapabilities{}
	caps.AddExtension(Extension, nil)
	copts := &mcp.ClientOptions{Capabilities: caps, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	if changed := h.opts.Changed; changed != nil {
		copts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { changed(label) }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "skillgraft", Version: h.opts.Version}, copts)
	for _, err := range []error{
		mcp.AddSendingCustomMethod[*listParams, *listReply](client, methodList),
		mcp.AddSendingCustomMethod[*getParams, *getReply](client, methodGet),
		mcp.AddSendingCustomMethod[*directoryParams, *directoryReply](client, methodDirectory),
	} {
		if err != nil {
			return nil, err
		}
	}
	client.AddSendingMiddleware(uncached)
	t, err := o.transport(at, h.opts.Changed != nil)
	if err != nil {
		return nil, err
	}
	if o.session, err = connect(ctx, client, t, h.opts.Revision); err != nil {
		o.program.stop()
		return nil, fmt.Errorf("connecting to the MCP server %s at %s: %w", skill.Sanitize(label), skill.Sanitize(o.endpoint), o.explain(err))
	}
	settings, ok := extension(o.session.InitializeResult())
	if !ok {
		o.Close()
		return nil, fmt.Errorf("the MCP server %s: %w", skill.Sanitize(label), ErrNoSkills)
	}
	o.dirRead = settings["directoryRead"] == true
	h.mu.Lock()
	h.origins[o] = true
	h.mu.Unlock()
	return o, nil
}

// connect bounds the SDK's connecting by ctx, also where that waits for something else.
func connect(ctx context.Context, client *mcp.Client, t mcp.Transport, revision string) (*mcp.ClientSession, error) {
	type result struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan result, 1)
	go func() {
		s, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		done <- result{s, err}
	}()
	select {
	case r := <-done:
		return r.session, r.err
	case <-ctx.Done():
		go func() { // it ends when the transport does, which ctx ends
			if r := <-done; r.session != nil {
				_ = r.session.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func extension(r *mcp.InitializeResult) (settings map[string]any, ok bool) {
	if r == nil || r.Capabilities == nil {
		return nil, false
	}
	settings, ok = r.Capabilities.Extensions[Extension].(map[string]any)
	return settings, ok && r.Capabilities.Resources != nil
}

// uncached has the SDK keep no file: what a server says about how long bytes hold is
// no reason to use them (MCP-4).
func uncached(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		if read, ok := r.(*mcp.ReadResourceResult); ok && read != nil {
			read.TTLMs = 0
		}
		return r, err
	}
}

// Label is the host's name of the server.
func (o *Origin) Label() string { return o.label }

// Endpoint is where the server is, for people.
func (o *Origin) Endpoint() string { return o.endpoint }

// Revision is the protocol revision that was agreed on.
func (o *Origin) Revision() string { return o.session.InitializeResult().ProtocolVersion }

// Close ends the connection, and with it the server if it was started for it.
func (o *Origin) Close() {
	o.closing.Do(func() {
		o.host.mu.Lock()
		delete(o.host.origins, o)
		o.host.mu.Unlock()
		ended := make(chan struct{})
		go func() { _ = o.session.Close(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(2 * time.Second): // it does not let go
		}
		o.program.stop()
	})
}

func (o *Origin) explain(err error) error {
	if said := o.program.said(); said != "" {
		return fmt.Errorf("%w; it wrote: %s", err, said)
	}
	return err
}

func (o *Origin) fail(rule, uri, format string, args ...any) error {
	return &RuleError{Rule: rule, ID: ID{o.label, uri}, Reason: clean(format, args...)}
}
