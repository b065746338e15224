// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A client is the load: it sends one request at a time and checks what comes
// back byte for byte. It decodes nothing while it measures, so that its own work
// is a small part of each figure.
type client struct {
	w   io.Writer
	r   *bufio.Reader
	id  int
	out []byte
	exp []byte
}

func newClient(w io.Writer, r io.Reader) *client {
	return &client{w: w, r: bufio.NewReaderSize(r, 64<<10)}
}

// send writes a request and returns its id's token.
func (c *client) send(method, params string) (string, error) {
	c.id++
	c.out = appendRequest(c.out[:0], c.id, method, params)
	if _, err := c.w.Write(c.out); err != nil {
		return "", fmt.Errorf("sending %s: %w", method, err)
	}
	return strconv.Itoa(c.id), nil
}

// line returns the next line with its newline, valid until the next call.
func (c *client) line() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		rest, rerr := c.r.ReadBytes('\n')
		line, err = append(long, rest...), rerr
	}
	if err != nil {
		return nil, fmt.Errorf("the agent's side ended: %w", err)
	}
	return line, nil
}

// aside reports whether a line is one that a proxy may add between the agent's:
// its list of commands, or a notice.
func aside(line []byte) bool {
	m := jsonrpc.Scan(bytes.TrimRight(line, "\r\n"))
	return m.Kind == jsonrpc.Notification && (m.Variant == "available_commands_update" || m.Variant == "notice")
}

// expect reads up to the wanted line. Anything but a proxy's own lines before it
// is an error.
func (c *client) expect(want []byte) error {
	for {
		got, err := c.line()
		if err != nil {
			return err
		}
		if bytes.Equal(got, want) {
			return nil
		}
		if !aside(got) {
			return fmt.Errorf("expected %s, got %s", clip(want), clip(got))
		}
	}
}

// call sends a request and decodes its result: for the set-up, where a proxy
// changes what the agent said.
func (c *client) call(method, params string, result any) error {
	id, err := c.send(method, params)
	if err != nil {
		return err
	}
	for {
		line, err := c.line()
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		m := jsonrpc.Scan(bytes.TrimRight(line, "\r\n"))
		switch {
		case m.Kind == jsonrpc.Notification:
		case m.Kind == jsonrpc.Response && string(m.ID) == id && m.Result() != nil:
			return json.Unmarshal(m.Result(), result)
		default:
			return fmt.Errorf("%s was answered with %s", method, clip(line))
		}
	}
}

// initialized is what the client looks at in an initialize response.
type initialized struct {
	ProtocolVersion int
	Capabilities    struct {
		Session struct {
			Prompt struct {
				Skill *struct {
					Inline *struct{}
				}
			}
		}
	}
}

func (i *initialized) grafted() bool {
	skill := i.Capabilities.Session.Prompt.Skill
	return skill != nil && skill.Inline != nil
}

const initializeParams = `{"protocolVersion":2,"info":{"name":"relay-load","version":"1"},` +
	`"capabilities":{"session":{"commands":{"skill":{}}}}}`

// open initializes and makes the session.
func (c *client) open(cwd string) (initialized, error) {
	var caps initialized
	if err := c.call("initialize", initializeParams, &caps); err != nil {
		return caps, err
	}
	if caps.ProtocolVersion != 2 {
		return caps, fmt.Errorf("version %d was negotiated; this measures version 2", caps.ProtocolVersion)
	}
	dir, err := json.Marshal(cwd)
	if err != nil {
		return caps, err
	}
	var session struct{ SessionID string }
	if err := c.call("session/new", `{"cwd":`+string(dir)+`,"mcpServers":[]}`, &session); err != nil {
		return caps, err
	}
	if session.SessionID != sessionID {
		return caps, fmt.Errorf("the session is %q, not the agent's %q", session.SessionID, sessionID)
	}
	return caps, nil
}

const promptParams = `{"sessionId":"` + sessionID + `","prompt":[{"type":"text","text":"How long does this take?"}]}`

// prompts sends n prompts, each after the last one's answer, and returns how
// long each took.
func (c *client) prompts(n int) ([]time.Duration, error) {
	took := make([]time.Duration, 0, n)
	for i := range n {
		start := time.Now()
		id, err := c.send("session/prompt", promptParams)
		if err != nil {
			return nil, err
		}
		c.exp = appendInserted(c.exp[:0], id, i)
		if err := c.expect(c.exp); err != nil {
			return nil, fmt.Errorf("prompt %d: %w", i+1, err)
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// stream asks for n updates and returns the time from the request to the
// response behind the last of them.
func (c *client) stream(n int) (time.Duration, error) {
	start := time.Now()
	id, err := c.send(methodStream, `{"count":`+strconv.Itoa(n)+`}`)
	if err != nil {
		return 0, err
	}
	for chunk := newChunkLine(); chunk.next < n; {
		if err := c.expect(chunk.step()); err != nil {
			return 0, fmt.Errorf("update %d of %d: %w", chunk.next, n, err)
		}
	}
	if err := c.expect(appendResult(nil, id, "{}")); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// big asks for the one big message and checks its sum, piece by piece: the
// client's own memory must not matter on a small machine.
func (c *client) big() error {
	id, err := c.send(methodBig, "{}")
	if err != nil {
		return err
	}
	want := crc32.NewIEEE()
	if err := writeBig(want); err != nil {
		return err
	}
	for {
		got, size, head := crc32.NewIEEE(), 0, []byte(nil)
		for more := true; more; {
			piece, err := c.r.ReadSlice('\n')
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return fmt.Errorf("the agent's side ended inside the big message: %w", err)
			}
			if size == 0 {
				head = bytes.Clone(piece)
			}
			size += len(piece)
			_, _ = got.Write(piece)
			more = err != nil
		}
		if got.Sum32() == want.Sum32() && size == bigSize+1 {
			break
		}
		if size > len(head) || !aside(head) {
			return fmt.Errorf("the big message came as %d bytes instead of %d: %s", size, bigSize+1, clip(head))
		}
	}
	return c.expect(appendResult(nil, id, "{}"))
}
