// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// scripted is a scripted model that the agent's own client asks over HTTP.
type scripted struct {
	*scriptmodel.Server
	spec string

	mu      sync.Mutex
	answers []scriptmodel.Answer
}

// script makes one that gives its answers one after the other.
func script(t testing.TB, lines string) *scripted {
	t.Helper()
	m := &scripted{spec: "anthropic:scripted"}
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var a struct {
			Text  string
			Calls []struct {
				Name      string
				Arguments json.RawMessage
			}
			Status int
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		answer := scriptmodel.Answer{Text: a.Text, Status: a.Status}
		for _, c := range a.Calls {
			answer.Calls = append(answer.Calls, scriptmodel.Call{Name: c.Name, Arguments: string(c.Arguments)})
		}
		m.answers = append(m.answers, answer)
	}
	m.start(t, func(scriptmodel.Request) scriptmodel.Answer {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.answers) == 0 {
			return scriptmodel.Answer{Status: 418, Text: "the script is over"}
		}
		a := m.answers[0]
		m.answers = m.answers[1:]
		return a
	})
	return m
}

// answering makes a model that answers by a function.
func answering(t testing.TB, f scriptmodel.Script) *scripted {
	t.Helper()
	m := &scripted{spec: "anthropic:scripted"}
	m.start(t, f)
	return m
}

func (m *scripted) start(t testing.TB, f scriptmodel.Script) {
	t.Helper()
	s, err := scriptmodel.Start(&scriptmodel.Options{Script: f})
	if err != nil {
		t.Fatal(err)
	}
	m.Server = s
	t.Cleanup(func() { _ = s.Close() })
}

// use has an agent use the model.
func (m *scripted) use(o *Options) {
	o.Models = []string{m.spec}
	o.OpenModel = func(spec string) (model.Model, error) {
		return model.Open(spec, &model.Options{FirstWait: time.Millisecond, Env: m.env})
	}
}

func (m *scripted) env(name string) string {
	switch name {
	case "ANTHROPIC_BASE_URL":
		return m.URL()
	case "OPENAI_BASE_URL":
		return m.URL() + "/v1"
	}
	return "test-key"
}

// check compares what the model was told with the lines of "asked".
func (m *scripted) check(t testing.TB, ws, asked string) {
	t.Helper()
	requests := m.Requests()
	for line := range strings.Lines(asked) {
		number, want, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(requests) {
			t.Errorf("there is no request %s: the model was asked %d times", number, len(requests))
			continue
		}
		var all bytes.Buffer
		for _, text := range requests[n-1].Texts() {
			all.WriteString(text.Role + ": " + text.Text + "\n")
		}
		for _, tool := range requests[n-1].Tools() {
			all.WriteString("tool: " + tool.Name + "\n")
		}
		text := strings.NewReplacer("$WS", ws, `\n`, "\n").Replace(want[1:])
		if got := strings.Contains(all.String(), text); got != (want[0] == '+') {
			t.Errorf("request %s, %s: the model was told\n%s", number, want, all.String())
		}
	}
}
