// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

const (
	bigSize  = 200 << 20
	manyDirs = 5000
	// nobody is whom root becomes for the scan, since nothing is unreadable to root.
	nobody = 65534

	mostOdd  = 1                        // seconds
	mostRead = 3 * skill.MaxHead / 1024 // KiB: what the heads of the readable files may take
)

// An oddity is something in the tree and what has to be said about it.
type oddity struct {
	what string
	path string // under the tree; what is reported is this or lies in it
	rule string
	make func(path string) error
}

const (
	oddSkills = "repo/.agents/skills"
	oddUser   = "home/.agents/skills"
)

// oddities are those that need a report. What must only not hang or multiply is
// in makeOdd.
func oddities() []oddity {
	in := func(name string) string { return oddSkills + "/" + name }
	file := func(mode os.FileMode, text string) func(string) error {
		return func(path string) error {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
			return os.Chmod(path, mode)
		}
	}
	link := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	return []oddity{
		{"a root that is a file", "repo/.claude/skills", "DSC-6", file(0o644, "")},
		{"5,000 directories", oddUser, "DSC-2", func(path string) error {
			for i := range manyDirs {
				if err := os.MkdirAll(filepath.Join(path, fmt.Sprintf("d%04d", i)), 0o755); err != nil {
					return err
				}
			}
			return nil
		}},
		{"a FIFO as SKILL.md", in("fifo/SKILL.md"), "FMT-14", func(path string) error { return syscall.Mkfifo(path, 0o644) }},
		{"a directory as SKILL.md", in("folder/SKILL.md"), "FMT-14", func(path string) error { return os.Mkdir(path, 0o755) }},
		{"a link to a device as SKILL.md", in("device/SKILL.md"), "FMT-14", link("/dev/zero")},
		{"a SKILL.md of 200 MB", in("big/SKILL.md"), "FMT-14", func(path string) error {
			if err := file(0o644, oddText("big"))(path); err != nil {
				return err
			}
			return os.Truncate(path, bigSize) // sparse: the size is what counts
		}},
		{"a SKILL.md that is not UTF-8", in("latin/SKILL.md"), "FMT-3", file(0o644, strings.Replace(oddText("latin"), "Does", "D\xf6es", 1))},
		{"a SKILL.md that may not be read", in("secret/SKILL.md"), "DSC-6", file(0, oddText("secret"))},
		{"a SKILL.md that is a dangling link", in("lost/SKILL.md"), "DSC-5", link("nowhere")},
		{"a dangling link", in("gone"), "DSC-5", link("nowhere")},
		{"a folder that may not be read", in("locked"), "DSC-6", func(path string) error { return os.Mkdir(path, 0) }},
	}
}

func oddText(name string) string {
	return "---\nname: " + name + "\ndescription: Does what it says. Use when testing.\n---\nBody.\n"
}

