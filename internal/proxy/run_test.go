// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// running is a Run with a fake agent, and the client's ends.
type running struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *io.PipeReader
	lines  chan string
	done   chan error
	cancel context.CancelCauseFunc
	conns  chan net.Conn
	procs  []net.Conn // one for each process of the agent
}

// startRun starts an agent. Its client does not read before read is called.
func startRun(t *testing.T, change func(*Options)) *running {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	x := &running{t: t, done: make(chan error, 1), conns: make(chan net.Conn, 4), lines: make(chan string, 1024)}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			x.conns <- c
		}
	}()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	x.in, x.out = inW, outR
	store := catalog.NewStore(nil)
	opts := Options{
		In: inR, Out: outW, Agent: []string{os.Args[0]},
		Env:   append(os.Environ(), fakeEnv+"=agent", connEnv+"="+listener.Addr().String()),
		Graft: graft.Options{Store: store}, Grace: 300 * time.Millisecond,
	}
	if change != nil {
		change(&opts)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	x.cancel = cancel
	go func() {
		err := Run(ctx, opts)
		_ = outW.Close()
		x.done <- err
	}()
	t.Cleanup(func() {
		cancel(nil)
		_ = inW.Close()
		_ = outR.Close()
		_ = store.Close()
	})
	x.process()
	return x
}

// process waits until another process of the agent is there.
func (x *running) process() {
	x.t.Helper()
	select {
	case c := <-x.conns:
		x.procs = append(x.procs, c)
	case <-time.After(20 * time.Second):
		x.t.Fatal("the agent does not start")
	}
}

func (x *running) read() *running {
	go func() {
		defer close(x.lines)
		r := jsonrpc.NewReader(x.out, nil)
		for {
			m, err := r.Next()
			if err != nil {
				return
			}
			x.lines <- string(m.Raw)
		}
	}()
	return x
}

func (x *running) send(lines ...string) {
	x.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(x.in, l); err != nil {
			x.t.Fatal(err)
		}
	}
}

func request(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", id, method)
}

func result(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

func (x *running) next() string {
	x.t.Helper()
	select {
	case line, ok := <-x.lines:
		if !ok {
			x.t.Fatal("the proxy has closed its output")
		}
		return line
	case <-time.After(20 * time.Second):
		x.t.Fatal("nothing comes")
	}
	return ""
}

func (x *running) expect(want string) {
	x.t.Helper()
	if got := x.next(); got != want {
		x.t.Fatalf("the client gets\n%.300s\nwant\n%s", got, want)
	}
}

// ended waits for Run and for all processes of the agent.
func (x *running) ended() error {
	x.t.Helper()
	var err error
	select {
	case err = <-x.done:
	case <-time.After(20 * time.Second):
		x.t.Fatal("Run does not return")
	}
	for _, c := range x.procs {
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			x.t.Error("a process of the agent is still there")
		}
		_ = c.Close()
	}
	return err
}

// The agent dies with requests open: each gets an error at once that says how it
// ended and what it said last.
func TestPXY6AgentDies(t *testing.T) {
	for _, tt := range []struct {
		method, signal string
		code           int
		exit, stderr   string
	}{
		{"_exit", "", 3, "exit status 3; stderr ends: starting | Error: no key | at main.js:7", "starting\nError: no key\nat main.js:7"},
		{"_kill", "SIGKILL", -1, "killed by SIGKILL", ""},
	} {
		t.Run(tt.method, func(t *testing.T) {
			if tt.signal != "" && runtime.GOOS == "windows" {
				t.Skip("there are no signals on Windows: a killed process has an exit status like any other")
			}
			x := startRun(t, nil).read()
			x.send(request(7, "_wait"), request(3, "_wait"), request(5, tt.method))
			for _, id := range []string{"7", "3", "5"} {
				got := jsonrpc.Scan([]byte(x.next()))
				if string(got.ID) != id || string(rawjson.Get(got.ErrorValue(), "code")) != "-32603" {
					t.Errorf("got %s, want an error for %s", got.Raw, id)
				}
				if s, _ := rawjson.GetString(got.ErrorValue(), "data", "exit"); s != tt.exit {
					t.Errorf("data.exit is %q, want %q", s, tt.exit)
				}
				if s, _ := rawjson.GetString(got.ErrorValue(), "data", "stderr"); s != tt.stderr {
					t.Errorf("data.stderr is %q, want %q", s, tt.stderr)
				}
				if s, _ := rawjson.GetString(got.ErrorValue(), "message"); !strings.Contains(s, tt.exit) {
					t.Errorf("the message %q does not say how the agent ended", s)
				}
			}
			var agentErr *AgentError
			if err := x.ended(); !errors.As(err, &agentErr) || agentErr.Exit.Code != tt.code || agentErr.Exit.Signal != tt.signal {
				t.Errorf("Run returns %v", err)
			}
			if line, ok := <-x.lines; ok {
				t.Errorf("and besides: %s", line)
			}
		})
	}
}

