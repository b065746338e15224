// SPDX-License-Identifier: Apache-2.0

package translate

import "github.com/skillgraft/skillgraft/acp/jsonrpc"

// The phases of a connection.
const (
	undecided   = iota // nothing is agreed on
	transparent        // nothing is to be translated
	active             // the two sides speak different versions
)

// maxHeldBack is how many bytes a client may send before its initialize is
// answered.
const maxHeldBack = 16 << 20

// heldBack is what a client sends before that answer, in order: nobody can tell
// yet what it is to become.
type heldBack struct {
	messages []jsonrpc.Message
	size     int
}

// add keeps a message, and reports whether there was room for it.
func (h *heldBack) add(m jsonrpc.Message) bool {
	if h.size+len(m.Raw) > maxHeldBack {
		return false
	}
	h.messages = append(h.messages, m.Clone())
	h.size += len(m.Raw)
	return true
}

// take is what was kept, and keeps it no longer.
func (h *heldBack) take() []jsonrpc.Message {
	messages := h.messages
	*h = heldBack{}
	return messages
}
