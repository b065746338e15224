// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// TestMain lets the test binary play the roles, as the program itself does, and
// with "run" the proxy's: a byte pipe that only claims to know skills.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "agent", "pipe":
			main()
			return
		case "run":
			if err := bytePipe(context.Background(), os.Args[2:], os.Stdin, claimSkills{os.Stdout}, os.Stderr); err != nil {
				log.Fatal(err)
			}
			return
		}
	}
	os.Exit(m.Run())
}

type claimSkills struct{ w io.Writer }

func (c claimSkills) Write(p []byte) (int, error) {
	const none, inline = `{"session":{}}`, `{"session":{"prompt":{"skill":{"inline":{}}}}}`
	if _, err := c.w.Write(bytes.Replace(p, []byte(none), []byte(inline), 1)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// The whole program, with the stand-in for the proxy.
func TestMeasureAll(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-smoke", "-json", "-skillgraft", self}, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	var paths, bounds []string
	for _, m := range r.Medians {
		paths = append(paths, m.Path)
	}
	for _, b := range r.Bounds {
		bounds = append(bounds, b.What)
	}
	if want := []string{pathDirect, pathPipe, pathSkillgraft}; !slices.Equal(paths, want) {
		t.Errorf("paths %v, want %v", paths, want)
	}
	if want := map[bool]int{true: 4, false: 3}[runtime.GOOS == "linux"]; len(bounds) != want {
		t.Errorf("%d bounds, want %d: %v", len(bounds), want, bounds)
	}
	if r.Rounds != 1 || r.Load != smokeLoad || len(r.Samples) != 3 {
		t.Errorf("-smoke is one short round: %+v", r)
	}
}

// The two paths that need no proxy are taken for real, with the big message.
func TestMeasureDirectAndPipe(t *testing.T) {
	work, err := newWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	routes, err := parsePaths("direct,pipe")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		t.Run(r.name, func(t *testing.T) {
			r.fill(self, "")
			s, err := measure(t.Context(), r, work, load{Prompts: 3, Updates: 50, Starts: 1})
			if err != nil {
				t.Fatal(err)
			}
			if s.P50 <= 0 || s.P99 < s.P50 || s.Updates <= 0 || s.Start <= 0 {
				t.Errorf("a figure is missing or absurd: %+v", s)
			}
		})
	}
}

// A proxy that adds no skills must not be measured as if it did.
func TestMeasureRefusesIdleProxy(t *testing.T) {
	work, err := newWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := route{name: pathSkillgraft, args: []string{self, "pipe", "--", self, "agent"}}
	if _, err := measure(t.Context(), r, work, smokeLoad); err == nil || !strings.Contains(err.Error(), "no skills are advertised") {
		t.Errorf("a byte pipe in the proxy's place gave %v", err)
	}
}

// When a path's program fails, its last words are in the error.
func TestMeasureShowsStderr(t *testing.T) {
	work, err := newWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = measure(t.Context(), route{name: pathDirect, args: []string{self, "pipe"}}, work, smokeLoad)
	if err == nil || !strings.Contains(err.Error(), "name the agent's command") {
		t.Errorf("the error does not show the program's stderr: %v", err)
	}
}

func TestChunkLine(t *testing.T) {
	chunk := newChunkLine()
	for want := range 3 {
		line := chunk.step()
		if len(line) != updateSize || line[len(line)-1] != '\n' {
			t.Fatalf("line %d has %d bytes: %q", want, len(line), line)
		}
		m := jsonrpc.Scan(line[:len(line)-1])
		if m.Kind != jsonrpc.Notification || m.Method != "session/update" || m.SessionID != sessionID || m.Variant != "agent_message_chunk" {
			t.Errorf("line %d is no update: %+v", want, m)
		}
		if !bytes.Contains(line, []byte(`"text":"0000000`+string(rune('0'+want))+` `)) {
			t.Errorf("line %d does not carry its number: %q", want, line)
		}
	}
}

func TestBigMessage(t *testing.T) {
	var b bytes.Buffer
	if err := writeBig(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() != bigSize+1 || bytes.Count(b.Bytes(), []byte{'\n'}) != 1 {
		t.Fatalf("%d bytes, want one line of %d and a newline", b.Len(), bigSize)
	}
	if m := jsonrpc.Scan(b.Bytes()[:bigSize]); m.Kind != jsonrpc.Notification {
		t.Errorf("it is no message: %v", m.Problem)
	}
}

// What a path does to the lines shows, whatever its speed.
func TestClientNoticesDamage(t *testing.T) {
	chunk := newChunkLine()
	var lines []string
	for range 3 {
		lines = append(lines, string(chunk.step()))
	}
	const (
		done    = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
		list    = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bench","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}` + "\n"
		strange = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{}}` + "\n"
	)
	for _, tc := range []struct {
		name  string
		lines []string
		want  string // in the error; empty for none
	}{
		{"whole", []string{lines[0], lines[1], lines[2], done}, ""},
		{"the proxy's list among them", []string{lines[0], list, lines[1], lines[2], list, done}, ""},
		{"one lost", []string{lines[0], lines[2], done}, "update 2 of 3"},
		{"two swapped", []string{lines[1], lines[0], lines[2], done}, "update 1 of 3"},
		{"one rewritten", []string{lines[0], strings.Replace(lines[1], `"2.0",`, `"2.0", `, 1), lines[2], done}, "update 2 of 3"},
		{"response overtakes", []string{lines[0], lines[1], done, lines[2]}, "update 3 of 3"},
		{"a request", []string{lines[0], strange, lines[1], lines[2], done}, "request_permission"},
		{"the end", []string{lines[0]}, "ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newClient(io.Discard, strings.NewReader(strings.Join(tc.lines, "")))
			_, err := c.stream(3)
			if tc.want == "" && err != nil {
				t.Errorf("unexpected error: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v does not name %q", err, tc.want)
			}
		})
	}
}

