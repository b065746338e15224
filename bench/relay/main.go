// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

const usage = `usage: relay [flags]               measure and print
       relay agent                 the echo agent, on stdin and stdout
       relay pipe -- AGENT ARGS... a byte pipe in front of an agent

flags of the measurement:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "agent":
			return serveAgent(stdin, stdout)
		case "pipe":
			return bytePipe(ctx, args[1:], stdin, stdout, stderr)
		}
	}
	return measureAll(ctx, args, stdout, stderr)
}

// measureAll is the program's main job: flags, build, rounds, report.
func measureAll(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("relay", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	rounds := flags.Int("rounds", 7, "how many times each path is measured")
	smoke := flags.Bool("smoke", false, "one short round: shows that it works, its figures mean little")
	asJSON := flags.Bool("json", false, "print the report as JSON, every round's figures included")
	check := flags.Bool("check", false, "exit with 1 when a bound does not hold")
	binary := flags.String("skillgraft", "", "the skillgraft `binary` to measure (default: built from this module)")
	paths := flags.String("paths", "direct,pipe,skillgraft", "the paths to measure, comma-separated `names`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no role; the roles are agent and pipe, all else are flags (see -h)", flags.Arg(0))
	}
	load := fullLoad
	if *smoke {
		*rounds, load = 1, smokeLoad
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: at least one round is needed", *rounds)
	}

	dir, err := os.MkdirTemp("", "relay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	work, err := newWorkspace(dir)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	routes, err := parsePaths(*paths)
	if err != nil {
		return err
	}
	for i := range routes {
		if routes[i].name == pathSkillgraft && *binary == "" {
			if *binary, err = buildSkillgraft(ctx, dir); err != nil {
				return err
			}
		}
	}
	for i := range routes {
		routes[i].fill(self, *binary)
	}

	r := report{Load: load, Rounds: *rounds, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
	for round := range *rounds {
		for i := range routes {
			route := routes[(round+i)%len(routes)]
			s, err := measure(ctx, route, work, load)
			if err != nil {
				return fmt.Errorf("round %d, %s: %w", round+1, route.name, err)
			}
			s.Round = round
			r.Samples = append(r.Samples, s)
		}
	}
	r.summarise()
	if *asJSON {
		err = r.writeJSON(stdout)
	} else {
		err = r.writeText(stdout)
	}
	if err == nil && *check {
		err = r.check()
	}
	return err
}

// buildSkillgraft builds the proxy from the module that the caller stands in, so
// that what is measured is what the checkout holds.
func buildSkillgraft(ctx context.Context, dir string) (string, error) {
	out := filepath.Join(dir, "skillgraft")
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	const pkg = "github.com/skillgraft/skillgraft/cmd/skillgraft"
	text, err := exec.CommandContext(ctx, "go", "build", "-o", out, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w (run it inside the checkout, or name a binary with -skillgraft)\n%s",
			pkg, err, strings.TrimSpace(string(text)))
	}
	return out, nil
}
