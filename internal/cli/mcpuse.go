// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill"
)

// MCPUseOptions are the choices of the commands that look at a server.
type MCPUseOptions struct {
	JSON     bool
	Timeout  time.Duration
	Revision string

	// At and Words are what stands in the command line: a server, and what is asked.
	At    mcpskill.Endpoint
	Words []string
}

// AddFlags adds the flags.
func (o *MCPUseOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.AddServerFlags(f)
}

// AddServerFlags adds those about how a server is spoken to.
func (o *MCPUseOptions) AddServerFlags(f *pflag.FlagSet) {
	f.DurationVar(&o.Timeout, "timeout", mcpskill.DefaultTimeout, "wait so long for each answer")
	f.StringVar(&o.Revision, "revision", "", "speak this `REVISION` of the protocol, such as 2025-11-25 (default: the newest that both know)")
}

// Args takes a command line apart: a URL, or words and a command behind --. words is
// how many others belong to it.
func (o *MCPUseOptions) Args(cmd *cobra.Command, args []string, words int) error {
	own, command := args, []string(nil)
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		own, command = args[:at], args[at:]
	}
	if len(command) > 0 {
		o.At.Command = command
	} else if len(own) > 0 {
		o.At.URL, own = own[0], own[1:]
		if !strings.HasPrefix(o.At.URL, "http://") && !strings.HasPrefix(o.At.URL, "https://") {
			return Usagef("%q is no URL of http or https; a server that is a program stands behind --\nSee: %s --help", o.At.URL, cmd.CommandPath())
		}
		o.At.Header = mcpToken()
	}
	if o.At.URL == "" && len(o.At.Command) == 0 || len(own) != words {
		return Usagef("wrong arguments\nUsage: %s", cmd.UseLine())
	}
	o.Words = own
	return nil
}

// with connects, and gives the server to f.
func (o MCPUseOptions) with(ctx context.Context, f func(*mcpskill.Origin) error) error {
	h := mcpskill.NewHost(&mcpskill.HostOptions{Version: buildinfo.Read().Version, Timeout: o.Timeout, Revision: o.Revision, AllowDynamic: true})
	defer h.Close()
	origin, err := h.Connect(ctx, "server", o.At)
	if err == nil {
		defer origin.Close()
		err = f(origin)
	}
	var signal *SignalError
	if errors.As(context.Cause(ctx), &signal) {
		return Silent(signal.status())
	}
	return err
}

// mcpEntry is an entry for programs.
type mcpEntry struct {
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   any             `json:"resources"`
}

func entryJSON(e *mcpskill.Entry) mcpEntry {
	out := mcpEntry{URI: e.ID.URI, Name: e.Name, Frontmatter: e.Frontmatter, Resources: e.Resources}
	if e.Dynamic {
		out.Resources = "dynamic"
	}
	return out
}

