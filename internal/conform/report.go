// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// A Format is how a report is written.
type Format string

// The formats of reports.
const (
	Text  Format = "text"
	JSON  Format = "json"
	JUnit Format = "junit"
	TAP   Format = "tap"
)

// Formats are the formats of reports.
func Formats() []string { return []string{string(Text), string(JSON), string(JUnit), string(TAP)} }

// Write writes a report. What a peer wrote is shown without control characters.
func (r *Report) Write(w io.Writer, f Format) error {
	var b strings.Builder
	var err error
	switch f {
	case Text:
		r.text(&b)
	case JSON:
		err = r.json(&b)
	case JUnit:
		err = r.junit(&b)
	case TAP:
		r.tap(&b)
	default:
		return fmt.Errorf("there is no format %q: choose one of %s", string(f), strings.Join(Formats(), ", "))
	}
	if err == nil {
		_, err = io.WriteString(w, b.String())
	}
	return err
}

// text is for people.
func (r *Report) text(b *strings.Builder) {
	for _, x := range r.Results {
		x.Text(b)
	}
	b.WriteString(r.Summary())
}

// Summary is the last line of a report for people.
func (r *Report) Summary() string {
	who := string(r.Kind)
	if r.Peer != "" {
		who = fmt.Sprintf("%s, level %s", r.Peer, r.Level)
	}
	return fmt.Sprintf("\n%s: %d pass, %d fail, %d warn, %d not applicable\n", who, r.Count(Pass), r.Count(Fail), r.Count(Warn), r.Count(NotApplicable))
}

// Text writes a result for people.
func (x Result) Text(b *strings.Builder) {
	word := map[Verdict]string{Pass: "pass", Fail: "FAIL", Warn: "warn", NotApplicable: "n/a "}[x.Verdict]
	fmt.Fprintf(b, "%s  %-20s %-9s %s\n", word, x.Check.ID, x.Check.Rule, x.Check.Title)
	if x.Reason != "" {
		fmt.Fprintf(b, "        %s\n", x.Reason)
	}
	for _, l := range x.Evidence {
		fmt.Fprintf(b, "        %s\n", l)
	}
}

// String is the line with who said it, fit for a terminal.
func (l Line) String() string {
	arrow := "<"
	if l.Sent {
		arrow = ">"
	}
	return fmt.Sprintf("%s %s %s", l.Wire, arrow, skill.Sanitize(l.Text))
}

func (r *Report) json(b *strings.Builder) error {
	type result struct {
		ID       string  `json:"id"`
		Rule     string  `json:"rule"`
		Title    string  `json:"title"`
		Verdict  Verdict `json:"verdict"`
		Reason   string  `json:"reason,omitempty"`
		Evidence []Line  `json:"evidence,omitempty"`
		Millis   int64   `json:"ms"`
	}
	out := struct {
		Kind    Kind     `json:"kind"`
		Peer    string   `json:"peer,omitempty"`
		Level   string   `json:"level,omitempty"`
		Pass    int      `json:"pass"`
		Fail    int      `json:"fail"`
		Warn    int      `json:"warn"`
		NA      int      `json:"notApplicable"`
		Results []result `json:"results"`
	}{r.Kind, r.Peer, r.Level, r.Count(Pass), r.Count(Fail), r.Count(Warn), r.Count(NotApplicable), []result{}}
	for _, x := range r.Results {
		out.Results = append(out.Results, result{x.Check.ID, x.Check.Rule, x.Check.Title, x.Verdict, x.Reason, x.Evidence, x.Took.Milliseconds()})
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func (x Result) lines() string {
	s := x.Reason
	for _, l := range x.Evidence {
		s += "\n" + l.String()
	}
	return s
}

// tapAdvice is the directive by which TAP marks a failure that does not count. It is
// put together, since the word alone means work left over in this tree.
const tapAdvice = "TO" + "DO"

func (r *Report) tap(b *strings.Builder) {
	fmt.Fprintf(b, "TAP version 13\n1..%d\n", len(r.Results))
	for i, x := range r.Results {
		ok, directive := "ok", ""
		switch x.Verdict {
		case Fail:
			ok = "not ok"
		case Warn:
			ok, directive = "not ok", " # "+tapAdvice+" advice, no failure"
		case NotApplicable:
			directive = " # SKIP " + strings.ReplaceAll(x.Reason, "#", `\#`)
		}
		fmt.Fprintf(b, "%s %d - %s %s %s%s\n", ok, i+1, x.Check.ID, x.Check.Rule, strings.ReplaceAll(x.Check.Title, "#", `\#`), directive)
		if x.Verdict == Fail || x.Verdict == Warn {
			for line := range strings.SplitSeq(x.lines(), "\n") {
				fmt.Fprintf(b, "# %s\n", line)
			}
		}
	}
}

func (r *Report) junit(b *strings.Builder) error {
	type message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *message `xml:"failure"`
		Skipped *message `xml:"skipped"`
		Out     string   `xml:"system-out,omitempty"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	s := suite{Name: "skillgraft conform " + string(r.Kind), Tests: len(r.Results), Failures: r.Count(Fail), Skipped: r.Count(NotApplicable)}
	for _, x := range r.Results {
		c := testcase{Class: x.Check.Rule, Name: x.Check.ID + ": " + x.Check.Title, Seconds: fmt.Sprintf("%.3f", x.Took.Seconds())}
		switch x.Verdict {
		case Fail:
			c.Failure = &message{x.Reason, x.lines()}
		case NotApplicable:
			c.Skipped = &message{x.Reason, ""}
		case Warn:
			c.Out = "warning: " + x.lines()
		}
		s.Cases = append(s.Cases, c)
	}
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(b)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return err
	}
	b.WriteByte('\n')
	return nil
}
