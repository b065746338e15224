// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return generate(root)
	case len(args) == 2 && args[0] == "fetch":
		return fetch(filepath.Join(root, "internal", "schemagen"), args[1], out)
	}
	return fmt.Errorf("usage: schemagen, or schemagen fetch VERSION; got %q", args)
}

// findRoot is the module's directory: go generate runs in that of the package.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", fmt.Errorf("no go.mod here or above; run it inside the module")
	}
}

// generate writes all files, and removes those that are not written any more.
func generate(root string) error {
	for _, p := range packages() {
		files, err := p.files()
		if err != nil {
			return fmt.Errorf("%s: %w", p.dir, err)
		}
		dir := filepath.Join(root, filepath.FromSlash(p.dir))
		old, err := filepath.Glob(filepath.Join(dir, "*_gen*.go"))
		if err != nil {
			return err
		}
		var names []string
		for _, f := range files {
			names = append(names, f.name)
			if err := os.WriteFile(filepath.Join(dir, f.name), f.text, 0o644); err != nil {
				return err
			}
		}
		for _, path := range old {
			if !slices.Contains(names, filepath.Base(path)) {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
