// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
)

// calls are the client's requests that have no answer yet: who answers what, and
// whom to tell when the agent is gone (PXY-6). Ids are kept by their value: an
// agent may answer with another spelling of the same one.
type calls struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]*graft.Call
	ids  []jsonrpc.ID // in the order in which they came; may hold answered ones
}

// begin notes a request. It is false when one of that id is open already: two
// answers to one id could not be told apart.
func (c *calls) begin(m jsonrpc.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := m.ID.Plain()
	if _, dup := c.open[id]; dup {
		return false
	}
	if c.open == nil {
		c.open = map[jsonrpc.ID]*graft.Call{}
	}
	if len(c.ids) > 2*len(c.open)+64 {
		c.ids = c.inOrder()
	}
	c.open[id] = &graft.Call{Method: m.Method, SessionID: m.SessionID}
	c.ids = append(c.ids, m.ID)
	return true
}

// find is the open request of an id, nil when there is none.
func (c *calls) find(id jsonrpc.ID) *graft.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[jsonrpc.AnswerKey(c.open, id)]
}

// isOpen reports whether a request has no answer yet.
func (c *calls) isOpen(id jsonrpc.ID) bool { return c.find(id) != nil }

// end notes that a request was answered. It is false when it was before.
func (c *calls) end(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := jsonrpc.AnswerKey(c.open, id)
	_, open := c.open[key]
	delete(c.open, key)
	return open
}

// drain ends all that are open and returns them, oldest first.
func (c *calls) drain() []jsonrpc.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := c.inOrder()
	c.open, c.ids = nil, nil
	return ids
}

func (c *calls) inOrder() []jsonrpc.ID {
	var ids []jsonrpc.ID
	seen := map[jsonrpc.ID]bool{}
	for _, id := range c.ids {
		if _, open := c.open[id.Plain()]; open && !seen[id.Plain()] {
			seen[id.Plain()] = true
			ids = append(ids, id)
		}
	}
	return ids
}
