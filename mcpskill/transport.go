// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill"
)

// transport makes the SDK's transport for an endpoint, with bounds on what comes.
func (o *Origin) transport(at Endpoint, listen bool) (mcp.Transport, error) {
	switch {
	case at.Transport != nil:
		return at.Transport, nil
	case at.URL != "":
		u, err := url.Parse(at.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("the URL of the MCP server %s is not one of http or https", skill.Sanitize(o.label))
		}
		return &mcp.StreamableClientTransport{
			Endpoint: at.URL, HTTPClient: newClient(at.Header, u), MaxRetries: -1,
			MaxEventSize: maxMessage, DisableStandaloneSSE: !listen,
		}, nil
	case len(at.Command) > 0:
		p, err := start(at)
		if err != nil {
			return nil, fmt.Errorf("starting the MCP server %s: %w", skill.Sanitize(o.label), err)
		}
		o.program = p
		return &mcp.IOTransport{Reader: p.out, Writer: p.in, MaxLineLength: maxMessage}, nil
	}
	return nil, fmt.Errorf("the MCP server %s has neither a URL nor a command", skill.Sanitize(o.label))
}

// newClient is a client that sends the headers to this server only, and takes from it
// no more than a bound.
func newClient(header http.Header, home *url.URL) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = 64 << 10
	t.ResponseHeaderTimeout = DefaultTimeout
	return &http.Client{
		Transport: &bounded{next: t, header: header.Clone(), home: home},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Scheme != home.Scheme || r.URL.Host != home.Host {
				return errors.New("the server redirects to another one, which is not followed (MCP-6)")
			}
			if len(via) > 3 {
				return errors.New("the server redirects again and again")
			}
			return nil
		},
	}
}

type bounded struct {
	next   http.RoundTripper
	header http.Header
	home   *url.URL
}

func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range b.header {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	// A stream of events has a bound for each of them. It is long-lived on purpose where
	// it was asked for by GET; an answer to a request is one message and its overhead.
	if r.Method != http.MethodGet {
		resp.Body = &limitedBody{resp.Body, 2 * maxMessage}
	}
	return resp, nil
}

// CloseIdleConnections lets the http.Client do so.
func (b *bounded) CloseIdleConnections() {
	if c, ok := b.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

var errFlood = errors.New("the server sends more than any answer can have")

func (l *limitedBody) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errFlood
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	return n, err
}

// A program is a server that was started for one connection.
type program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
	err *tail

	once sync.Once
}

// stopGrace is how long a program has to end when its input has.
const stopGrace = 2 * time.Second

func start(at Endpoint) (*program, error) {
	p := &program{err: &tail{}}
	p.cmd = exec.Command(at.Command[0], at.Command[1:]...)
	p.cmd.Dir, p.cmd.Stderr = at.Dir, p.err
	p.cmd.Env = append(os.Environ(), at.Env...)
	p.cmd.WaitDelay = stopGrace
	ownGroup(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// stop ends the program and what it has started.
func (p *program) stop() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		_ = p.in.Close()
		done := make(chan struct{})
		go func() { _ = p.cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(stopGrace):
		}
		killGroup(p.cmd)
		<-done
	})
}

// said is the end of what the program wrote to its standard error.
func (p *program) said() string {
	if p == nil {
		return ""
	}
	return strings.TrimSpace(skill.Sanitize(p.err.String()))
}

// tail keeps the last bytes that were written.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const maxTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-maxTail):]...)
	t.b = t.b[max(0, len(t.b)-maxTail):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