func TestAgentAnswers(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"session/cancel","params":{}}
{"jsonrpc":"2.0","id":"7","method":"session/prompt","params":{}}
{"jsonrpc":"2.0","id":7,"method":"session/fork","params":{}}
`
	var out bytes.Buffer
	if err := serveAgent(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var ids, kinds []string
	for line := range strings.Lines(out.String()) {
		m := jsonrpc.Scan([]byte(strings.TrimSpace(line)))
		ids = append(ids, string(m.ID))
		kinds = append(kinds, map[bool]string{true: "result", false: "error"}[m.ErrorValue() == nil])
	}
	if want := []string{"0", `"7"`, "7"}; !slices.Equal(ids, want) {
		t.Errorf("answered %v, want %v", ids, want)
	}
	if want := []string{"result", "result", "error"}; !slices.Equal(kinds, want) {
		t.Errorf("answers are %v, want %v", kinds, want)
	}
}

func twoRounds(proxy sample) report {
	r := report{Rounds: 2, Load: smokeLoad}
	for round := range 2 {
		slow := time.Duration(round + 1) // the machine is half as fast in round two
		direct := sample{Path: pathDirect, Round: round, P50: 20 * slow, P99: 50 * slow, Updates: 4e6 / float64(slow), Start: 3e6}
		pipe := sample{Path: pathPipe, Round: round, P50: 40 * slow, P99: 90 * slow, Updates: 2e6 / float64(slow), Start: 5e6}
		p := proxy
		p.Path, p.Round, p.P50, p.Updates = pathSkillgraft, round, p.P50*slow, p.Updates/float64(slow)
		r.Samples = append(r.Samples, p, direct, pipe)
	}
	r.summarise()
	return r
}

func TestReportBounds(t *testing.T) {
	good := sample{P50: 50, P99: 200, Updates: 1.2e6, Start: 9e6, Peak: 2 * bigSize}
	r := twoRounds(good)
	var got []float64
	for _, b := range r.Bounds {
		got = append(got, b.Value)
	}
	// Each ratio is of one round, so the slow round changes none.
	if want := []float64{0.6, 1.25, 6, 2}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if err := r.check(); err != nil {
		t.Errorf("all bounds hold, yet: %v", err)
	}
	for _, tc := range []struct {
		name   string
		worsen func(*sample)
		want   string
	}{
		{"updates", func(s *sample) { s.Updates = 0.9e6 }, "updates a second"},
		{"p50", func(s *sample) { s.P50 = 61 }, "p50 round trip"},
		{"start", func(s *sample) { s.Start = 19e6 }, "start-up"},
		{"memory", func(s *sample) { s.Peak = 3 * bigSize }, "peak memory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := good
			tc.worsen(&bad)
			r := twoRounds(bad)
			if err := r.check(); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), ";") {
				t.Errorf("check says %v, want only %q", err, tc.want)
			}
			var text bytes.Buffer
			if err := r.writeText(&text); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(text.String(), "DOES NOT HOLD"); n != 1 {
				t.Errorf("%d rows say that they do not hold, want 1:\n%s", n, text.String())
			}
		})
	}
}

func TestReportWithoutProxy(t *testing.T) {
	r := report{Samples: []sample{{Path: pathDirect}, {Path: pathPipe}}}
	r.summarise()
	if len(r.Bounds) != 0 {
		t.Errorf("bounds without a proxy: %v", r.Bounds)
	}
	if err := r.check(); err == nil || !strings.Contains(err.Error(), "nothing to check") {
		t.Errorf("check says %v", err)
	}
	var out bytes.Buffer
	if err := r.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Errorf("not JSON: %s", out.Bytes())
	}
}

func TestFlagsThatDoNotFit(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-paths", "direct,tunnel"}, `"tunnel" is none of`},
		{[]string{"-rounds", "0"}, "at least one round"},
		{[]string{"echo"}, "the roles are"},
		{[]string{"pipe"}, "name the agent's command"},
		{[]string{"pipe", "--"}, "name the agent's command"},
	} {
		err := run(context.Background(), tc.args, strings.NewReader(""), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v does not say %q", tc.args, err, tc.want)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var end tail
	for range 3 {
		_, _ = end.Write(bytes.Repeat([]byte("a"), 3000))
	}
	_, _ = end.Write([]byte("last words\n"))
	if text := end.text(); len(text) > 4<<10 || !strings.HasSuffix(text, "last words") {
		t.Errorf("kept %d bytes, ending in %q", len(text), text[max(0, len(text)-20):])
	}
}
