// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/modeltools"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/trust"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// MCPToolsOptions are the choices of the mcp-tools command: what a session sees.
type MCPToolsOptions struct {
	Choices
	Workspace  string
	Additional []string
	Folders    []string
	Trusted    []string
}

// AddFlags adds the flags.
func (o *MCPToolsOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Workspace, "workspace", "", "the session's working `DIR`ectory (default: here)")
	f.StringArrayVar(&o.Additional, "additional", nil, "an additional `DIR`ectory of the session; may be repeated")
	f.StringArrayVar(&o.Folders, "folder", nil, "look in this `FOLDER` of each directory, in place of .agents/skills and .claude/skills; may be repeated")
	f.StringArrayVar(&o.Trusted, "trusted", nil, "trust this workspace `DIR`, whatever the list says; may be repeated")
	o.AddRootFlags(f)
	o.AddTrustFlag(f)
}

// ModelServer is the command line of mcp-tools for a session, which [graft] has the
// agent start. Agents are free to give such a program next to nothing of their
// environment, so what says where the user's files are goes along.
func (c Choices) modelServer(exe string, where catalog.Options) func(graft.ModelSession) graft.ModelServer {
	return func(about graft.ModelSession) graft.ModelServer {
		args := []string{"mcp-tools", "--trust=" + c.Trust.String()}
		if !c.UserSkills {
			args = append(args, "--"+userSkills+"=false")
		}
		add := func(flag string, values ...string) {
			for _, v := range values {
				args = append(args, "--"+flag+"="+v) // one argument: a value may begin with a dash
			}
		}
		add("workspace", about.Workspace[0])
		add("additional", about.Workspace[1:]...)
		add("root", where.Extra...)
		add("folder", about.Folders...)
		add("trusted", about.Trusted...)
		server := graft.ModelServer{Command: exe, Args: args}
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "USERPROFILE", "APPDATA"} {
			if value, ok := os.LookupEnv(name); ok {
				server.Env = append(server.Env, name+"="+value)
			}
		}
		return server
	}
}

// MCPTools offers a session's skills to a model on the streams, until the peer
// leaves.
func MCPTools(ctx context.Context, o MCPToolsOptions, std Streams, log *slog.Logger) error {
	where, err := o.catalog(log)
	if err != nil {
		return err
	}
	store := catalog.NewStore(nil)
	defer func() { _ = store.Close() }()
	server, err := modeltools.New(ctx, &modeltools.Options{Catalog: where, Store: store, Version: buildinfo.Read().Version, Log: log})
	if err != nil {
		return err
	}
	defer server.Close()
	stream := newStdio(std)
	err = server.Run(ctx, &mcp.IOTransport{Reader: stream.PipeReader, Writer: writeOnly{std.Out}})
	var signal *SignalError
	if errors.As(context.Cause(ctx), &signal) {
		return Silent(signal.status())
	}
	return err
}

func (o MCPToolsOptions) catalog(log *slog.Logger) (catalog.Options, error) {
	where, err := o.Choices.Catalog()
	if err != nil {
		return where, err
	}
	cwd, err := directory("--workspace", o.Workspace)
	if err != nil {
		return where, err
	}
	// What is missing of the rest is looked at again when it is there, as in the
	// session itself.
	additional, err := absolutes(o.Additional)
	if err != nil {
		return where, err
	}
	where.Workspace = append([]string{cwd}, additional...)
	where.ClientFolders = o.Folders
	known := o.trusts(func(err error) { log.Warn("no workspace is trusted", "error", err) })
	var named []string
	for _, dir := range o.Trusted {
		if real, err := trust.Canonical(dir); err == nil {
			named = append(named, real)
		}
	}
	where.Trusted = func(dir string) bool {
		return o.Trust != trust.Never && slices.Contains(named, dir) || known(dir)
	}
	return where, nil
}

// writeOnly is a stream that stays open for who comes after.
type writeOnly struct{ io.Writer }

func (writeOnly) Close() error { return nil }