// MCPList lists what a server lists. What breaks a rule is said on standard error, and
// makes the exit status 1.
func MCPList(ctx context.Context, o MCPUseOptions, std Streams) error {
	return o.with(ctx, func(origin *mcpskill.Origin) error {
		l, err := origin.List(ctx)
		if err != nil {
			return err
		}
		if o.JSON {
			out := struct {
				Revision string     `json:"revision"`
				Skills   []mcpEntry `json:"skills"`
				Problems []string   `json:"problems"`
				Partial  bool       `json:"partial"`
			}{origin.Revision(), []mcpEntry{}, []string{}, l.Partial}
			for _, e := range l.Entries {
				out.Skills = append(out.Skills, entryJSON(e))
			}
			for _, p := range l.Problems {
				out.Problems = append(out.Problems, p.Error())
			}
			err = WriteJSON(std.Out, out)
		} else {
			w := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
			for i, name := range mcpskill.Names(l.Entries) {
				e := l.Entries[i]
				files := fmt.Sprintf("%d files, %d bytes", len(e.Resources), e.Size())
				if e.Dynamic {
					files = "dynamic"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", skill.Sanitize(name), skill.Sanitize(e.ID.URI), files, e.DisplayDescription())
			}
			err = w.Flush()
			for _, p := range l.Problems {
				fmt.Fprintln(std.Err, p)
			}
		}
		if err == nil && len(l.Problems) > 0 {
			err = Silent(ExitFailure)
		}
		return err
	})
}

// MCPGet shows the entry of one skill.
func MCPGet(ctx context.Context, o MCPUseOptions, std Streams) error {
	return o.with(ctx, func(origin *mcpskill.Origin) error {
		e, err := origin.Get(ctx, o.Words[0])
		if err != nil {
			return err
		}
		if o.JSON {
			return WriteJSON(std.Out, entryJSON(e))
		}
		fmt.Fprintf(std.Out, "%s\n%s\n", skill.Sanitize(e.ID.URI), e.DisplayDescription())
		for _, want := range e.Wants() {
			fmt.Fprintf(std.Out, "asks for %s, which a host does not grant by itself (MCP-6)\n", skill.Sanitize(want))
		}
		if e.Dynamic {
			fmt.Fprintln(std.Out, "dynamic: no digests")
		}
		for i, f := range e.Files() {
			fmt.Fprintf(std.Out, "%s %9d %s\n", e.Resources[i].Digest, e.Resources[i].Size, skill.Sanitize(f))
		}
		return nil
	})
}

// MCPRead writes the bytes of one resource, as they come.
func MCPRead(ctx context.Context, o MCPUseOptions, std Streams) error {
	return o.with(ctx, func(origin *mcpskill.Origin) error {
		b, err := origin.ReadUnverified(ctx, o.Words[0])
		if err != nil {
			return err
		}
		if o.JSON {
			return WriteJSON(std.Out, struct {
				URI    string `json:"uri"`
				Size   int    `json:"size"`
				Digest string `json:"digest"`
				Bytes  []byte `json:"bytes"`
			}{o.Words[0], len(b), mcpskill.Digest(b), b})
		}
		_, err = std.Out.Write(b)
		return err
	})
}

// mcpVerdict is what MCPVerify found out about a skill.
type mcpVerdict struct {
	URI      string   `json:"uri"`
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Problems []string `json:"problems"`
}

// MCPVerify reads every file of every skill and checks it against its entry, as a host
// does when it uses them. Nothing is kept, and nothing is approved.
func MCPVerify(ctx context.Context, o MCPUseOptions, std Streams) error {
	return o.with(ctx, func(origin *mcpskill.Origin) error {
		l, err := origin.List(ctx)
		if err != nil {
			return err
		}
		yes := func(context.Context, mcpskill.Question) (mcpskill.Answer, error) { return mcpskill.Once, nil }
		all, bad := []mcpVerdict{}, 0
		for _, p := range l.Problems {
			all = append(all, mcpVerdict{URI: p.ID.URI, Problems: []string{p.Error()}})
		}
		for _, e := range l.Entries {
			v := mcpVerdict{URI: e.ID.URI, Problems: []string{}}
			k, err := origin.Load(ctx, e.ID.URI, yes)
			if err == nil {
				for _, f := range k.Entry.Files() {
					var b []byte
					if b, err = k.Read(ctx, f); err != nil {
						break
					}
					v.Files++
					v.Bytes += int64(len(b))
				}
				k.Close()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				v.Problems = append(v.Problems, err.Error())
			}
			all = append(all, v)
		}
		for _, v := range all {
			bad += min(len(v.Problems), 1)
		}
		if o.JSON {
			if err := WriteJSON(std.Out, all); err != nil {
				return err
			}
		} else {
			writeVerdicts(std.Out, all)
		}
		if bad > 0 {
			return Silent(ExitFailure)
		}
		return nil
	})
}

func writeVerdicts(w io.Writer, all []mcpVerdict) {
	for _, v := range all {
		if len(v.Problems) == 0 {
			fmt.Fprintf(w, "ok    %s  %d files, %d bytes\n", skill.Sanitize(v.URI), v.Files, v.Bytes)
			continue
		}
		for _, p := range v.Problems {
			fmt.Fprintf(w, "FAIL  %s  %s\n", skill.Sanitize(v.URI), skill.Sanitize(p))
		}
	}
}
