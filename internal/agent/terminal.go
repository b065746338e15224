// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp"
)

// maxShown is how much of a command's output the client is shown, in bytes.
const maxShown = 1 << 20

// A terminal shows the output of what a call runs while it runs, and keeps the start and
// the end of it for the model. It is an [io.Writer] that is safe for concurrent use.
type terminal struct {
	c  *call
	id string
	// done takes back that the client can end what runs.
	done func()

	mu         sync.Mutex
	total      int64
	head, tail []byte
}

// terminal opens one in the call.
func (c *call) terminal(command, cwd string) *terminal {
	t := &terminal{c: c, id: "term_" + rand.Text()}
	c.s.report(&acp.TerminalUpdate{TerminalID: t.id, Command: acp.Set(command), Cwd: acp.Set(cwd), Capabilities: acp.Set(acp.TerminalCapabilities{Cancel: &acp.Capability{}})})
	t.done = c.s.stoppable(t.id, c.stop)
	c.show(&acp.ToolTerminal{TerminalID: t.id})
	return t
}

// Write implements [io.Writer]. It never fails: a command is not ended because nobody
// looks at all of it.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	show := min(int64(len(p)), max(0, maxShown-t.total))
	t.total += int64(len(p))
	if room := maxResult*3/4 - len(t.head); room > 0 {
		n := min(room, len(p))
		t.head = append(t.head, p[:n]...)
		t.tail = append(t.tail, p[n:]...)
	} else {
		t.tail = append(t.tail, p...)
	}
	if over := len(t.tail) - maxResult/4; over > 0 {
		t.tail = append(t.tail[:0], t.tail[over:]...)
	}
	if show > 0 {
		t.c.s.report(&acp.TerminalOutputChunk{TerminalID: t.id, Data: base64.StdEncoding.EncodeToString(p[:show])})
		if t.total > maxShown {
			t.c.s.report(&acp.TerminalOutputChunk{TerminalID: t.id, Data: base64.StdEncoding.EncodeToString([]byte("\n[more is not shown]\n"))})
		}
	}
	return len(p), nil
}

// An end is how a command ended.
type end struct {
	code    int    // of the exit
	signal  string // in place of it
	timeout bool
	err     error // it could not be run
}

// outcome tells the client and the model how it ended.
func (t *terminal) outcome(ctx context.Context, e end, limit time.Duration) outcome {
	t.done()
	if e.err != nil && ctx.Err() == nil {
		t.c.show() // a terminal in which nothing ran
		return failure("it could not be run: %v", e.err)
	}
	status := acp.TerminalExitStatus{Signal: e.signal}
	if e.signal == "" {
		code := int64(e.code)
		status.ExitCode = &code
	}
	t.c.s.report(&acp.TerminalUpdate{TerminalID: t.id, ExitStatus: acp.Set(status)})
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	b.WriteString(strings.ToValidUTF8(string(t.head), "�"))
	if left := t.total - int64(len(t.head)+len(t.tail)); left > 0 {
		fmt.Fprintf(&b, "\n\n[... %d bytes are left out ...]\n\n", left)
	}
	b.WriteString(strings.ToValidUTF8(string(t.tail), "�"))
	if t.total > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	o := outcome{silent: true} // the terminal has it
	switch {
	case ctx.Err() != nil:
		b.WriteString("[ended: it was cancelled]")
		o.failed = true
	case e.timeout:
		fmt.Fprintf(&b, "[ended: it took longer than %s]", limit)
		o.failed = true
	case e.signal != "":
		fmt.Fprintf(&b, "[ended by signal %s]", e.signal)
		o.failed = true
	case e.code != 0:
		fmt.Fprintf(&b, "[exit status %d]", e.code)
		o.failed = true
	case t.total == 0:
		b.WriteString("(it succeeded, without output)")
	}
	o.text = b.String()
	return o
}
