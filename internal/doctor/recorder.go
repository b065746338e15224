// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// methodRecorded asks the recorder for what it has kept. The proxy passes on
// what it does not know (PXY-1).
const methodRecorded = "_skillgraft/recorded"

// recorder stands between the proxy and an agent. It passes on everything but
// prompts, which it keeps and refuses. Without an agent it is one that knows
// nothing of skills.
type recorder struct {
	toClient *jsonrpc.Writer
	toAgent  io.Writer // nil: there is no agent

	mu           sync.Mutex
	initializing jsonrpc.ID
	initialized  []byte // the agent's own answer
	prompt       []byte // the array of blocks
}

// Record is a recorder on the streams. An agent's exit status becomes its own.
func Record(ctx context.Context, agent []string, std cli.Streams) error {
	r := &recorder{toClient: jsonrpc.NewWriter(std.Out, nil)}
	defer r.toClient.Close()
	if len(agent) == 0 {
		return r.client(std.In)
	}
	// The agent is part of our own process group, which the proxy ends.
	cmd := exec.CommandContext(ctx, agent[0], agent[1:]...)
	cmd.Stderr = std.Err
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return startError(err)
	}
	r.toAgent = in
	go func() { // ends with the client, or with us
		_ = r.client(std.In)
		_ = in.Close()
	}()
	readErr := r.agent(out)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return cli.Silent(exit.ExitCode())
	}
	return errors.Join(err, readErr)
}

func startError(err error) error {
	status := 126
	if errors.Is(err, exec.ErrNotFound) {
		status = 127
	}
	return &cli.ExitError{Status: status, Err: fmt.Errorf("%w: check the spelling, install the agent, or give the full path of its program", err)}
}

// client handles what comes from the proxy.
func (r *recorder) client(in io.Reader) error {
	return each(in, func(m jsonrpc.Message) error {
		if m.Kind != jsonrpc.Request {
			return r.pass(m)
		}
		switch m.Method {
		case methodRecorded:
			r.reply(jsonrpc.EncodeResult(m.ID, r.recorded()))
			return nil
		case acp.MethodPrompt:
			r.keep(&r.prompt, rawjson.Get(m.Params(), "prompt"))
			r.reply(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeCancelled, "the prompt was recorded, and not sent to the agent")))
			return nil
		case acp.MethodInitialize:
			r.mu.Lock()
			r.initializing = m.ID
			r.mu.Unlock()
		}
		return r.pass(m)
	})
}

// agent handles what comes from the agent.
func (r *recorder) agent(out io.Reader) error {
	return each(out, func(m jsonrpc.Message) error {
		r.mu.Lock()
		mine := m.Kind == jsonrpc.Response && m.ID == r.initializing && r.initialized == nil
		r.mu.Unlock()
		if mine {
			r.keep(&r.initialized, m.Result())
		}
		r.reply(m.Raw)
		return nil
	})
}

func each(in io.Reader, f func(jsonrpc.Message) error) error {
	reader := jsonrpc.NewReader(in, nil)
	for {
		m, err := reader.Next()
		var long *jsonrpc.LineTooLongError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &long):
			continue // it is lost here as in the proxy
		case err != nil:
			return err
		}
		if err := f(m); err != nil {
			return err
		}
	}
}

func (r *recorder) pass(m jsonrpc.Message) error {
	if r.toAgent != nil {
		_, err := r.toAgent.Write(append(m.Raw[:len(m.Raw):len(m.Raw)], '\n'))
		return err
	}
	if m.Kind != jsonrpc.Request {
		return nil
	}
	switch m.Method {
	case acp.MethodInitialize:
		result := []byte(`{"protocolVersion":2,"info":{"name":"recorder","title":"an agent without skills","version":"1"},"capabilities":{"session":{"additionalDirectories":{}}},"authMethods":[]}`)
		r.keep(&r.initialized, result)
		r.reply(jsonrpc.EncodeResult(m.ID, result))
	case acp.MethodNewSession:
		r.reply(jsonrpc.EncodeResult(m.ID, []byte(`{"sessionId":"recorded"}`)))
	case acp.MethodCloseSession:
		r.reply(jsonrpc.EncodeResult(m.ID, []byte(`{}`)))
	default:
		r.reply(jsonrpc.EncodeError(m.ID, jsonrpc.MethodNotFound(m.Method)))
	}
	return nil
}

func (r *recorder) keep(where *[]byte, value []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*where = append([]byte(nil), value...)
}

func (r *recorder) recorded() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []byte(`{"initialized":`)
	out = append(out, orNull(r.initialized)...)
	out = append(out, `,"prompt":`...)
	out = append(out, orNull(r.prompt)...)
	return append(out, '}')
}

func orNull(value []byte) []byte {
	if len(value) == 0 {
		return []byte("null")
	}
	return value
}

func (r *recorder) reply(line []byte) {
	r.toClient.Enqueue(line)
	_ = r.toClient.Flush() // whoever cannot be written to has left
}
