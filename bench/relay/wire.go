// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// The lines that both ends know by heart. Client and agent build them from the
// same functions, which is how the client can tell a line that was changed on
// the way from one that was not, at the cost of one comparison.

const (
	sessionID = "bench"

	// updateSize is the length of a streamed line, its newline included.
	updateSize = 200

	// bigSize is the length of the one big message: what a relay must let through
	// (PXY-7), less a little so that a limit which counts the line end too is no
	// reason to fail.
	bigSize = jsonrpc.MaxLine - 4096
)

// Extension methods of the echo agent. A relay knows neither, so both pass as
// they are (PXY-1), and a prompt stays the small message that it is.
const (
	methodStream = "_relay/stream" // params {"count":N}: N updates, then the response
	methodBig    = "_relay/big"    // one update of bigSize bytes, then the response
)

// appendRequest appends a request line.
func appendRequest(dst []byte, id int, method, params string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, int64(id), 10)
	dst = append(dst, `,"method":"`...)
	dst = append(dst, method...)
	dst = append(dst, `","params":`...)
	dst = append(dst, params...)
	return append(dst, '}', '\n')
}

// appendResult appends a response line. The id is the request's token.
func appendResult(dst []byte, id, result string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}', '\n')
}

// appendInserted appends the answer to the n-th prompt. Message ids differ, as a
// real agent's do: a relay that remembers prompts must tell them apart.
func appendInserted(dst []byte, id string, n int) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":{"messageId":"m`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, `"}}`+"\n"...)
}

const (
	chunkHead = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + sessionID +
		`","update":{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"`
	chunkTail = `"}}}}` + "\n"
	digits    = 8
)

// A chunkLine is the line of a streamed update, of exactly updateSize bytes. Its
// text starts with a number that counts up, so that a lost line shows.
type chunkLine struct {
	line []byte
	next int
}

func newChunkLine() *chunkLine {
	pad := updateSize - len(chunkHead) - len(chunkTail) - digits
	text := chunkHead + "00000000" + " lorem ipsum dolor"[:pad] + chunkTail
	return &chunkLine{line: []byte(text)}
}

// step returns the next line, valid until the next call.
func (c *chunkLine) step() []byte {
	n := c.next
	c.next++
	for i := digits - 1; i >= 0; i-- {
		c.line[len(chunkHead)+i] = byte('0' + n%10)
		n /= 10
	}
	return c.line
}

// writeBig writes the one big update, a line of bigSize bytes and its newline.
func writeBig(w io.Writer) error {
	piece := bytes.Repeat([]byte{'x'}, 64<<10)
	if _, err := io.WriteString(w, chunkHead); err != nil {
		return err
	}
	for left := bigSize + 1 - len(chunkHead) - len(chunkTail); left > 0; {
		n := min(left, len(piece))
		if _, err := w.Write(piece[:n]); err != nil {
			return err
		}
		left -= n
	}
	_, err := io.WriteString(w, chunkTail)
	return err
}

// clip shortens a line for an error message.
func clip(line []byte) string {
	const most = 240
	if len(line) > most {
		return fmt.Sprintf("%q and %d bytes more", line[:most], len(line)-most)
	}
	return strconv.Quote(string(line))
}
