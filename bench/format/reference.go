// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// A reference is where the reference library and Python are.
type reference struct {
	python string
	path   []string // where skills_ref, strictyaml and what that needs can be imported from
}

func newReference(python, path string) (*reference, error) {
	r := &reference{python: python}
	for _, dir := range filepath.SplitList(path) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		r.path = append(r.path, abs)
	}
	return r, nil
}

// A referenceRun is what one Python process found for a list of directories.
type referenceRun struct {
	Took    float64  `json:"took"` // seconds for reading the properties of all
	CPU     float64  `json:"cpu"`
	Read    int      `json:"read"`
	Answers []answer `json:"answers"`
}

// An answer is what the reference says of one directory. Properties and Prompt
// are what its commands print, and empty with an Error.
type answer struct {
	Dir        string   `json:"dir"`
	Properties string   `json:"properties"`
	Prompt     string   `json:"prompt"`
	Error      string   `json:"error"`
	Validate   []string `json:"validate"`
}

// script drives the reference's own functions, in one process and without its
// start: what is compared is the work.
const script = `
import json, sys, time
from pathlib import Path
from skills_ref.parser import read_properties
from skills_ref.prompt import to_prompt
from skills_ref.validator import validate

job = json.load(sys.stdin)
dirs = [Path(d) for d in job["dirs"]]
read, answers = 0, []
begin, cpu = time.perf_counter(), time.process_time()
for d in dirs:
    try:
        read_properties(d)
        read += 1
    except Exception:
        pass
took, cpu = time.perf_counter() - begin, time.process_time() - cpu
if job["answers"]:
    for d in dirs:
        a = {"dir": str(d)}
        try:
            a["validate"] = validate(d)
            a["properties"] = json.dumps(read_properties(d).to_dict(), indent=2)
            a["prompt"] = to_prompt([d])
        except Exception as e:
            a["error"] = type(e).__name__ + ": " + str(e)
            a.setdefault("validate", [a["error"]])
        answers.append(a)
json.dump({"took": took, "cpu": cpu, "read": read, "answers": answers}, sys.stdout)
`

// run reads the properties of the directories and, with answers set, collects
// what the reference says of each.
func (r *reference) run(ctx context.Context, dirs []string, answers bool) (*referenceRun, error) {
	in := struct {
		Dirs    []string `json:"dirs"`
		Answers bool     `json:"answers"`
	}{dirs, answers}
	out := new(referenceRun)
	env := []string{"PYTHONPATH=" + strings.Join(r.path, string(filepath.ListSeparator)), "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1"}
	if err := (command{env: env}).run(ctx, in, out, r.python, "-c", script); err != nil {
		return nil, fmt.Errorf("running the reference with %s: %w (-reference names the directories of skills_ref, strictyaml and what that imports)", r.python, err)
	}
	return out, nil
}

func (r *reference) sample(ctx context.Context, dirs []string) (sample, error) {
	out, err := r.run(ctx, dirs, false)
	if err != nil {
		return sample{}, err
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return sample{Role: roleReference, Took: seconds(out.Took), CPU: seconds(out.CPU), Files: len(dirs), Usable: out.Read}, nil
}