// An agent that closes its output and lives on is ended, with its helpers.
func TestPXY6AgentClosesItsOutput(t *testing.T) {
	x := startRun(t, nil).read()
	x.send(request(1, "_wait"), request(2, "_mute"))
	for _, id := range []string{"1", "2"} {
		if got := jsonrpc.Scan([]byte(x.next())); string(got.ID) != id || got.ErrorValue() == nil {
			t.Errorf("got %s, want an error for %s", got.Raw, id)
		}
	}
	var agentErr *AgentError
	if err := x.ended(); !errors.As(err, &agentErr) {
		t.Errorf("Run returns %v", err)
	}
}

// The client leaves with requests open: what the agent still answers is
// delivered, the rest gets errors, and no process is left.
func TestPXY6ClientLeaves(t *testing.T) {
	x := startRun(t, nil).read()
	x.send(request(1, "_helper"))
	x.expect(result(1))
	x.process()
	x.send(request(2, "_wait"), request(3, "_late"))
	_ = x.in.Close()
	x.expect(result(3))
	if got := jsonrpc.Scan([]byte(x.next())); got.ID != "2" || got.ErrorValue() == nil {
		t.Errorf("got %s, want an error for 2", got.Raw)
	}
	if err := x.ended(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}

// A client that does not read and leaves keeps nobody here.
func TestPXY6ClientNeitherReadsNorStays(t *testing.T) {
	x := startRun(t, nil)
	x.send(request(1, "_flood"), request(2, "_wait"))
	_ = x.in.Close()
	_ = x.ended() // its error is that the client did not read, or none
}

// An agent that reads no more does not outlive the client, though the client's
// end stands behind what the agent does not take.
func TestPXY6ClientLeavesAnAgentThatDoesNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a closed pipe cannot be told from an open one before it was read to its end")
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inR.Close()
	x := startRun(t, func(o *Options) { o.In = inR }).read()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = inW.WriteString(request(1, "_deaf"))
		filler := []byte(`{"jsonrpc":"2.0","method":"_x","params":"` + strings.Repeat("x", 1<<16) + `"}` + "\n")
		_ = inW.SetWriteDeadline(time.Now().Add(2 * time.Second))
		for range 64 {
			if _, err := inW.Write(filler); err != nil {
				break
			}
		}
		_ = inW.Close()
	}()
	x.expect(result(1))
	<-wrote
	if err := x.ended(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}

// A client whose output is closed has left, too.
func TestPXY6ClientCannotBeWrittenTo(t *testing.T) {
	x := startRun(t, nil)
	_ = x.out.Close()
	x.send(request(1, "_echo"))
	if err := x.ended(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Run returns %v", err)
	}
}

func TestPXY6Cancelled(t *testing.T) {
	x := startRun(t, nil).read()
	x.send(request(1, "_helper"))
	x.expect(result(1))
	x.process()
	why := errors.New("why")
	x.cancel(why)
	if err := x.ended(); !errors.Is(err, why) {
		t.Errorf("Run returns %v", err)
	}
}

func TestAgentThatCannotBeStarted(t *testing.T) {
	var start *process.StartError
	err := Run(t.Context(), Options{In: strings.NewReader(""), Out: io.Discard, Agent: []string{"no-such-agent-anywhere"}})
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "no-such-agent-anywhere") {
		t.Errorf("Run returns %v", err)
	}
}

// Noise is skipped; a carriage return, a blank line and a last line without an
// end are read as messages are (PXY-7, C15, C17).
func TestPXY7Framing(t *testing.T) {
	x := startRun(t, nil).read()
	x.send("\r\n\n", strings.TrimSuffix(request(1, "_crlf"), "\n")+"\r\n")
	x.expect(result(1))
	x.send(request(2, "_noise"))
	x.expect(result(2))
	x.send(strings.TrimSuffix(request(3, "_late"), "\n"))
	_ = x.in.Close()
	x.expect(result(3))
	if err := x.ended(); err != nil {
		t.Errorf("Run returns %v", err)
	}

	x = startRun(t, nil).read()
	x.send(request(4, "_last"))
	x.expect(result(4))
	var agentErr *AgentError
	if err := x.ended(); !errors.As(err, &agentErr) || agentErr.Exit.Code != 0 {
		t.Errorf("Run returns %v", err)
	}
}

// A line over the limit is an error for whoever waits for it, the next message
// passes, and no more than the limit is ever held (PXY-7, C16).
func TestPXY7LineTooLong(t *testing.T) {
	x := startRun(t, nil).read()
	x.send(request(1, "_echo"))
	x.expect(result(1))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	x.send(request(2, "_huge"), request(3, "_echo"))
	if got := jsonrpc.Scan([]byte(x.next())); got.ID != "2" || !strings.Contains(string(got.Raw), "64 MiB") {
		t.Errorf("the agent's long answer: %s", got.Raw)
	}
	x.expect(result(3))

	x.send(`{"jsonrpc":"2.0","id":"long","method":"_echo","params":"`)
	piece := strings.Repeat("x", 1<<20)
	for range jsonrpc.MaxLine >> 20 {
		x.send(piece)
	}
	x.send("\"}\n", request(4, "_echo"))
	if got := jsonrpc.Scan([]byte(x.next())); got.ID != `"long"` || !strings.Contains(string(got.Raw), "64 MiB") {
		t.Errorf("the client's long request: %s", got.Raw)
	}
	x.expect(result(4))

	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 3*jsonrpc.MaxLine {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	_ = x.in.Close()
	if err := x.ended(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}
