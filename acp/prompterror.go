// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A PromptError says why a prompt is rejected as a whole (ACP-P4).
//
//	ACP-P1  the block is malformed: its name is missing, empty or no string
//	ACP-P2  a second block, or one that is not first, without inline
//	ACP-P4  the agent takes no skill blocks, or the name is not that of a
//	        skill which the user can invoke
//
// ACP-P3 only permits, so no error names it.
type PromptError struct {
	Rule   string // the id of the rule; empty when the prompt is no array of blocks
	Block  int    // the index of the block in the prompt; -1: the prompt as a whole
	Name   string // the name in the block, as it was sent; untrusted
	Reason string // one sentence, safe to show
}

func (e *PromptError) Error() string {
	s := e.Reason
	if e.Block >= 0 {
		s = fmt.Sprintf("prompt[%d]: %s", e.Block, s)
	}
	if e.Rule != "" {
		s += " [" + e.Rule + "]"
	}
	return s
}

// RPCError is the answer to the prompt: -32602 with the rule, the index of the
// block and the reason as data.
func (e *PromptError) RPCError() *jsonrpc.Error {
	out := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Error()}
	if e.Block < 0 {
		return out
	}
	data := append([]byte(`{"rule":`), rawjson.Quote(e.Rule)...)
	data = append(data, `,"block":`...)
	data = strconv.AppendInt(data, int64(e.Block), 10)
	data = append(data, `,"reason":`...)
	data = append(data, rawjson.Quote(e.Reason)...)
	out.Data = append(data, '}')
	return out
}

// showName makes a name that a peer chose safe to put into a message: control
// and bidi characters are spelled out, and it is kept short.
func showName(name string) string {
	const most = 64
	if r := []rune(name); len(r) > most {
		name = string(r[:most]) + "..."
	}
	quoted := strconv.QuoteToGraphic(name)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, quoted)
}
