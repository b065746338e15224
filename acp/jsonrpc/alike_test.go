// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What Alike takes together is what Next would have given one by one: the same
// lines in the same order, none of them with another session, variant or kind.
func TestAlikeIsWhatNextGives(t *testing.T) {
	update := func(session, variant, text string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"text":"` + text + `","type":"text"},"sessionUpdate":"` + variant + `"},"sessionId":"` + session + `"}}`
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			line := update(
				rapid.SampledFrom([]string{"s", "s", "s", "t"}).Draw(t, "session"),
				rapid.SampledFrom([]string{"agent_message_chunk", "agent_message_chunk", "agent_message_chunk", "user_message"}).Draw(t, "variant"),
				rapid.SampledFrom([]string{"", "a", `\n`, `say \"no\"`, "long " + strings.Repeat("x", 100), `"`, `\`, "é"}).Draw(t, "text"))
			return line + rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\n\n", " \n"}).Draw(t, "end")
		}), 0, 60).Draw(t, "lines")
		in := strings.Join(lines, "")

		var want []Message
		for r := NewReader(strings.NewReader(in), nil); ; {
			m, err := r.Next()
			if err != nil {
				break
			}
			want = append(want, m.Clone())
		}
		chunk := rapid.SampledFrom([]int{1 << 20, 700, 97}).Draw(t, "chunk")
		for r := NewReader(&chunks{[]byte(in), chunk}, nil); ; {
			first, err := r.NextInPlace()
			if err != nil {
				break
			}
			if len(want) == 0 || !bytes.Equal(first.Raw, want[0].Raw) || first.SessionID != want[0].SessionID || first.Variant != want[0].Variant || first.Kind != want[0].Kind {
				t.Fatalf("got %s", first.Raw)
			}
			leader := want[0]
			want = want[1:]
			if !rapid.Bool().Draw(t, "together") {
				continue
			}
			if r.Alike(&leader) != nil {
				t.Fatal("another message has lines that follow it")
			}
			for line := range bytes.Lines(r.Alike(first)) {
				if len(want) == 0 || string(line) != string(want[0].Raw)+"\n" {
					t.Fatalf("taken along was %q", line)
				}
				if want[0].SessionID != leader.SessionID || want[0].Variant != leader.Variant || want[0].Kind != leader.Kind {
					t.Fatalf("%q is not like %q", line, leader.Raw)
				}
				want = want[1:]
			}
		}
		if len(want) > 0 {
			t.Fatalf("%d messages are missing", len(want))
		}
	})
}

func TestEnqueueLinesKeepsTheOrder(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	w.Enqueue([]byte("1"))
	w.EnqueueLines([]byte("2\n3\n"))
	w.EnqueueMessage(Message{Raw: bytes.Repeat([]byte("4"), readSize), owned: true})
	w.EnqueueLines([]byte("5\n"))
	w.Enqueue([]byte("6"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "1\n2\n3\n"+strings.Repeat("4", readSize)+"\n5\n6\n"; got != want {
		t.Errorf("written %q", got)
	}
	w.EnqueueLines([]byte("7\n")) // dropped: nothing is taken after Close
	if out.Len() != readSize+11 {
		t.Error("something was written after Close")
	}
}
