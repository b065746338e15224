// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// Whoever answers a request first has answered it: the agent, the stage, or we
// for an agent that is gone. A second answer is dropped, an error for a message
// that nobody could read has no request and passes (PXY-6).
func TestPXY6OneAnswer(t *testing.T) {
	var out bytes.Buffer
	r := &relay{ends: ends{toClient: jsonrpc.NewWriter(&out, nil)}, log: slog.New(slog.DiscardHandler)}
	answer := func(line string) { r.queueToClient(jsonrpc.Scan([]byte(line))) }
	if !r.calls.begin(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`))) {
		t.Fatal("a first request is refused")
	}
	answer(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	answer(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	answer(`{"jsonrpc":"2.0","id":"1","result":{}}`)
	answer(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`)
	answer(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`)
	if err := r.toClient.Close(); err != nil {
		t.Fatal(err)
	}
	const null = `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}` + "\n"
	if got, want := out.String(), `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"+null+null; got != want {
		t.Errorf("the client gets\n%swant\n%s", got, want)
	}
}

// Requests are drained in the order in which they came, however many were
// answered between; an id can be used again once it was answered.
func TestCallsInOrder(t *testing.T) {
	var c calls
	begin := func(id string) bool {
		return c.begin(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`)))
	}
	begin("7")
	for range 500 {
		begin("1")
		if begin("1") {
			t.Fatal("an open id is used again")
		}
		c.end("1")
	}
	begin(`"7"`)
	begin("3")
	c.end("3")
	begin("3")
	if len(c.ids) > 100 {
		t.Errorf("%d ids are kept", len(c.ids))
	}
	got := c.drain()
	if len(got) != 3 || got[0] != "7" || got[1] != `"7"` || got[2] != "3" {
		t.Errorf("got %q", got)
	}
	if len(c.drain()) != 0 || c.find("7") != nil {
		t.Error("drained calls are still open")
	}
}
