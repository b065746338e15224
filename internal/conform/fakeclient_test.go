// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// A fakeClient is a client that keeps every rule, and breaks the one whose check is
// its fault. It invokes the checker's skill once and leaves.
type fakeClient struct {
	fault    string
	patience time.Duration // for a list with the skill

	in    <-chan string
	out   io.Writer
	shown strings.Builder

	support string // session.prompt.skill, raw
	lists   []string
	early   int // how many lists came before the setup response
	setup   string
	late    int
}

func (c *fakeClient) is(fault string) bool { return c.fault == fault }

func (c *fakeClient) print(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }

func (c *fakeClient) serve(in io.Reader, out io.Writer) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSpace(line)
		}
	}()
	c.in, c.out = lines, out
	c.live()
	go func() { // the rest, until the agent has seen us leave
		for range lines {
		}
	}()
}

func (c *fakeClient) live() {
	version, caps := "2", `{"session":{"commands":{"skill":{}}}}`
	if c.is("client/first") {
		version = "1"
	}
	if c.is("C1/advertised") {
		caps = `{}`
	}
	c.print(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%s,"info":{"name":"fake","version":"1"},"capabilities":%s}}`, version, caps)
	init := c.until(func(m string) bool { return string(rawjson.Get([]byte(m), "id")) == "1" }, nil)
	c.support = string(rawjson.Get([]byte(init), "result", "capabilities", "session", "prompt", "skill"))
	c.print(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/conform","mcpServers":[]}}`)
	resp := c.until(func(m string) bool { return string(rawjson.Get([]byte(m), "id")) == "2" }, nil)
	if resp == "" {
		return
	}
	c.early = len(c.lists)
	if c.is("U4/early") && c.early == 1 {
		c.lists = nil
	}
	if l := rawjson.Get([]byte(resp), "result", "availableCommands"); rawjson.IsArray(l) {
		c.setup = string(l)
		if !(c.is("U4/response") && c.early > 0) {
			c.lists = append(c.lists, c.setup)
		}
	}
	deadline := time.After(c.patience)
	for {
		if c.found() {
			c.prompt()
			return
		}
		if c.until(func(m string) bool { return strings.Contains(m, "available_commands_update") }, deadline) == "" {
			c.show("there is no skill " + ClientSkill)
			return
		}
		if c.late++; c.is("U4/late") {
			c.lists = nil
		}
	}
}

// until takes messages until one fits, and answers what is asked meanwhile. It is
// empty when the agent has left or the time is over.
func (c *fakeClient) until(fits func(string) bool, deadline <-chan time.Time) string {
	for {
		var m string
		select {
		case line, ok := <-c.in:
			if !ok {
				return ""
			}
			m = line
		case <-deadline:
			return ""
		}
		raw := []byte(m)
		if l := rawjson.Get(raw, "params", "update", "availableCommands"); rawjson.IsArray(l) {
			c.lists = append(c.lists, string(l))
		}
		id := rawjson.Get(raw, "id")
		switch method, _ := rawjson.GetString(raw, "method"); {
		case method == "session/request_permission":
			option := "yes"
			if c.is("client/permission") {
				option = "maybe"
			}
			c.print(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"%s"}}}`, id, option)
		case method != "" && id != nil && !c.is("client/unknown"):
			c.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, id)
		}
		if fits(m) {
			return m
		}
	}
}

func (c *fakeClient) show(s string) { c.shown.WriteString(s + "\n") }

// found looks the skill up in the last list, and shows what is there.
func (c *fakeClient) found() bool {
	supported := strings.HasPrefix(c.support, "{") || c.is("U1/unadvertised") && c.support == "null" || c.is("U1/not-object") && c.support == "true"
	if !supported || len(c.lists) == 0 {
		return false
	}
	lists := c.lists[len(c.lists)-1:]
	switch {
	case c.is("U1/gone"):
		lists = c.lists
	case c.is("U4/again") && c.setup == "":
		lists = c.lists[:1] // once it is not there, it never will be
		if strings.Contains(lists[0], ClientSkill) {
			lists = c.lists[len(c.lists)-1:]
		}
	}
	there := false
	for _, l := range lists {
		for _, e := range rawjson.Elements([]byte(l)) {
			kind, _ := rawjson.GetString(e.Value, "type")
			name, named := rawjson.GetString(e.Value, "name")
			about, described := rawjson.GetString(e.Value, "description")
			path := rawjson.Get(e.Value, "path")
			if c.is("A9/neighbours") && !named {
				return false
			}
			if c.is("U3/escape") {
				c.show(name + about)
			} else {
				c.show(skill.Sanitize(name + about))
			}
			switch {
			case name != ClientSkill, !described && !c.is("A9/no-description"):
			case c.is("A9/path") && path != nil && !rawjson.IsString(path):
			case kind == "skill", kind == "command" && c.is("U1/command"), kind == "_conform" && c.is("U2/unknown"):
				there = true
			}
		}
	}
	return there
}

func (c *fakeClient) prompt() {
	id, session := 3, sceneID
	if c.is("client/clean") {
		id = 2
	}
	if c.is("client/order") {
		session = "another"
	}
	blocks := skillBlock(ClientSkill) + "," + textBlock("go on")
	switch {
	case c.is("U1/first") && c.support == "{}":
		blocks = textBlock("go on with") + "," + skillBlock(ClientSkill)
	case c.is("U1/block") && c.setup == listGood && c.support == supportInline && c.early == 0:
		blocks = textBlock("/" + ClientSkill)
	}
	c.print(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"%s","prompt":[%s]}}`, id, session, blocks)
	c.until(func(m string) bool { return strings.Contains(m, `"idle"`) }, nil)
}

// startFakeClient starts clients in this process.
func startFakeClient(fault string) func(string) (*ClientPeer, error) {
	return func(string) (*ClientPeer, error) {
		c := &fakeClient{fault: fault, patience: slow * time.Second}
		done := make(chan struct{})
		var once sync.Once
		peer := inProcess(func(in io.Reader, out io.Writer) {
			c.serve(in, out)
			once.Do(func() { close(done) })
		})
		return &ClientPeer{
			Accept: func(time.Duration) (io.ReadWriteCloser, error) { return peer.Stream, nil },
			Done:   done,
			End: func() string {
				_ = peer.Stream.Close()
				return peer.End()
			},
			Output: func() []byte { <-done; return []byte(c.shown.String()) },
		}, nil
	}
}
