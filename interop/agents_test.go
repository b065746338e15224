// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// agent is a real agent, set up to run offline with a home of its own.
type agent struct {
	name string
	argv []string
	env  []string
	home string
	// method is the one to sign in by; empty: the agent does not ask.
	method string
	// login signs in when the agent wants it; it is sent after initialize, by
	// clients of version 2.
	login func(c *client)
	// conformFlags are what the checker has to be told to sign in.
	conformFlags []string
}

// modules returns the folder with the installed packages.
func modules(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("INTEROP_MODULES")
	if dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(wd, "node_modules")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the agents are not installed, run interop/run: %v", err)
	}
	return dir
}

// node returns the Node to start agents with: the pinned one when it is
// installed (claude-agent-acp asks for 22 or newer), else the one on PATH.
func node(t *testing.T) string {
	t.Helper()
	own := filepath.Join(modules(t), "node", "bin", "node")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("no node: %v", err)
	}
	return path
}

// baseEnv is all the environment that a process gets: nothing of the machine's
// own configuration reaches an agent.
func baseEnv(home string) []string {
	return []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"XDG_STATE_HOME=" + filepath.Join(home, ".state"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
	}
}

func claude(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	return agent{
		name: "claude", home: home,
		argv: []string{node(t), filepath.Join(modules(t), "@agentclientprotocol/claude-agent-acp/dist/index.js")},
		env: append(baseEnv(home),
			"IS_SANDBOX=1", "ANTHROPIC_API_KEY=sk-fake", "ANTHROPIC_BASE_URL="+model.URL(),
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"),
	}.signIn()
}

func codex(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	codexHome := filepath.Join(home, ".codex")
	if err := os.MkdirAll(codexHome, 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"model": "fake-model", "model_provider": "fake",
		"model_providers": map[string]any{"fake": map[string]any{
			"name": "fake", "base_url": model.URL() + "/v1", "wire_api": "responses", "env_key": "CODEX_API_KEY",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return agent{
		name: "codex", home: home,
		argv: []string{node(t), filepath.Join(modules(t), "@agentclientprotocol/codex-acp/dist/index.js")},
		env: append(baseEnv(home),
			"CODEX_HOME="+codexHome, "CODEX_API_KEY=sk-fake", "MODEL_PROVIDER=fake", "NO_BROWSER=1",
			"CODEX_CONFIG="+string(config)),
		method: "api-key",
	}.signIn()
}

// signIn fills in how the agent's method is used.
func (a agent) signIn() agent {
	a.login = func(*client) {}
	if a.method != "" {
		a.login = func(c *client) { c.must("auth/login", map[string]any{"methodId": a.method}) }
		a.conformFlags = []string{"--login", a.method}
	}
	return a
}
