// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/conform"
)

// AgentPlaceholder stands in the command of a client or a proxy for the agent that it
// starts. As an argument of its own it becomes several; inside of one it becomes a
// text for a shell.
const AgentPlaceholder = "{agent}"

// ConformEndCommand are the arguments after which the path of a socket makes this
// program an agent that is somewhere else: at the other end of that socket.
func ConformEndCommand() []string { return []string{"conform", "end"} }

// ConformEnd is the agent that a client or a proxy under check starts. What comes in
// goes to the checker, what the checker says goes out.
func ConformEnd(ctx context.Context, socket string, std Streams) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("the checker is not there any more: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	go func() { // ends with the process: standard input cannot be interrupted
		_, _ = io.Copy(conn, std.In)
		if half, ok := conn.(*net.UnixConn); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(std.Out, conn)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A conformSocket is where the agent of a client or proxy comes in.
type conformSocket struct {
	listener net.Listener
	conns    chan net.Conn
	done     sync.WaitGroup
}

func (h *conformHost) listen() (*conformSocket, string, error) {
	// Short, because the path of a socket must be, and in a directory that
	// nobody else may enter.
	path := filepath.Join(h.base, fmt.Sprintf("s%d", h.sockets.Add(1)))
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, "", err
	}
	s := &conformSocket{listener: l, conns: make(chan net.Conn, 1)}
	s.done.Go(func() {
		defer close(s.conns)
		for first := true; ; first = false {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if !first {
				_ = c.Close() // one agent a check
				continue
			}
			s.conns <- c
		}
	})
	return s, path, nil
}

var errNoAgentStarted = errors.New("it did not start its agent: is {agent} in its command?")

// accept waits for the agent to be started.
func (s *conformSocket) accept(patience time.Duration, ended <-chan struct{}) (io.ReadWriteCloser, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case c, ok := <-s.conns:
		if ok {
			return c, nil
		}
	case <-timer.C:
	case <-ended:
		select {
		case c, ok := <-s.conns: // it came, and went at once
			if ok {
				return c, nil
			}
		default:
		}
	}
	return nil, errNoAgentStarted
}

func (s *conformSocket) close() {
	_ = s.listener.Close()
	s.done.Wait()
	for c := range s.conns {
		_ = c.Close()
	}
}

// withAgent puts the agent that leads to the socket into a command.
func withAgent(command []string, socket string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	agent := append(append([]string{self}, ConformEndCommand()...), socket)
	var out []string
	found := false
	for _, arg := range command {
		switch {
		case arg == AgentPlaceholder:
			out = append(out, agent...)
			found = true
		case strings.Contains(arg, AgentPlaceholder):
			quoted := make([]string, len(agent))
			for i, a := range agent {
				quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
			}
			out = append(out, strings.ReplaceAll(arg, AgentPlaceholder, strings.Join(quoted, " ")))
			found = true
		default:
			out = append(out, arg)
		}
	}
	if !found {
		return nil, &ExitError{Status: ExitCannotCheck, Err: errors.New("the command does not say where its agent is: put {agent} there, as in: skillgraft conform proxy -- my-proxy -- {agent}")}
	}
	return out, nil
}

// startClient starts a client, whose agent the checker is.
func (h *conformHost) startClient(dir string) (*conform.ClientPeer, error) {
	socket, path, err := h.listen()
	if err != nil {
		return nil, err
	}
	command, err := withAgent(h.opts.Command, path)
	if err != nil {
		socket.close()
		return nil, err
	}
	shown := new(outputs)
	p, err := h.process(command, dir, shown)
	if err != nil {
		socket.close()
		return nil, err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(shown, p.Stdout())
	}()
	return &conform.ClientPeer{
		Accept: func(patience time.Duration) (io.ReadWriteCloser, error) { return socket.accept(patience, p.Done()) },
		Done:   p.Done(),
		End: func() string {
			defer socket.close()
			how := stopProcess(p)
			<-read
			return how
		},
		Output: shown.text,
	}, nil
}

// startProxy starts a proxy, whose client and agent the checker is.
func (h *conformHost) startProxy(dir string) (*conform.ProxyPeer, error) {
	socket, path, err := h.listen()
	if err != nil {
		return nil, err
	}
	command, err := withAgent(h.opts.Command, path)
	if err != nil {
		socket.close()
		return nil, err
	}
	p, err := h.process(command, dir, nil)
	if err != nil {
		socket.close()
		return nil, err
	}
	return &conform.ProxyPeer{
		Client: &conform.Peer{
			Stream: jsonrpc.Join(io.NopCloser(p.Stdout()), p.Stdin()),
			End: func() string {
				defer socket.close()
				return stopProcess(p)
			},
		},
		Accept: func(patience time.Duration) (io.ReadWriteCloser, error) { return socket.accept(patience, p.Done()) },
	}, nil
}

// outputs keep what a client shows, up to a bound.
type outputs struct {
	mu  sync.Mutex
	all []byte
}

const maxShownOutput = 1 << 20

func (o *outputs) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := maxShownOutput - len(o.all); room > 0 {
		o.all = append(o.all, b[:min(len(b), room)]...)
	}
	return len(b), nil
}

func (o *outputs) text() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]byte(nil), o.all...)
}
