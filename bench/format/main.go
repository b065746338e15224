// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"
)

const usage = `usage: format [flags]           measure and print
       format walk | scan | odd  a role, with a job on stdin

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
		fmt.Fprintln(os.Stderr, "format:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case roleWalk, roleScan:
			return serve(ctx, args[0], stdin, stdout)
		case roleOdd:
			return serveOdd(ctx, stdin, stdout)
		}
	}
	f := settings{}
	flags := flag.NewFlagSet("format", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	flags.IntVar(&f.rounds, "rounds", 7, "how many times each is measured")
	flags.IntVar(&f.skills, "skills", 10_000, "how many skills are generated")
	smoke := flags.Bool("smoke", false, "one round over few skills: shows that it works, its figures mean little")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON, every round's figures included")
	flags.BoolVar(&f.check, "check", false, "exit with 1 when a bound does not hold")
	flags.StringVar(&f.corpus, "corpus", "", "measure this `directory` instead of a generated tree")
	flags.StringVar(&f.reference, "reference", "", "compare with the reference library too: the `path` that Python finds it and what it imports by")
	flags.StringVar(&f.python, "python", "python3", "the Python `program` for -reference")
	verify := flags.Bool("verify", false, "measure nothing, and compare every skill with other readings of it")
	oddTree := flags.Bool("odd", false, "measure nothing but the scan of a tree of what should not be in one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no role; the roles are walk, scan and odd, all else are flags (see -h)", flags.Arg(0))
	}
	if *smoke {
		f.rounds, f.skills = 1, 200
	}
	if f.rounds < 1 || f.skills < 1 {
		return errors.New("at least one round and one skill are needed")
	}
	switch {
	case *oddTree:
		return odd(ctx, f.check, stdout)
	case *verify:
		return f.verify(ctx, stdout)
	}
	return f.measure(ctx, stdout)
}

// settings are the flags.
type settings struct {
	rounds, skills            int
	json, check               bool
	corpus, reference, python string
}

// job makes or finds the tree. done removes what was made.
func (f *settings) job() (j *job, tree string, done func(), err error) {
	if f.corpus != "" {
		j, err = corpusJob(f.corpus)
		return j, "the tree given", func() {}, err
	}
	dir, err := os.MkdirTemp("", "format-")
	if err != nil {
		return nil, "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if j, err = generate(dir, f.skills); err != nil {
		done()
		return nil, "", nil, err
	}
	time.Sleep(settle)
	return j, fmt.Sprintf("%d generated skills in %d roots", f.skills, len(j.Roots)), done, nil
}

// measure is the program's main job: tree, rounds, report.
func (f *settings) measure(ctx context.Context, stdout io.Writer) error {
	j, tree, done, err := f.job()
	if err != nil {
		return err
	}
	defer done()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	takers := []func() (sample, error){
		func() (sample, error) { return measure(ctx, self, roleWalk, j) },
		func() (sample, error) { return measure(ctx, self, roleScan, j) },
	}
	if f.reference != "" {
		ref, err := newReference(f.python, f.reference)
		if err != nil {
			return err
		}
		dirs, err := skillDirs(j)
		if err != nil {
			return err
		}
		takers = append(takers, func() (sample, error) { return ref.sample(ctx, dirs) })
	}
	r := report{Rounds: f.rounds, Tree: tree, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
	for round := range f.rounds {
		for i := range takers {
			s, err := takers[(round+i)%len(takers)]()
			if err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
			s.Round = round
			r.Samples = append(r.Samples, s)
		}
	}
	if err := r.lost(); err != nil {
		return err
	}
	r.summarise(f.corpus != "")
	if f.json {
		err = r.writeJSON(stdout)
	} else {
		err = r.writeText(stdout)
	}
	if err == nil && f.check {
		err = r.check()
	}
	return err
}
