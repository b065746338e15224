// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// injected is what the tee says as the agent when it is asked to: lines that no
// skill has anything to do with, in spellings that a decoder would not keep.
var injected = []string{
	`{"jsonrpc":"2.0","method":"_interop/update","params":{"n":9007199254740993,"f":1.0e+2,"s":"\u2028\u2029\/ and raw ` + "\u2028" + `","dup":{"a":1,"b":null}}}`,
	`{ "params" : {"sessionId":"elsewhere","update":{"kind":"?","sessionUpdate":"from_the_future","content":[{"type":"skill","name":"x"}]}}, "method":"session/update" , "jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"elsewhere","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"é\u00e9 \ud83d\ude00"},"_meta":{"big":123456789012345678901234567890}}},"extra":true}`,
	`{"jsonrpc":"2.0","id":0,"method":"_interop/ask","params":{"zero":-0}}`,
	`{"jsonrpc":"2.0","id":"7","method":"_interop/ask","params":[]}`,
	`{"jsonrpc":"2.0","id":7,"method":"_interop/ask"}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"method":"_interop/ask","params":null}`,
}

// odd is what the client says in the same spirit; $SID is the session.
var odd = []string{
	`{"jsonrpc":"2.0","method":"_interop/note","params":{"n":9007199254740993,"s":"\u2028` + "\u2028" + `","list":[1.50,1e3]}}`,
	`{"id":0,"method":"_interop/unknown","jsonrpc":"2.0","params":{"a":  1}}`,
	`{"jsonrpc":"2.0","id":"7","method":"_interop/unknown","params":{"sessionId":"$SID","x":null}}`,
	`{"jsonrpc":"2.0","id":700,"method":"session/future","params":{"sessionId":"$SID","prompt":"not one"}}`,
	`{"jsonrpc":"2.0","id":0,"result":{"answer":12345678901234567890}}`,
	`{"jsonrpc":"2.0","id":"7","error":{"code":-32601,"message":"\u00e9"}}`,
	`{"jsonrpc":"2.0","id":7,"result":null}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"result":[]}`,
	`{"jsonrpc":"2.0","id":701,"method":"session/prompt","params":{"sessionId":"$SID","_meta":{"n":9007199254740993},"prompt":[{"type":"text","text":"as it is \u2028","_meta":{"k":1.0}}]}}`,
}

// Must show 9 (PXY-1, PXY-2): every line outside our business arrives byte for
// byte and in order, in both directions, over a session of each agent.
func TestByteForByte(t *testing.T) {
	each(t, func(r *rig) {
		c, _ := r.client(how{})
		s := r.open(c)
		s.prompt(text("an ordinary turn"), link("file:///b/x"), embed("file:///b/y", "\u2028 and /slashes $here"))
		c.notify(injectMethod, `{}`)
		c.wait(0, "the last injected line", func(f frame) bool { return f.Raw == injected[len(injected)-1] })
		at := c.mark()
		for _, line := range odd {
			c.line(strings.ReplaceAll(line, "$SID", s.id))
		}
		c.response(701)
		c.idle(at, s.id)
		// A turn of ours in between: what is around it is as it was.
		tn := s.prompt(text("with "), skill(own(r)[0].name), text(" inside"))
		c.must("session/close", map[string]any{"sessionId": s.id})
		c.close()

		teed := r.teed()
		for _, dir := range []struct {
			name      string
			fromAgent bool
		}{{"client to agent", false}, {"agent to client", true}} {
			sent, got := c.since(0), teed
			if dir.fromAgent {
				sent, got = teed, c.since(0)
			}
			a, b := outside(sent, dir.fromAgent, tn.messageID), outside(got, dir.fromAgent, tn.messageID)
			ha, hb := sha256.Sum256(bytes.Join(a, []byte{'\n'})), sha256.Sum256(bytes.Join(b, []byte{'\n'}))
			r.t.Logf("%s, %s: %d lines, %d bytes, sha256 %x", r.agent.name, dir.name, len(a), len(bytes.Join(a, nil)), ha[:6])
			if len(a) < len(odd) {
				r.t.Errorf("%s: only %d lines were compared", dir.name, len(a))
			}
			if ha != hb {
				r.t.Errorf("%s: lines changed on the way%s", dir.name, difference(a, b))
			}
		}
	})
}

// outside returns the lines of one direction that are none of skillgraft's
// business: all but initialize, lists of commands, titles, and the one prompt with
// a skill and its echo under the given id.
func outside(frames []frame, fromAgent bool, echo string) [][]byte {
	var lines [][]byte
	for _, f := range frames {
		if f.FromAgent != fromAgent {
			continue
		}
		ours := f.Method == "" && (bytes.Contains(f.Result, []byte(`"protocolVersion"`)) || bytes.Contains(f.Result, []byte(`"availableCommands"`)))
		if u, ok := f.update(); ok {
			ours = u.Kind == "available_commands_update" || u.Kind == "session_info_update" && u.Title != nil ||
				strings.HasPrefix(u.Kind, "user_message") && u.MessageID == echo
		}
		if f.Method == "session/prompt" && bytes.Contains(f.Params, []byte(" inside")) {
			ours = true
		}
		if f.Method == "initialize" {
			ours = true // it may be marked
		}
		if !ours {
			lines = append(lines, []byte(f.Raw))
		}
	}
	return lines
}

func difference(a, b [][]byte) string {
	for i := range a {
		if i >= len(b) {
			return fmt.Sprintf("; lost, from line %d on:\n  %.500s", i, a[i])
		}
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("; line %d\n  was %.500s\n  is  %.500s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("; added, from line %d on:\n  %.500s", len(a), b[len(a)])
}
