// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
	v1types "github.com/skillgraft/skillgraft/acp/v1"
)

// What a version's own types read of our question is all of it, and nothing is left over.
func TestTrustQuestionIsOfItsVersion(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	dir := "/src/\x1b[31mapp\u202e\""

	s.conn.dialect = v2{}
	var two acp.RequestPermissionRequest
	if err := json.Unmarshal(s.trustQuestion(`s"1`, dir, "Why."), &two); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range two.Options {
		kinds = append(kinds, o.Kind)
	}
	if two.SessionID != `s"1` || two.Subject != nil || len(two.Extra) > 0 || !strings.HasPrefix(two.Description, "Why.") {
		t.Errorf("read as %+v", two)
	}
	if want := []string{acp.AllowAlways, acp.AllowOnce, acp.RejectOnce}; !slices.Equal(kinds, want) {
		t.Errorf("the answers are %v, want %v", kinds, want)
	}
	if strings.ContainsAny(two.Title, "\x1b\u202e") {
		t.Errorf("the title %q is not fit to be shown", two.Title)
	}

	s.conn.dialect = v1{}
	var one v1types.RequestPermissionRequest
	if err := json.Unmarshal(s.trustQuestion("s1", dir, "Why."), &one); err != nil {
		t.Fatal(err)
	}
	if one.ToolCall.ToolCallID == "" || len(one.Options) != 3 || len(one.Extra) > 0 {
		t.Errorf("read as %+v", one)
	}
}

// An entry that one version takes is none in the other: version 1 knows programs by
// what they have not.
func TestModelServerEntryIsOfItsVersion(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	server := ModelServer{Command: `/opt/a "b"`, Args: []string{"--workspace=-x", ""}, Env: []string{"A=b=c", "EMPTY="}}

	s.conn.dialect = v2{}
	two, err := acp.ReadMCPServer(s.conn.dialect.server("skillgraft", server))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := two.(*acp.MCPServerStdio)
	if !ok || got.Command != server.Command || !slices.Equal(got.Args, server.Args) || len(got.Env) != 2 || got.Env[0].Name != "A" || got.Env[0].Value != "b=c" || len(got.Extra) > 0 {
		t.Errorf("read as %+v", two)
	}

	s.conn.dialect = v1{}
	one, err := v1types.ReadMCPServer(s.conn.dialect.server("skillgraft", ModelServer{Command: "/bin/x"}))
	if err != nil {
		t.Fatal(err)
	}
	if old, ok := one.(*v1types.MCPServerStdio); !ok || old.Args == nil || old.Env == nil || len(old.Extra) > 0 {
		t.Errorf("read as %+v: version 1 wants lists, and no type", one)
	}
}
