// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

func downNull(tok []byte) bool { return string(tok) == "null" }

// downMethod is the message with another method, all else as it was.
func downMethod(m jsonrpc.Message, method string) jsonrpc.Message {
	return jsonrpc.Scan(rawjson.Set(m.Raw, rawjson.Quote(method), "method"))
}

// downTextBlock is a content block of text.
func downTextBlock(text string) []byte {
	var b object
	b.text("type", "text")
	b.text("text", text)
	return b.bytes()
}

// downTextContent is a tool call's content of text.
func downTextContent(text string) []byte {
	var c object
	c.text("type", "content")
	c.put("content", downTextBlock(text))
	return c.bytes()
}
