// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

const (
	initializeResult = `{"protocolVersion":2,"info":{"name":"relay-echo","version":"1"},"capabilities":{"session":{}}}`
	newResult        = `{"sessionId":"` + sessionID + `"}`
)

// serveAgent is the echo agent: it answers a prompt at once, and streams when
// asked to. It knows nothing of skills, as most agents today.
func serveAgent(stdin io.Reader, stdout io.Writer) error {
	in := jsonrpc.NewReader(stdin, nil)
	a := echoAgent{out: bufio.NewWriterSize(stdout, 64<<10)}
	for {
		m, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m.Kind != jsonrpc.Request {
			continue // notifications, and answers to questions that it never asks
		}
		if err := a.answer(m); err != nil {
			return err
		}
		if err := a.out.Flush(); err != nil {
			return err
		}
	}
}

type echoAgent struct {
	out     *bufio.Writer
	line    []byte
	prompts int
}

func (a *echoAgent) answer(m jsonrpc.Message) error {
	id := string(m.ID)
	switch m.Method {
	case "session/prompt":
		a.line = appendInserted(a.line[:0], id, a.prompts)
		a.prompts++
	case "initialize":
		a.line = appendResult(a.line[:0], id, initializeResult)
	case "session/new":
		a.line = appendResult(a.line[:0], id, newResult)
	case methodStream:
		var params struct{ Count int }
		if err := json.Unmarshal(m.Params(), &params); err != nil {
			return fmt.Errorf("%s: %w", methodStream, err)
		}
		for chunk := newChunkLine(); chunk.next < params.Count; {
			if _, err := a.out.Write(chunk.step()); err != nil {
				return err
			}
		}
		a.line = appendResult(a.line[:0], id, "{}")
	case methodBig:
		if err := writeBig(a.out); err != nil {
			return err
		}
		a.line = appendResult(a.line[:0], id, "{}")
	default:
		e := jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the echo agent has no method %q", m.Method)
		a.line = append(jsonrpc.EncodeError(m.ID, e), '\n')
	}
	_, err := a.out.Write(a.line)
	return err
}
