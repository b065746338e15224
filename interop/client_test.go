// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// deadline bounds every wait. It is generous: two cold Node agents on a busy
// machine are slow, and nothing here asserts speed.
const deadline = 45 * time.Second

// frame is one line on the wire with what the tests ask of it.
type frame struct {
	FromAgent bool
	Raw       string

	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *rpcError) String() string { return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data) }

// update is the part of a session/update that the tests look at.
type update struct {
	SessionID string
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`
	State     string          `json:"state"`
	Stop      string          `json:"stopReason"`
	Title     *string         `json:"title"`
	Commands  []command       `json:"availableCommands"`
}

type command struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Path        string          `json:"path"`
	Input       json.RawMessage `json:"input"`
}

// update returns the frame's session update, or false when it is none.
func (f frame) update() (update, bool) {
	if !f.FromAgent || f.Method != "session/update" {
		return update{}, false
	}
	var p struct {
		SessionID string `json:"sessionId"`
		Update    update `json:"update"`
	}
	if json.Unmarshal(f.Params, &p) != nil {
		return update{}, false
	}
	p.Update.SessionID = p.SessionID
	return p.Update, true
}

// blocks returns the content of a user_message (a list) or of a chunk (one block).
func (u update) blocks() []json.RawMessage {
	raw := bytes.TrimSpace(u.Content)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' {
		return []json.RawMessage{raw}
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	return list
}

// client is the smallest client there is: it writes lines and keeps every line
// that comes back, in order, raw. The SDKs reorder and re-encode; the tests
// judge what was on the wire.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *lockedBuffer
	log    io.Writer // a transcript, or nil

	mu      sync.Mutex
	frames  []frame
	changed chan struct{}
	eof     bool
	nextID  int
	exited  chan struct{}

	answering bool // see answerRequests
	writing   sync.Mutex
}

// start runs argv with env in dir and reads its lines until the test ends.
func start(t *testing.T, dir string, env []string, argv ...string) *client {
	t.Helper()
	c := &client{t: t, stderr: &lockedBuffer{}, changed: make(chan struct{}), exited: make(chan struct{})}
	if to := os.Getenv("INTEROP_TRANSCRIPTS"); to != "" {
		name := strings.NewReplacer("/", "-").Replace(t.Name())
		f, err := os.OpenFile(to+"/"+name+".txt", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		fmt.Fprintf(f, "# process: %s\n", strings.Join(argv, " "))
		c.log = f
	}
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = dir, env, c.stderr
	c.cmd.WaitDelay = 5 * time.Second
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatalf("starting %q: %v", argv, err)
	}
	go func() {
		c.read(stdout)
		_ = c.cmd.Wait()
		close(c.exited)
	}()
	t.Cleanup(func() {
		c.close()
		if t.Failed() {
			c.dump()
		}
	})
	return c
}

func (c *client) read(r io.Reader) {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := br.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			f := parse(line, true)
			c.add(f)
			c.mu.Lock()
			due := c.answering && f.Method != "" && f.ID != nil
			c.mu.Unlock()
			if due {
				a := answer(f)
				c.add(parse(a, false))
				_ = c.write(a) // an agent that is gone is noticed by whoever waits
			}
		}
		if err != nil {
			c.mu.Lock()
			c.eof = true
			c.wake()
			c.mu.Unlock()
			return
		}
	}
}

func parse(line string, fromAgent bool) frame {
	f := frame{FromAgent: fromAgent, Raw: line}
	_ = json.Unmarshal([]byte(line), &f) // noise stays raw
	return f
}

func (c *client) add(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames = append(c.frames, f)
	if c.log != nil {
		fmt.Fprintf(c.log, "%s %s\n", map[bool]string{true: "<", false: ">"}[f.FromAgent], f.Raw)
	}
	c.wake()
}

// wake tells the waiters to look again. c.mu is held.
func (c *client) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// line sends one raw line.
func (c *client) line(raw string) {
	c.t.Helper()
	c.add(parse(raw, false))
	if err := c.write(raw); err != nil {
		c.t.Fatalf("writing to the agent: %v\nstderr: %s", err, c.stderr)
	}
}

func (c *client) write(line string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := io.WriteString(c.stdin, line+"\n")
	return err
}

// request sends a request and returns its id, without waiting.
func (c *client) request(method string, params any) int {
	c.t.Helper()
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.mu.Unlock()
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, raw(c.t, params)))
	return id
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, raw(c.t, params)))
}

// call sends a request and waits for its response, which may be an error.
func (c *client) call(method string, params any) frame {
	c.t.Helper()
	return c.response(c.request(method, params))
}

// must is call for a request that has to succeed.
func (c *client) must(method string, params any) json.RawMessage {
	c.t.Helper()
	f := c.call(method, params)
	if f.Error != nil {
		c.t.Fatalf("%s: %s", method, f.Error)
	}
	return f.Result
}

// response waits for the response to id.
func (c *client) response(id int) frame {
	c.t.Helper()
	want := fmt.Sprint(id)
	return c.wait(0, "the response to "+want, func(f frame) bool {
		return f.FromAgent && f.Method == "" && string(f.ID) == want
	})
}

// mark is the number of frames so far: a place to wait from.
func (c *client) mark() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.frames)
}

// since returns the frames from a mark on.
func (c *client) since(mark int) []frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]frame(nil), c.frames[mark:]...)
}

// wait returns the first frame at or behind from that matches.
func (c *client) wait(from int, what string, match func(frame) bool) frame {
	c.t.Helper()
	f, err := c.waitFor(from, deadline, match)
	if err != nil {
		c.t.Fatalf("waiting for %s: %v", what, err)
	}
	return f
}

func (c *client) waitFor(from int, limit time.Duration, match func(frame) bool) (frame, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		c.mu.Lock()
		fresh, changed, eof := c.frames[from:], c.changed, c.eof
		from = len(c.frames)
		c.mu.Unlock()
		for _, f := range fresh {
			if match(f) {
				return f, nil
			}
		}
		if eof {
			return frame{}, errors.New("the process closed its output")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return frame{}, ctx.Err()
		}
	}
}

// waitUpdate waits for a session/update that matches.
func (c *client) waitUpdate(from int, what string, match func(update) bool) update {
	c.t.Helper()
	f := c.wait(from, what, func(f frame) bool {
		u, ok := f.update()
		return ok && match(u)
	})
	u, _ := f.update()
	return u
}

// idle waits for the end of a turn of session and returns the stop reason.
func (c *client) idle(from int, session string) string {
	c.t.Helper()
	return c.waitUpdate(from, "the turn's end", func(u update) bool {
		return u.SessionID == session && u.Kind == "state_update" && u.State == "idle"
	}).Stop
}

// updates returns the session's updates among frames.
func updates(frames []frame, session string) []update {
	var us []update
	for _, f := range frames {
		if u, ok := f.update(); ok && u.SessionID == session {
			us = append(us, u)
		}
	}
	return us
}

// close ends the input and waits until the process is gone.
func (c *client) close() {
	_ = c.stdin.Close()
	select {
	case <-c.exited:
	case <-time.After(20 * time.Second):
		c.t.Errorf("the process did not end when its input was closed; killed")
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// dump logs the end of the conversation of a failed test.
func (c *client) dump() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, f := range c.frames[max(0, len(c.frames)-60):] {
		line := f.Raw
		if len(line) > 1200 {
			line = line[:1200] + "..."
		}
		fmt.Fprintf(&b, "%s %s\n", map[bool]string{true: "<", false: ">"}[f.FromAgent], line)
	}
	c.t.Logf("the wire, last frames:\n%sstderr: %s", b.String(), c.stderr)
}

// raw encodes v unless it is JSON already.
func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return json.RawMessage("{}")
	case string:
		return json.RawMessage(v)
	case json.RawMessage:
		return v
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// lockedBuffer collects stderr while the test may already read it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
