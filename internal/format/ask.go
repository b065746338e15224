// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// defaultDir is where a new skill of a project belongs (DSC-1).
const defaultDir = ".agents/skills"

// complete fills in what the flags leave open: with the answers of a person, who is asked
// on w, or not at all when there is none.
func (o *NewOptions) complete(name *string, person io.Reader, w io.Writer) error {
	if o.Dir == "" {
		o.Dir = defaultDir
	}
	if *name != "" && o.Description != "" {
		return nil
	}
	if person == nil {
		if *name == "" {
			return cli.Usagef("the skill's name is missing: skillgraft new NAME --description TEXT")
		}
		return cli.Usagef("the description is missing: say with --description what the skill does and when to use it; at a terminal you are asked")
	}
	q := questions{in: bufio.NewReader(person), out: w}
	if *name == "" {
		answer, err := q.ask("Name (lower-case letters, digits, hyphens): ")
		if err != nil {
			return err
		}
		*name = answer
		if better := betterName(answer); better != "" && better != answer {
			*name = better
			fmt.Fprintf(w, "It will be called %s.\n", better)
		}
	}
	if o.Description != "" {
		return nil
	}
	what, err := q.ask("What does it do? (such as: Extracts text from PDF files) ")
	if err != nil {
		return err
	}
	when, err := q.ask("When is it to be used? (such as: the user mentions a PDF) ")
	if err != nil {
		return err
	}
	o.Description = describe(what, when)
	return nil
}

type questions struct {
	in  *bufio.Reader
	out io.Writer
}

// errNoAnswer is the end of what a person types.
var errNoAnswer = errors.New("no answer, so nothing was made")

// ask asks until something is answered.
func (q questions) ask(question string) (string, error) {
	for {
		fmt.Fprint(q.out, question)
		line, err := q.in.ReadString('\n')
		if answer := skill.Sanitize(line); answer != "" {
			return answer, nil
		}
		if err != nil {
			fmt.Fprintln(q.out)
			return "", &cli.ExitError{Status: exitCannot, Err: errNoAnswer}
		}
	}
}

// describe joins what a skill does and when to use it in the words that agents look for.
func describe(what, when string) string {
	what = strings.TrimRight(what, ". ")
	when = strings.TrimRight(when, ". ")
	for _, start := range []string{"use it when ", "use when ", "when "} {
		if len(when) > len(start) && strings.EqualFold(when[:len(start)], start) {
			when = when[len(start):]
			break
		}
	}
	return what + ". Use when " + when + "."
}
