// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// MCPTokenEnv names the environment variable with the bearer token: of our server the
// one that it wants, of a server that we use the one that it gets. A command line is
// for everyone on the machine to read.
const MCPTokenEnv = "SKILLGRAFT_MCP_TOKEN"

// MCPServeOptions are the choices of the mcp command.
type MCPServeOptions struct {
	Roots   []string
	HTTP    string
	Prefix  string
	Hosts   []string
	Origins []string
	TTL     time.Duration
	Private bool
	Drain   time.Duration
}

// AddFlags adds the flags.
func (o *MCPServeOptions) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Roots, "root", nil, "serve every skill below this `DIR`; may be repeated (default: what \"skillgraft list\" finds here)")
	f.StringVar(&o.HTTP, "http", "", "serve over HTTP at this `ADDR`ess, such as 127.0.0.1:8000, in place of standard input and output")
	f.StringVar(&o.Prefix, "prefix", "", "put this `NAME` before every skill's path")
	f.StringArrayVar(&o.Hosts, "allow-host", nil, "with --http: answer to this host `NAME`, too, or to any with \"*\"; may be repeated (default: this machine's own)")
	f.StringArrayVar(&o.Origins, "allow-origin", nil, "with --http: let pages of this web `ORIGIN` call; may be repeated (default: none)")
	f.DurationVar(&o.TTL, "ttl", mcpskill.DefaultTTL, "tell clients that a listing holds so long")
	f.BoolVar(&o.Private, "private", false, "tell proxies on the way to keep nothing")
	f.DurationVar(&o.Drain, "drain", 10*time.Second, "with --http: at the end, wait so long for requests that are being answered")
}

// MCPServe serves skills over MCP until the peer leaves or ctx ends.
func MCPServe(ctx context.Context, o MCPServeOptions, std Streams, log *slog.Logger) error {
	source, done, err := o.source(ctx)
	if err != nil {
		return err
	}
	defer done()
	server, err := mcpskill.NewServer(ctx, source, &mcpskill.ServerOptions{
		Version: buildinfo.Read().Version, Prefix: o.Prefix, TTL: o.TTL, Private: o.Private, Log: log,
	})
	if err != nil {
		return Usagef("%w", err)
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { defer close(watched); server.Watch(watching) }()
	defer func() { stop(); <-watched }()
	if o.HTTP == "" {
		stream := newStdio(std)
		err = server.Run(ctx, &mcp.IOTransport{Reader: stream.PipeReader, Writer: writeOnly{std.Out}})
	} else {
		err = o.serveHTTP(ctx, server, std)
	}
	var signal *SignalError
	if errors.As(context.Cause(ctx), &signal) {
		return Silent(signal.status())
	}
	return err
}

func (o MCPServeOptions) source(ctx context.Context) (mcpskill.Source, func(), error) {
	if len(o.Roots) > 0 {
		var all []mcpskill.Source
		for _, root := range o.Roots {
			dir, err := directory("--root", root)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, mcpskill.FS(mcpskill.DirFS(dir), "."))
		}
		return mcpskill.Join(all...), func() {}, nil
	}
	where, err := Choices{UserSkills: true}.Catalog()
	if err != nil {
		return nil, nil, err
	}
	cwd, err := directory("", "")
	if err != nil {
		return nil, nil, err
	}
	where.Workspace = []string{cwd}
	store := catalog.NewStore(nil)
	cat, err := store.Open(ctx, where)
	if err != nil {
		_ = store.Close()
		return nil, nil, err
	}
	return mcpskill.Catalog(cat), func() { _ = cat.Close(); _ = store.Close() }, nil
}

// serveHTTP serves until ctx ends; then it takes no new requests, and those that are
// being answered have time to end.
func (o MCPServeOptions) serveHTTP(ctx context.Context, server *mcpskill.Server, std Streams) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.HTTP)
	if err != nil {
		return fmt.Errorf("the address %q cannot be listened at: %w; choose another one with --http", o.HTTP, err)
	}
	token := os.Getenv(MCPTokenEnv)
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && token == "" {
		fmt.Fprintf(std.Err, "warning: everyone who reaches %s can read these skills; set %s to a secret to have clients show it\n", l.Addr(), MCPTokenEnv)
	}
	srv := &http.Server{
		Handler:           server.Handler(&mcpskill.HTTPOptions{Token: token, Hosts: o.Hosts, Origins: o.Origins, Ending: ctx}),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	fmt.Fprintf(std.Err, "serving %d skills at http://%s\n", len(server.Skills()), l.Addr())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(o.Drain, 0))
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		_ = srv.Close()
	}
	<-ended
	return nil
}

// mcpToken is the header that a server of --http wants.
func mcpToken() http.Header {
	h := http.Header{}
	if token := strings.TrimSpace(os.Getenv(MCPTokenEnv)); token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return h
}
