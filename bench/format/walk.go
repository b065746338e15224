// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// headSize is what the bare walk reads of a file. The loader reads the same in
// nearly every case, and never less.
const headSize = 2 << 10

// bareWalk visits every file that defines a skill under the roots of a job, by
// the rules of discovery (DSC-2), with the plainest code there is: one directory
// after the other, by path. Links are not followed.
func bareWalk(j *job, visit func(file string) error) error {
	for _, root := range j.Roots {
		if err := walkDir(root, 0, j.depth(), visit); err != nil {
			return err
		}
	}
	return nil
}

func walkDir(dir string, depth, most int, visit func(string) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	file := ""
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && (name == "SKILL.md" || name == "skill.md" && file == "") {
			file = name
		}
	}
	if file != "" {
		return visit(dir + string(filepath.Separator) + file)
	}
	if depth == most {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || strings.HasPrefix(name, ".") || name == "node_modules" {
			continue
		}
		if err := walkDir(dir+string(filepath.Separator)+name, depth+1, most, visit); err != nil {
			return err
		}
	}
	return nil
}

// readHeads is the floor: the walk with one read a file. It returns how many
// files there are.
func readHeads(j *job) (files int, err error) {
	buf := make([]byte, headSize)
	err = bareWalk(j, func(file string) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		files++
		_, err = f.Read(buf)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, f.Close())
	})
	return files, err
}

// skillDirs lists the directories that the walk finds.
func skillDirs(j *job) ([]string, error) {
	var dirs []string
	err := bareWalk(j, func(file string) error {
		dirs = append(dirs, filepath.Dir(file))
		return nil
	})
	return dirs, err
}
