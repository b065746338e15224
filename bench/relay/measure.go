// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
)

// A load says how much is sent in one round.
type load struct {
	Prompts int `json:"prompts"`
	Updates int `json:"updates"`
	Starts  int `json:"starts"` // how often start-up is measured; a round keeps the median
}

var (
	fullLoad  = load{Prompts: 2_000, Updates: 200_000, Starts: 5}
	smokeLoad = load{Prompts: 100, Updates: 2_000, Starts: 1}
)

// The names of the paths.
const (
	pathDirect     = "direct"
	pathPipe       = "pipe"
	pathSkillgraft = "skillgraft"
)

// A route is one way from the client to the agent.
type route struct {
	name string
	args []string
}

func parsePaths(list string) ([]route, error) {
	var routes []route
	for name := range strings.SplitSeq(list, ",") {
		switch name {
		case pathDirect, pathPipe, pathSkillgraft:
			routes = append(routes, route{name: name})
		default:
			return nil, fmt.Errorf("-paths: %q is none of direct, pipe, skillgraft", name)
		}
	}
	return routes, nil
}

func (r *route) fill(self, skillgraft string) {
	agent := []string{self, "agent"}
	switch r.name {
	case pathPipe:
		r.args = slices.Concat([]string{self, "pipe", "--"}, agent)
	case pathSkillgraft:
		r.args = slices.Concat([]string{skillgraft, "run", "--"}, agent)
	default:
		r.args = agent
	}
}

// A sample is what one round found on one path.
type sample struct {
	Path    string        `json:"path"`
	Round   int           `json:"round"`
	P50     time.Duration `json:"p50_ns"`
	P99     time.Duration `json:"p99_ns"`
	Updates float64       `json:"updates_per_second"`
	Start   time.Duration `json:"start_ns"`             // from starting the process to the agent's first byte
	Peak    int64         `json:"peak_bytes,omitempty"` // of the process in the middle; 0 where that cannot be read
}

// processLimit ends a path that hangs. It is far above what any of them takes.
const processLimit = 2 * time.Minute

// measure takes one round on one path: a process for latency and throughput,
// one for memory, some for start-up.
func measure(ctx context.Context, r route, work *workspace, load load) (sample, error) {
	s := sample{Path: r.name}
	err := withProcess(ctx, r, work, func(p *process) error {
		caps, err := p.open(work.dir)
		if err != nil {
			return err
		}
		if r.name == pathSkillgraft && !caps.grafted() {
			return errors.New("no skills are advertised: these would be the figures of a relay that does nothing")
		}
		took, err := p.prompts(load.Prompts)
		if err != nil {
			return err
		}
		slices.Sort(took)
		s.P50, s.P99 = figures.Percentile(took, 50), figures.Percentile(took, 99)
		all, err := p.stream(load.Updates)
		s.Updates = float64(load.Updates) / all.Seconds()
		return err
	})
	if err != nil {
		return s, err
	}
	if r.name != pathDirect {
		err = withProcess(ctx, r, work, func(p *process) error {
			if _, err := p.open(work.dir); err != nil {
				return err
			}
			if err := p.big(); err != nil {
				return err
			}
			s.Peak, err = figures.PeakMemory(p.cmd.Process.Pid)
			return err
		})
		if err != nil {
			return s, err
		}
	}
	starts := make([]time.Duration, load.Starts)
	for i := range starts {
		err = withProcess(ctx, r, work, func(p *process) error {
			var caps initialized
			err := p.call("initialize", initializeParams, &caps)
			starts[i] = time.Since(p.started)
			return err
		})
		if err != nil {
			return s, err
		}
	}
	s.Start = figures.Median(starts)
	return s, nil
}

// A process is a started path with a client at its end.
type process struct {
	*client
	cmd     *exec.Cmd
	started time.Time
}

// withProcess starts a path, uses it, and sees it end: a path that does not end
// when its client leaves is an error too (PXY-6).
func withProcess(ctx context.Context, r route, work *workspace, use func(*process) error) error {
	ctx, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	var stderr tail
	cmd := exec.CommandContext(ctx, r.args[0], r.args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = work.dir, work.env, &stderr
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p := &process{client: newClient(stdin, stdout), cmd: cmd, started: time.Now()}
	if err := cmd.Start(); err != nil {
		return err
	}
	used := use(p)
	closed := stdin.Close()
	waited := cmd.Wait()
	if err := errors.Join(used, closed, waited); err != nil {
		return fmt.Errorf("%w\nend of stderr: %s", err, stderr.text())
	}
	return nil
}

// A tail keeps the end of what is written to it. One goroutine writes, and
// text is called after that one has ended.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.b = append(t.b, p...)
	if cut := len(t.b) - most; cut > 0 {
		t.b = append(t.b[:0], t.b[cut:]...)
	}
	return len(p), nil
}

func (t *tail) text() string {
	if text := strings.TrimSpace(string(t.b)); text != "" {
		return text
	}
	return "(nothing)"
}

// A workspace is where the paths run: a project with skills, and a home of its
// own, so that what the user of the machine has installed does not count.
type workspace struct {
	dir string
	env []string
}

func newWorkspace(root string) (*workspace, error) {
	w := &workspace{dir: filepath.Join(root, "project")}
	home, state := filepath.Join(root, "home"), filepath.Join(root, "state")
	for _, dir := range []string{filepath.Join(w.dir, ".git"), home, state} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"alpha", "beta", "gamma", "delta"} {
		dir := filepath.Join(w.dir, ".agents", "skills", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("---\nname: %s\ndescription: Stands here to be listed. Use when measuring.\n---\nNothing to do.\n", name)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	w.env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_STATE_HOME="+state,
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	return w, nil
}
