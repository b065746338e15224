// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The two programs are built the way that whoever copies them builds them: in a
// module of their own, which finds this one by a replace. Then they talk.
func TestGoProgramsWorkWhenCopied(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go-agent/main.go", "go-client/main.go"} {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		write("module/"+name, string(text))
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("module/go.sum", string(sums))
	write("module/go.mod", "module example.com/copied\n\ngo 1.26\n\nrequire github.com/skillgraft/skillgraft v0.0.0\n\nreplace github.com/skillgraft/skillgraft => "+filepath.ToSlash(root)+"\n")
	exe := map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]
	bin := func(name string) string { return filepath.Join(dir, name+exe) }
	for _, name := range []string{"go-agent", "go-client"} {
		cmd := exec.Command("go", "build", "-mod=mod", "-o", bin(name), "./"+name)
		cmd.Dir = filepath.Join(dir, "module")
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s does not build in a module of its own: %v\n%s", name, err, out)
		}
	}

	write("ws/.agents/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets. Use when somebody comes.\n---\nSay hello twice.\n")
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), bin("go-client"), append(args, "--", bin("go-agent"))...)
		cmd.Dir = filepath.Join(dir, "ws")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err != nil || !strings.Contains(out, `"greet": "Greets.`) {
		t.Errorf("the list: %v\n%s", err, out)
	}
	if out, err := run("greet", "Anna is here"); err != nil || !strings.Contains(out, "Say hello twice.") || !strings.Contains(out, "stopped: end_turn") {
		t.Errorf("the skill was not followed: %v\n%s", err, out)
	}
	if out, err := run("great", "Anna is here"); err == nil || !strings.Contains(out, "ACP-P4") {
		t.Errorf("ACP-U1: a name that nobody has: %v\n%s", err, out)
	}
}
