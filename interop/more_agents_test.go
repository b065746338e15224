// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// The agents beside claude and codex live in folders of their own under more, each
// with its lock file, because they are large and nobody needs all of them at once.
// Each is optional: its test says so when it is not installed.

// known is an agent of the matrix.
type known struct {
	name    string
	pkg     string // the npm package whose version counts
	folder  string // what has the package in its node_modules
	prepare func(*testing.T, *scriptmodel.Server) agent

	own [2]pick // two skills that it finds by itself
	// expands: the agent replays a command of its own as the text that it stands for.
	expands bool
}

var agOne, agTwo = pick{"ag-one", "BODY-ag-one-agents"}, pick{"ag-two", "BODY-ag-two-agents"}

// everyone lists the agents, in the order of the tables.
func everyone() []known {
	clOne, clTwo := pick{"cl-one", "BODY-cl-one-claude"}, pick{"cl-two", "BODY-cl-two-claude"}
	ag := [2]pick{agOne, agTwo}
	return []known{
		{name: "claude", pkg: "@agentclientprotocol/claude-agent-acp", folder: ".", prepare: claude, own: [2]pick{clOne, clTwo}},
		{name: "codex", pkg: "@agentclientprotocol/codex-acp", folder: ".", prepare: codex, own: ag},
		{name: "gemini", pkg: "@google/gemini-cli", folder: "more/gemini", prepare: gemini, own: ag},
		{name: "qwen", pkg: "@qwen-code/qwen-code", folder: "more/qwen", prepare: qwen, own: ag},
		{name: "opencode", pkg: "opencode-ai", folder: "more/opencode", prepare: opencode, own: ag, expands: true},
		{name: "kimi", pkg: "@moonshot-ai/kimi-code", folder: "more/kimi", prepare: kimi, own: ag, expands: true},
		{name: "pi", pkg: "pi-acp", folder: "more/pi", prepare: pi, own: ag, expands: true},
		{name: "copilot", pkg: "@github/copilot", folder: "more/copilot", prepare: copilot, own: ag},
	}
}

// in is a path inside of the agent's folder of packages.
func (k known) in(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		panic(err) // the test's own directory
	}
	return filepath.Join(wd, k.folder, "node_modules", path)
}

// version is that of the installed package, or empty.
func (k known) version() string {
	var p struct{ Version string }
	data, err := os.ReadFile(k.in(filepath.Join(k.pkg, "package.json")))
	if err != nil || json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Version
}

// wanted is the version that the folder pins.
func (k known) wanted(t *testing.T) string {
	t.Helper()
	var p struct{ Dependencies map[string]string }
	data, err := os.ReadFile(filepath.Join(k.folder, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Dependencies[k.pkg]
}

// need skips the test when the agent is not there.
func (k known) need(t *testing.T) {
	t.Helper()
	switch got, want := k.version(), k.wanted(t); got {
	case want:
	case "":
		t.Skipf("%s is not installed; interop/run --more installs it, or: cd interop/%s && npm ci", k.name, k.folder)
	default:
		t.Fatalf("%s is installed in version %s, want %s: interop/run --more", k.name, got, want)
	}
}

func named(t *testing.T, name string) known {
	t.Helper()
	for _, k := range everyone() {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no agent %s", name)
	return known{}
}

// newNode is a Node that is new enough for all agents; most want 22.
func newNode(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("more/node/node_modules/node/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		return node(t)
	}
	return path
}

// settle writes a file of an agent's configuration under its home.
func settle(t *testing.T, home, path string, content any) {
	t.Helper()
	file := filepath.Join(home, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw(t, content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func gemini(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	settle(t, home, ".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}},`+
		`"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`)
	return agent{
		name: "gemini", home: home,
		argv: []string{newNode(t), named(t, "gemini").in("@google/gemini-cli/bundle/gemini.js"), "--acp"},
		env: append(baseEnv(home), "GEMINI_API_KEY=fake", "GOOGLE_GEMINI_BASE_URL="+model.URL(),
			"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_MODEL=gemini-2.5-flash"), // without it a model is asked which one to ask
		method: "gemini-api-key",
	}.signIn()
}

func qwen(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	return agent{
		name: "qwen", home: home,
		argv: []string{newNode(t), named(t, "qwen").in("@qwen-code/qwen-code/cli-entry.js"), "--acp", "--auth-type", "openai"},
		env:  append(baseEnv(home), "OPENAI_API_KEY=sk-fake", "OPENAI_BASE_URL="+model.URL()+"/v1", "OPENAI_MODEL=fake-model"),
	}.signIn()
}

func opencode(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	config := map[string]any{
		"model": "fake/fake-model", "small_model": "fake/fake-model", "share": "disabled", "autoupdate": false,
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Fake",
			"options": map[string]any{"baseURL": model.URL() + "/v1", "apiKey": "sk-fake"},
			"models":  map[string]any{"fake-model": map[string]any{"name": "Fake", "tool_call": true}},
		}},
	}
	return agent{
		name: "opencode", home: home,
		argv: []string{named(t, "opencode").in(".bin/opencode"), "acp"},
		env: append(baseEnv(home), "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
			"OPENCODE_CONFIG_CONTENT="+string(raw(t, config))),
	}.signIn()
}

func kimi(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	return agent{
		name: "kimi", home: home,
		argv: []string{newNode(t), named(t, "kimi").in("@moonshot-ai/kimi-code/dist/main.mjs"), "acp"},
		env: append(baseEnv(home), "KIMI_CODE_HOME="+filepath.Join(home, ".kimi-code"), "KIMI_MODEL_NAME=fake-model",
			"KIMI_MODEL_API_KEY=sk-fake", "KIMI_MODEL_BASE_URL="+model.URL()+"/v1", "KIMI_MODEL_PROVIDER_TYPE=openai",
			"KIMI_MODEL_MAX_CONTEXT_SIZE=100000"),
	}.signIn()
}

// pi is started by pi-acp, which finds it on PATH, as it does the Node for it.
func pi(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	settle(t, home, ".pi/agent/settings.json", `{"defaultProjectTrust":"always","defaultProvider":"fake","defaultModel":"fake-model"}`)
	settle(t, home, ".pi/agent/models.json", map[string]any{"providers": map[string]any{"fake": map[string]any{
		"baseUrl": model.URL() + "/v1", "api": "openai-completions", "apiKey": "sk-fake",
		"models": []any{map[string]any{"id": "fake-model"}},
	}}})
	k := named(t, "pi")
	path := filepath.Dir(newNode(t)) + string(os.PathListSeparator) + k.in(".bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return agent{
		name: "pi", home: home,
		argv: []string{newNode(t), k.in("pi-acp/dist/index.js")},
		env: append(baseEnv(home), "PATH="+path, "PI_OFFLINE=1",
			"PI_CODING_AGENT_DIR="+filepath.Join(home, ".pi", "agent")),
	}.signIn()
}

func copilot(t *testing.T, model *scriptmodel.Server) agent {
	t.Helper()
	home := t.TempDir()
	return agent{
		name: "copilot", home: home,
		argv: []string{newNode(t), named(t, "copilot").in("@github/copilot/npm-loader.js"), "--acp", "--no-auto-update"},
		env: append(baseEnv(home), "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+model.URL()+"/v1",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=sk-fake", "COPILOT_MODEL=fake-model"),
	}.signIn()
}
