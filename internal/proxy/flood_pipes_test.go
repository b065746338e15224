// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A flood of updates does not hold up a prompt: the agent gets it while all that the
// agent says waits for a client that does not read.
func TestAFloodDoesNotDelayAPrompt(t *testing.T) {
	dir := t.TempDir()
	skillFile(t, dir, ".agents/skills/one")
	store := catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1})
	defer func() { _ = store.Close() }()

	fromClient, clientSays := io.Pipe()
	fromAgent, agentSays := io.Pipe()
	clientHears, toClient := io.Pipe()
	agentHears, toAgent := io.Pipe()
	r := newRelay(ends{
		fromClient: jsonrpc.NewReader(fromClient, nil), toClient: jsonrpc.NewWriter(toClient, nil),
		fromAgent: jsonrpc.NewReader(fromAgent, nil), toAgent: jsonrpc.NewWriter(toAgent, nil),
	}, graft.Options{Store: store, Profile: profile.ByName(profile.Known(), "kimi")}, slog.New(slog.DiscardHandler))
	var loops sync.WaitGroup
	loops.Go(func() { _ = r.clientLoop() })
	loops.Go(func() { _ = r.agentLoop() })
	client, agent := bufio.NewReader(clientHears), bufio.NewReader(agentHears)
	say := func(w io.Writer, line string) {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	hear := func(r *bufio.Reader, part string) {
		t.Helper()
		line, err := r.ReadString('\n')
		if err != nil || !strings.Contains(line, part) {
			t.Fatalf("got %q, %v; want %q", line, err, part)
		}
	}

	say(clientSays, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"session":{"commands":{"skill":{}}}}}}`)
	hear(agent, "initialize")
	say(agentSays, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{}}}}}`)
	hear(client, "inline")
	say(clientSays, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q}}`, dir))
	hear(agent, "session/new")
	say(agentSays, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","availableCommands":[{"type":"command","name":"skill:one","description":"d"}]}}`)
	hear(client, `"type":"skill","name":"one"`)

	// From here on the client reads nothing, and the agent floods it with updates and
	// with its list, which is looked at each time.
	const updates = 20_000
	var flood sync.WaitGroup
	flood.Go(func() {
		for n := range updates {
			what := `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"flood"}}`
			if n%100 == 0 {
				what = `{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"skill:one","description":"d"}]}`
			}
			say(agentSays, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+what+`}}`)
		}
	})
	say(clientSays, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"see "},{"type":"skill","name":"one"}]}}`)
	hear(agent, "BODY-one")
	say(clientSays, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":"one"},{"type":"text","text":" go"}]}}`)
	hear(agent, "/skill:one go")

	// And nothing of the flood is lost, but the lists that the client has.
	for range updates - updates/100 {
		hear(client, "flood")
	}
	flood.Wait()
	r.chain.close()
	for _, c := range []io.Closer{clientSays, agentSays, clientHears, agentHears, r.toAgent, r.toClient} {
		_ = c.Close()
	}
	loops.Wait()
}
