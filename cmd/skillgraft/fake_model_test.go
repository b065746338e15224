// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// useServers is what an agent's model does with the servers of a session: it looks
// at the tools and activates a skill, twice. What it gets comes as text.
func useServers(raw json.RawMessage, name string) string {
	var servers []struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Env     []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"env"`
	}
	if err := json.Unmarshal(raw, &servers); len(raw) > 0 && err != nil {
		return err.Error()
	}
	if len(servers) == 0 {
		return "no servers"
	}
	var out strings.Builder
	for _, s := range servers {
		fmt.Fprintf(&out, "server %s %s\n", s.Type, s.Name)
		cmd := exec.Command(s.Command, s.Args...)
		cmd.Dir = os.TempDir() // agents start it anywhere, and with next to no environment
		cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
		for _, e := range s.Env {
			cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
		}
		cmd.Stderr = os.Stderr
		if err := useServer(&out, cmd, name, "", false); err != nil {
			fmt.Fprintln(&out, err)
		}
	}
	return out.String()
}

// useServer connects to a server, says which tools it has, and calls them.
func useServer(out *strings.Builder, cmd *exec.Cmd, name, file string, schemas bool) error {
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "fake", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	sort.Slice(list.Tools, func(i, j int) bool { return list.Tools[i].Name < list.Tools[j].Name })
	for _, t := range list.Tools {
		fmt.Fprintf(out, "tool %s\n", t.Name)
		if schemas {
			schema, err := json.Marshal(t.InputSchema)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n%s\n", t.Description, schema)
		}
	}
	call := func(tool string, args map[string]any) error {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return err
		}
		for _, c := range r.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				fmt.Fprintf(out, "error=%v %s\n", r.IsError, t.Text)
			}
		}
		return nil
	}
	if len(list.Tools) == 0 || name == "" {
		return nil
	}
	for range 2 {
		if err := call("activate_skill", map[string]any{"name": name}); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	return call("read_skill_file", map[string]any{"name": name, "path": file})
}

// model NAME FILE COMMAND ARGS... is a model that uses a server: it activates the
// skill and reads the file, either may be "-". What it gets goes to the file "out".
func modelUses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: model name file command args...")
	}
	for i := range 2 {
		if args[i] == "-" {
			args[i] = ""
		}
	}
	path, err := lookPath(ts, args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "USERPROFILE", "PATH", "TMPDIR", "SystemRoot", "GORACE"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var out strings.Builder
	ts.Check(useServer(&out, cmd, args[0], args[1], true))
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(out.String()), 0o644))
}
