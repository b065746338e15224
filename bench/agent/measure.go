// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
)

// An agent is a process of the built-in agent.
type agent struct {
	cmd *exec.Cmd
	to  io.WriteCloser
	in  *bufio.Reader
	ids int
}

func start(ctx context.Context, binary, dir string, m *aModel) (*agent, error) {
	a := &agent{cmd: exec.CommandContext(ctx, binary, "agent", "--user-skills=false", "--trust=always", "--model", "openai:bench", "--state", filepath.Join(dir, "state"))}
	a.cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=")
	var err error
	if a.to, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.in = bufio.NewReaderSize(out, 1<<16)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = a.call("initialize", `{"protocolVersion":2,"info":{"name":"bench","version":"1"},"capabilities":{"session":{"commands":{"skill":{}}}}}`)
	return a, err
}

func (a *agent) stop() error {
	_ = a.to.Close()
	return a.cmd.Wait()
}

func (a *agent) send(method, params string) (id int, err error) {
	a.ids++
	_, err = fmt.Fprintf(a.to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.ids, method, params)
	return a.ids, err
}

// until reads lines up to one that has text.
func (a *agent) until(text string) (string, error) {
	for {
		line, err := a.in.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("waiting for %s: %w", text, err)
		}
		if strings.Contains(line, text) {
			return line, nil
		}
	}
}

// call sends a request and reads its result.
func (a *agent) call(method, params string) (string, error) {
	id, err := a.send(method, params)
	if err != nil {
		return "", err
	}
	line, err := a.until(fmt.Sprintf(`"id":%d,`, id))
	if err == nil && strings.Contains(line, `"error":`) {
		err = fmt.Errorf("%s: %s", method, line)
	}
	return line, err
}

func (a *agent) open(work string) (string, error) {
	cwd, err := json.Marshal(work)
	if err != nil {
		return "", err
	}
	line, err := a.call("session/new", `{"cwd":`+string(cwd)+`}`)
	if err != nil {
		return "", err
	}
	var m struct{ Result struct{ SessionID string } }
	err = json.Unmarshal([]byte(line), &m)
	return m.Result.SessionID, err
}

func prompt(session string) string {
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"Say something."}]}`, session)
}

// firstUpdates measures the median time to the first token of the model alone, and to the
// agent's first piece of an answer. The two take turns, so that both see the same machine.
func firstUpdates(ctx context.Context, binary, dir, work string, m *aModel, prompts int) (alone, through time.Duration, err error) {
	a, err := start(ctx, binary, dir, m)
	if err != nil {
		return 0, 0, err
	}
	session, err := a.open(work)
	if err != nil {
		return 0, 0, err
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	var direct, agents []time.Duration
	for n := range prompts + 5 {
		d, err := ask(client, m.url)
		if err != nil {
			return 0, 0, err
		}
		begin := time.Now()
		if _, err := a.send("session/prompt", prompt(session)); err != nil {
			return 0, 0, err
		}
		if _, err := a.until("agent_message_chunk"); err != nil {
			return 0, 0, err
		}
		t := time.Since(begin)
		if _, err := a.until(`"idle"`); err != nil {
			return 0, 0, err
		}
		if n >= 5 { // the first ones open connections
			direct, agents = append(direct, d), append(agents, t)
		}
	}
	if err := a.stop(); err != nil {
		return 0, 0, err
	}
	slices.Sort(direct)
	slices.Sort(agents)
	return figures.Percentile(direct, 50), figures.Percentile(agents, 50), nil
}

// ask asks the model itself, with a request like the agent's.
func ask(client *http.Client, url string) (time.Duration, error) {
	body := []byte(`{"model":"bench","stream":true,"messages":[{"role":"system","content":"` + strings.Repeat("x", 6000) + `"},{"role":"user","content":"Say something."}]}`)
	begin := time.Now()
	resp, err := client.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	if _, err := in.ReadString('\n'); err != nil {
		return 0, err
	}
	d := time.Since(begin)
	_, err = io.Copy(io.Discard, in)
	return d, err
}

// memory is the agent's peak with many sessions that all wait for their model, 0 where it
// cannot be read.
func memory(ctx context.Context, binary, dir, work string, m *aModel, sessions int) (int64, error) {
	a, err := start(ctx, binary, dir, m)
	if err != nil {
		return 0, err
	}
	release := m.held()
	for range sessions {
		session, err := a.open(work)
		if err != nil {
			return 0, err
		}
		if _, err := a.send("session/prompt", prompt(session)); err != nil {
			return 0, err
		}
		if _, err := a.until("agent_message_chunk"); err != nil {
			return 0, err
		}
	}
	peak, err := figures.PeakMemory(a.cmd.Process.Pid)
	if err != nil {
		peak = 0 // not Linux
	}
	release()
	for range sessions {
		if _, err := a.until(`"idle"`); err != nil {
			return 0, err
		}
	}
	return peak, a.stop()
}
