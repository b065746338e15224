// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"runtime"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// interpreter is the command line in front of a script's file: what its first line
// names, else what its ending stands for. The error says what is missing.
func interpreter(name string, content []byte) ([]string, error) {
	words := shebang(content)
	if words == nil {
		switch strings.ToLower(path.Ext(name)) {
		case ".sh":
			words = []string{"sh"}
		case ".bash":
			words = []string{"bash"}
		case ".py":
			words = []string{"python3"}
		case ".js", ".mjs", ".cjs":
			words = []string{"node"}
		case ".rb":
			words = []string{"ruby"}
		case ".pl":
			words = []string{"perl"}
		case ".ps1":
			words = []string{"pwsh", "-File"}
		default:
			return nil, fmt.Errorf("%s cannot be run: its first line names no interpreter (#!/bin/sh, say), and its ending stands for none", skill.Sanitize(name))
		}
	}
	if runtime.GOOS == "windows" {
		words[0] = path.Base(words[0]) // paths of Unix mean nothing there
	}
	file, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("%s needs %s, which is not installed or not in PATH", skill.Sanitize(name), skill.Sanitize(words[0]))
	}
	words[0] = file
	return words, nil
}

// shebang is the interpreter that a script's first line names, with its arguments. One
// that env is to find is named itself.
func shebang(content []byte) []string {
	line, _, _ := bytes.Cut(content[:min(len(content), 512)], []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	words := strings.Fields(string(rest))
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
		if words[0] == "-S" {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return nil
	}
	return words
}
