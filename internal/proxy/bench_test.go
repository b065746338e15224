// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// piped is a relay between two pairs of pipes, with one session open.
func piped(b *testing.B) (toRelay [2]*os.File, fromRelay [2]*jsonrpc.Reader) {
	store := catalog.NewStore(nil)
	b.Cleanup(func() { _ = store.Close() })
	var in [2]*os.File
	var out [2]*os.File
	for i := range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		in[i], toRelay[i] = r, w
		r, w, err = os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		fromRelay[i], out[i] = jsonrpc.NewReader(r, nil), w
	}
	rel := newRelay(ends{
		fromClient: jsonrpc.NewReader(in[0], nil), toClient: jsonrpc.NewWriter(out[0], nil),
		fromAgent: jsonrpc.NewReader(in[1], nil), toAgent: jsonrpc.NewWriter(out[1], nil),
	}, graft.Options{Store: store}, slog.New(slog.DiscardHandler))
	done := make(chan struct{}, 2)
	go func() { _ = rel.clientLoop(); done <- struct{}{} }()
	go func() { _ = rel.agentLoop(); done <- struct{}{} }()
	b.Cleanup(func() {
		_ = toRelay[0].Close()
		_ = toRelay[1].Close()
		<-done
		<-done
		rel.chain.close()
		_ = rel.toAgent.Close()
		_ = rel.toClient.Close()
	})
	for _, step := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"session":{"commands":{"skill":{}}}}}}`, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + b.TempDir() + `"}}`, `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"sess_abc123def456"}}`},
	} {
		exchange(b, toRelay, fromRelay, step[0], step[1])
	}
	return toRelay, fromRelay
}

func exchange(b *testing.B, to [2]*os.File, from [2]*jsonrpc.Reader, request, response string) {
	for i, line := range []string{request, response} {
		if _, err := io.WriteString(to[i], line+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := from[1-i].Next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	to, from := piped(b)
	for b.Loop() {
		exchange(b, to, from,
			`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"sess_abc123def456","prompt":[{"type":"text","text":"Please look at this."}]}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"messageId":"msg_1"}}`)
	}
}

func BenchmarkUpdates(b *testing.B) {
	to, from := piped(b)
	line := func(text string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_abc123def456","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_agent_c42b9","content":{"type":"text","text":"` + text + `"}}}}` + "\n"
	}
	two := line("Let me.") + line(" Look at") // no two neighbours are the same
	batch := bytes.Repeat([]byte(two), 150)
	b.SetBytes(int64(len(two) / 2))
	go func() {
		for n := 0; n < b.N; n += 300 {
			_, _ = to[1].Write(batch)
		}
	}()
	b.ResetTimer()
	for range b.N {
		if _, err := from[0].NextInPlace(); err != nil {
			b.Fatal(err)
		}
	}
}
