// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Must show 8: the agent is killed with three requests open. Each gets an error
// that says how the agent ended and what it last wrote to stderr; nothing is left.
func TestAgentKilled(t *testing.T) {
	each(t, func(r *rig) {
		pidFile := filepath.Join(r.t.TempDir(), "pid")
		// A shell that becomes the agent: its pid is the agent's.
		script := `echo $$ >"` + pidFile + `"; echo last-words-of-the-agent >&2; exec "$@"`
		c, _ := r.client(how{wrap: []string{"sh", "-c", script, "sh"}})
		s := r.open(c)
		s.hold()
		var open []int
		for i := range 3 {
			open = append(open, s.send(text(fmt.Sprint("queued ", i))))
		}
		// They are open at the agent: it has seen a request sent behind them.
		c.must("session/list", map[string]any{"cwd": r.ws.dir})
		data, err := os.ReadFile(pidFile)
		if err != nil {
			r.t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			r.t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			r.t.Fatal(err)
		}
		since := time.Now()
		if err := p.Kill(); err != nil {
			r.t.Fatal(err)
		}
		for _, id := range open {
			f := c.response(id)
			if f.Error == nil {
				r.t.Fatalf("request %d was answered: %s", id, f.Result)
			}
			said := f.Error.Message + string(f.Error.Data)
			if !strings.Contains(said, "kill") && !strings.Contains(said, "137") {
				r.t.Errorf("the error does not say how the agent ended: %s", f.Error)
			}
			if r.agent.name == "codex" && !strings.Contains(said, "last-words-of-the-agent") {
				r.t.Errorf("the error does not have the end of stderr: %s", f.Error)
			}
		}
		r.t.Logf("%s: three errors %d ms after the kill: %s", r.agent.name, time.Since(since).Milliseconds(), c.response(open[0]).Raw)
		c.close()
		noneLeft(r)
	})
}

// Must show 8: the client leaves in the middle of a turn, and no process is left.
func TestClientLeaves(t *testing.T) {
	each(t, func(r *rig) {
		c, _ := r.client(how{})
		s := r.open(c)
		s.hold()
		c.close()
		noneLeft(r)
	})
}

// noneLeft checks that no process runs with the agent's home in its environment.
func noneLeft(r *rig) {
	r.t.Helper()
	if runtime.GOOS != "linux" {
		r.t.Log("processes are counted on Linux only, where /proc shows their environment")
		return
	}
	var left []string
	for range 50 { // killed processes may take a moment to be reaped
		left = nil
		envs, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range envs {
			env, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(env), "HOME="+r.agent.home+"\x00") {
				continue
			}
			cmd, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			left = append(left, strings.ReplaceAll(string(cmd), "\x00", " "))
		}
		if left == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	r.t.Errorf("processes left: %q", left)
}

// Must show 11: one run in another lists every skill once, invokes it once and
// shows the client's blocks.
func TestTwoInARow(t *testing.T) {
	each(t, func(r *rig) {
		mine, other := own(r), foreign(r)
		c, _ := r.client(how{twice: true})
		s := r.open(c)
		list := s.current() // byName complains about a name that is listed twice
		for _, name := range []string{mine[0].name, other.name} {
			if list[name].Type != "skill" {
				r.t.Errorf("%s is listed as %+v", name, list[name])
			}
		}
		blocks := []any{text("both "), skill(other.name), skill(mine[0].name), text(" now")}
		tn := s.prompt(blocks...)
		tn.gave(mine[0].marker, 1)
		tn.gave(other.marker, 1)
		tn.echoed(s, blocks...)
	})
}

// Must show 11: initialize may be repeated, and the last one counts: a client that
// at first has no skills and then has them is given them.
func TestInitializeTwice(t *testing.T) {
	each(t, func(r *rig) {
		login := r.agent.login
		r.agent.login = func(c *client) {
			c.must("initialize", `{"protocolVersion":2,"info":{"name":"interop","version":"1"},"capabilities":{"session":{"commands":{"skill":{}}}}}`)
			login(c)
		}
		c, _ := r.client(how{noSkills: true})
		if got := r.open(c).current()[own(r)[0].name]; got.Type != "skill" {
			r.t.Errorf("after the second initialize the skill is listed as %+v", got)
		}
	})
}

// Must show 11: a fork has the parent's messages as the client sent them, whatever
// ids the agent gives them; nothing comes for a closed session; a deleted one is
// gone, and so is what we kept of it.
func TestForkCloseDelete(t *testing.T) {
	each(t, func(r *rig) {
		other := foreign(r)
		c, _ := r.client(how{})
		s := r.open(c)
		parent := []any{text("in the parent "), skill(other.name)}
		s.prompt(parent...)

		res := c.must("session/fork", map[string]any{
			"sessionId": s.id, "cwd": r.ws.dir, "additionalDirectories": []string{r.ws.extra}, "mcpServers": []any{},
		})
		fork := &session{r, c, sessionID(r.t, res), res}
		if got := fork.current()[other.name]; got.Type != "skill" {
			r.t.Errorf("in the fork %s is listed as %+v", other.name, got)
		}
		child := []any{skill(other.name), text(" in the fork")}
		tn := fork.prompt(child...)
		tn.gave(other.marker, 1)
		tn.echoed(fork, child...)

		c.must("session/close", map[string]any{"sessionId": fork.id})
		closed := c.mark()
		r.ws.write(r.ws.dir, ".agents", "late", "---\nname: late\ndescription: Late. Use when asked.\n---\nBODY-late\n")
		c.waitUpdate(closed, "the parent's new list", func(u update) bool {
			_, ok := byName(r.t, u.Commands)["late"]
			return u.SessionID == s.id && ok
		})
		if got := updates(c.since(closed), fork.id); len(got) != 0 {
			r.t.Errorf("%d updates came for a closed session, the first: %+v", len(got), got[0])
		}

		_, replay := r.resume(c, fork.id)
		ms := userMessages(r.t, replay, fork.id)
		if len(ms) != 2 {
			r.t.Fatalf("%d messages in the fork's replay, want 2", len(ms))
		}
		shows(r.t, replay, fork.id, ms[0].ID, parent...)
		shows(r.t, replay, fork.id, ms[1].ID, child...)
		noBodies(r.t, replay)

		c.must("session/delete", map[string]any{"sessionId": fork.id})
		if f := c.call("session/resume", map[string]any{"sessionId": fork.id, "cwd": r.ws.dir, "mcpServers": []any{}}); f.Error == nil {
			r.t.Error("a deleted session was resumed")
		}
		var list struct {
			Sessions []struct {
				SessionID string `json:"sessionId"`
			} `json:"sessions"`
		}
		if err := json.Unmarshal(c.must("session/list", map[string]any{"cwd": r.ws.dir}), &list); err != nil {
			r.t.Fatal(err)
		}
		for _, e := range list.Sessions {
			if e.SessionID == fork.id {
				r.t.Error("a deleted session is listed")
			}
		}
		if n := journals(r); n != 1 {
			r.t.Errorf("%d journals are kept after the delete, want the parent's", n)
		}
	})
}

// journals counts the files that skillgraft keeps in the agent's home.
func journals(r *rig) int {
	n := 0
	_ = filepath.WalkDir(filepath.Join(r.agent.home, ".state", "skillgraft"), func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.HasSuffix(path, ".lock") {
			n++
		}
		return nil
	})
	return n
}
