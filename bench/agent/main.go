// SPDX-License-Identifier: Apache-2.0

// Agent measures what the built-in agent adds to its model: the time from a prompt to
// the first update, beside that of the model's first token alone, and the memory of
// many sessions that are at work at once.
//
//	go run ./bench/agent [-check] [-rounds N] [-sessions N] [-skillgraft BIN]
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
	"text/tabwriter"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 7, "how many times the time is measured, with 40 prompts each")
	sessions := flags.Int("sessions", 200, "how many sessions are at work at once")
	check := flags.Bool("check", false, "exit with 1 when a bound does not hold")
	binary := flags.String("skillgraft", "", "the skillgraft `binary` to measure (default: built from this module)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-agent-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *binary == "" {
		if *binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	work, err := workspace(dir)
	if err != nil {
		return err
	}
	m, err := startModel()
	if err != nil {
		return err
	}
	defer m.close()

	var alone, agent, ratio []float64
	for range *rounds {
		a, b, err := firstUpdates(ctx, *binary, dir, work, m, 40)
		if err != nil {
			return err
		}
		alone, agent, ratio = append(alone, ms(a)), append(agent, ms(b)), append(ratio, float64(b)/float64(a))
	}
	peak, err := memory(ctx, *binary, dir, work, m, *sessions)
	if err != nil {
		return err
	}
	bounds := []figures.Bound{
		figures.Bound{What: "the model's first token alone, p50", Unit: "ms"}.Judge(figures.Median(alone)),
		figures.Bound{What: "the agent's first update, p50", Unit: "ms"}.Judge(figures.Median(agent)),
		figures.Bound{What: "of it beyond the model's", Unit: "ms", Limit: 20}.Judge(figures.Median(agent) - figures.Median(alone)),
		figures.Bound{What: "the agent's over the model's", Unit: "times"}.Judge(figures.Median(ratio)),
	}
	if peak > 0 {
		bounds = append(bounds, figures.Bound{What: fmt.Sprintf("peak memory of %d sessions at work", *sessions), Unit: "MB", Limit: 200}.Judge(float64(peak)/1e6))
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	figures.WriteBounds(w, "agent", bounds)
	if err := w.Flush(); err != nil {
		return err
	}
	if *check {
		return figures.Check(bounds)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func build(ctx context.Context, dir string) (string, error) {
	out := filepath.Join(dir, "skillgraft")
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	const pkg = "github.com/skillgraft/skillgraft/cmd/skillgraft"
	text, err := exec.CommandContext(ctx, "go", "build", "-o", out, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w (run it inside the checkout, or name a binary with -skillgraft)\n%s", pkg, err, strings.TrimSpace(string(text)))
	}
	return out, nil
}

// workspace makes a directory with a few skills.
func workspace(dir string) (string, error) {
	work := filepath.Join(dir, "work")
	for i := range 20 {
		d := filepath.Join(work, ".agents", "skills", fmt.Sprintf("skill-%d", i))
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", err
		}
		text := fmt.Sprintf("---\nname: skill-%d\ndescription: Handles documents of kind %d. Use it for those.\n---\nDo it.\n", i, i)
		if err := os.WriteFile(filepath.Join(d, "SKILL.md"), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return work, nil
}
