// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/internal/proxy/graft"
)

// optional is what a script can switch on, each for the processes after it:
//
//	trust              the client is asked about workspaces; what it trusts is kept
//	models             the model is offered skills by a server, whose arguments
//	                   say what it is told
//	slow, quick        a workspace's folders are read only from quick on
//	ln TARGET PATH     makes a symbolic link
//	kept [PATH]        what was remembered as trusted, to the last
//
// ASK stands for what cannot be guessed of our requests' ids.
type optional struct {
	asks, models bool
	mcp          *graft.MCPSkills // see remote_wire_test.go

	mu   sync.Mutex
	kept []string
	slow chan struct{} // nil: folders are read at once
}

func (p *player) optional(o graft.Options) graft.Options {
	trusted := func(dir string) bool {
		p.opt.mu.Lock()
		wait := p.opt.slow
		p.opt.mu.Unlock()
		if wait != nil {
			<-wait
		}
		p.opt.mu.Lock()
		defer p.opt.mu.Unlock()
		for _, k := range p.opt.kept {
			if k == dir {
				return true
			}
		}
		return false
	}
	o.Catalog.Trusted, o.MCPSkills = trusted, p.opt.mcp
	if p.opt.asks {
		o.KeepTrust = func(dir string) error {
			p.opt.mu.Lock()
			defer p.opt.mu.Unlock()
			p.opt.kept = append(p.opt.kept, dir)
			return nil
		}
	}
	if p.opt.models {
		o.ModelServer = func(about graft.ModelSession) graft.ModelServer {
			args := append([]string{"serve"}, about.Workspace...)
			args = append(append(args, "folders"), about.Folders...)
			return graft.ModelServer{Command: "/bin/skills", Args: append(append(args, "trusted"), about.Trusted...), Env: []string{"A=b=c"}}
		}
	}
	return o
}

func (p *player) directOptional(where, verb string, args []string) bool {
	real := func(path string) string {
		path = strings.ReplaceAll(path, "$WS", filepath.Join(p.dir, "ws"))
		return strings.ReplaceAll(path, "$HOME", filepath.Join(p.dir, "home"))
	}
	switch verb {
	case "trust", "models":
		p.opt.asks, p.opt.models = p.opt.asks || verb == "trust", p.opt.models || verb == "models"
		p.stop()
		p.start()
	case "slow":
		p.opt.mu.Lock()
		p.opt.slow = make(chan struct{})
		p.opt.mu.Unlock()
	case "quick":
		p.opt.mu.Lock()
		close(p.opt.slow)
		p.opt.slow = nil
		p.opt.mu.Unlock()
	case "later": // the file was written after everything that was before
		at := time.Now().Add(time.Hour)
		if err := os.Chtimes(real(args[0]), at, at); err != nil {
			p.t.Fatalf("%s: %v", where, err)
		}
	case "ln":
		path := real(args[1])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			p.t.Fatalf("%s: %v", where, err)
		}
		if err := os.Symlink(real(args[0]), path); err != nil {
			p.t.Skipf("no symbolic links here: %v", err)
		}
	case "kept":
		want := real(strings.Join(args, " "))
		got := func() string {
			p.opt.mu.Lock()
			defer p.opt.mu.Unlock()
			return strings.Join(p.opt.kept, " ")
		}
		// It is kept beside the conversation, so nothing on the wire says when.
		for end := time.Now().Add(10 * time.Second); got() != want && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if got() != want {
			p.t.Fatalf("%s: %q was kept, want %q", where, got(), want)
		}
	default:
		return false
	}
	return true
}

var ask = regexp.MustCompile(`skillgraft-([A-Z2-7]{26})-`)

func (p *player) noteAsks(line string) {
	for _, m := range ask.FindAllStringSubmatch(line, -1) {
		p.nonces[m[1]] = "ASK"
	}
}
