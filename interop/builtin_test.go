// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// The official SDK's client drives the built-in agent, with a model, through every method
// of a session's life.
func TestSDKDrivesTheBuiltInAgent(t *testing.T) {
	r := newSDKRig(t)
	hold := make(chan struct{})
	defer close(hold)
	m, err := scriptmodel.Start(&scriptmodel.Options{Script: func(q scriptmodel.Request) scriptmodel.Answer {
		fresh := q.New()
		switch last := fresh[len(fresh)-1]; {
		case q.CountNew("hold") > 0:
			return scriptmodel.Answer{Hold: hold}
		case last.Role != "tool" && q.CountNew("again") == 0:
			return scriptmodel.Answer{Text: "I write.", Calls: []scriptmodel.Call{{Name: "write_file", Arguments: `{"path":"written.txt","content":"by the model\n"}`}}}
		}
		return scriptmodel.Answer{Text: "Done."}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cmd := exec.CommandContext(t.Context(), node(t), sdkFile(t, "lifecycle.mjs"), r.ws.dir, "--",
		skillgraft(t), "agent", "--model", "openai:scripted", "--trust", "always", "--state", t.TempDir())
	cmd.Env, cmd.WaitDelay = append(r.env, "OPENAI_BASE_URL="+m.URL()+"/v1", "OPENAI_API_KEY=k"), deadline
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the SDK's client: %v\n%s", err, &stderr)
	}
	type state struct{ State, StopReason string }
	type sessions struct{ Sessions []struct{ SessionID string } }
	var v struct {
		Prompt, Forked struct {
			End     state
			Updates json.RawMessage
		}
		Questions         int
		Config            json.RawMessage
		List, AfterDelete sessions
		New, Fork         struct{ SessionID string }
		Cancelled         state
		Replay            json.RawMessage
		Gone              *struct{ Code int }
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("the SDK's client printed %.300s: %v", out, err)
	}
	if v.Prompt.End.StopReason != "end_turn" || v.Forked.End.StopReason != "end_turn" || v.Cancelled.StopReason != "cancelled" {
		t.Errorf("the turns ended with %+v, %+v and %+v", v.Prompt.End, v.Forked.End, v.Cancelled)
	}
	if v.Questions != 1 {
		t.Errorf("%d questions were asked", v.Questions)
	}
	for _, part := range []string{`"diff"`, `"write_file"`, "I write.", "Done.", `"usage_update"`} {
		if !bytes.Contains(v.Prompt.Updates, []byte(part)) {
			t.Errorf("%s is not in the SDK's view: %s", part, v.Prompt.Updates)
		}
	}
	for _, part := range []string{`"skill"`, "ag-one", `"write_file"`, "I write.", "Done."} {
		if !bytes.Contains(v.Replay, []byte(part)) {
			t.Errorf("%s is not in the replay: %s", part, v.Replay)
		}
	}
	if !strings.Contains(string(v.Config), `"currentValue":"read"`) {
		t.Errorf("the mode was not set: %s", v.Config)
	}
	has := func(s sessions, id string) bool {
		for _, x := range s.Sessions {
			if x.SessionID == id {
				return true
			}
		}
		return false
	}
	if !has(v.List, v.New.SessionID) || has(v.AfterDelete, v.New.SessionID) || !has(v.AfterDelete, v.Fork.SessionID) {
		t.Errorf("listed %+v, and after the deletion %+v", v.List, v.AfterDelete)
	}
	if v.Gone == nil || v.Gone.Code != -32002 {
		t.Errorf("a deleted session is resumed with %+v", v.Gone)
	}
	if first := m.Turns()[0]; first.Count("BODY-ag-one") != 1 {
		t.Errorf("the model was not given the skill: %v", first.Texts())
	}
}