// makeOdd builds the tree: two good skills, cycles, and the oddities.
func makeOdd(dir string) (*job, error) {
	var errs []error
	must := func(err error) { errs = append(errs, err) }
	for _, sub := range []string{"repo/.git", oddSkills + "/fine", oddSkills + "/demo", oddSkills + "/a", oddSkills + "/b", oddSkills + "/group"} {
		must(os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	for _, name := range []string{"fine", "demo"} {
		must(os.WriteFile(filepath.Join(dir, oddSkills, name, "SKILL.md"), []byte(oddText(name)), 0o644))
	}
	for link, to := range map[string]string{"demo/again": "../demo", "a/l": "../b", "b/l": "../a", "group/up": "..", "group/self": "."} {
		must(os.Symlink(to, filepath.Join(dir, oddSkills, link)))
	}
	for _, o := range oddities() {
		path := filepath.Join(dir, o.path)
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(o.make(path))
	}
	return &job{Workspace: []string{filepath.Join(dir, "repo")}, Home: filepath.Join(dir, "home")}, errors.Join(errs...)
}

// An oddReport is what a scan of the tree has found.
type oddReport struct {
	Took     time.Duration `json:"took_ns"`
	Read     int64         `json:"read_bytes"` // 0 where that cannot be read
	Skills   []string      `json:"skills"`
	Findings []oddFinding  `json:"findings"`
}

type oddFinding struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Message string `json:"message"`
}

// serveOdd is the role that scans the tree.
func serveOdd(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var j job
	if err := json.NewDecoder(stdin).Decode(&j); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	before, begin := bytesRead(), time.Now()
	snap, err := catalog.Scan(ctx, j.options())
	if err != nil {
		return err
	}
	r := oddReport{Took: time.Since(begin), Read: bytesRead() - before}
	for _, e := range snap.All() {
		r.Skills = append(r.Skills, e.ID)
	}
	for _, f := range snap.Findings() {
		r.Findings = append(r.Findings, oddFinding{f.Rule, f.File, f.Message})
	}
	return json.NewEncoder(stdout).Encode(r)
}

// odd makes the tree, has it scanned, and prints what was said of each oddity. One that
// is not reported is an error, and so is a skill that is lost or found twice.
func odd(ctx context.Context, check bool, stdout io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "format-odd-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeOdd(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	j, err := makeOdd(dir)
	if err != nil {
		return fmt.Errorf("making the tree: %w", err)
	}
	r, as, err := scanOdd(ctx, dir, j)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintf(out, "%d findings in %s, as %s\n\n", len(r.Findings), ms(r.Took), as)
	var missing []string
	for _, o := range oddities() {
		said := r.about(o, dir)
		if said == "" {
			said = "NOTHING"
			missing = append(missing, o.what)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", o.what, o.rule, strings.ReplaceAll(said, dir+"/", ""))
	}
	bounds := []figures.Bound{figures.Bound{What: "time", Limit: mostOdd, Unit: "s"}.Judge(r.Took.Seconds())}
	if r.Read > 0 {
		bounds = append(bounds, figures.Bound{What: "read", Limit: mostRead, Unit: "KiB"}.Judge(float64(r.Read)/1024))
	}
	fmt.Fprintln(out)
	figures.WriteBounds(out, "scan", bounds)
	if err := out.Flush(); err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("nothing is said of %s", strings.Join(missing, ", "))
	}
	if slices.Sort(r.Skills); !slices.Equal(r.Skills, []string{"demo", "fine"}) {
		return fmt.Errorf("the skills are %q, want demo and fine, once each", r.Skills)
	}
	if check {
		return figures.Check(bounds)
	}
	return nil
}

// about returns the message about an oddity, or "".
func (r *oddReport) about(o oddity, dir string) string {
	path := filepath.Join(dir, o.path)
	for _, f := range r.Findings {
		if f.Rule == o.rule && (f.File == path || strings.HasPrefix(f.File, path+"/")) {
			return f.Message
		}
	}
	return ""
}

// scanOdd scans in a process of its own that is not root's, and says whose it is.
func scanOdd(ctx context.Context, dir string, j *job) (*oddReport, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	as := "the user"
	var attr *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		// The program may lie where only root can go.
		as = "nobody, since nothing is unreadable to root"
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		program := filepath.Join(dir, "program")
		b, err := os.ReadFile(self)
		if err != nil {
			return nil, "", err
		}
		if err := os.WriteFile(program, b, 0o755); err != nil {
			return nil, "", err
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return nil, "", err
		}
		self = program
	}
	r := new(oddReport)
	err = command{attr: attr, dir: dir}.run(ctx, j, r, self, roleOdd)
	return r, as, err
}

// removeOdd removes the tree with what may not be read in it.
func removeOdd(dir string) error {
	if err := os.Chmod(filepath.Join(dir, oddSkills, "locked"), 0o755); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}

// bytesRead is what this process has read so far, by the kernel's count.
func bytesRead() int64 {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "rchar:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			return n
		}
	}
	return 0
}
