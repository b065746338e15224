// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 16 << 20

var errLongEvent = errors.New("an event is longer than 16 MiB")

// events reads the data of server-sent events, of which names and ids do not matter
// here.
type events struct{ in *bufio.Reader }

func newEvents(r io.Reader) *events { return &events{bufio.NewReaderSize(r, 16<<10)} }

// next is the data of the next event that has any. The error is [io.EOF] at the
// stream's end.
func (e *events) next() ([]byte, error) {
	var data []byte
	has := false
	for {
		line, err := e.line()
		if err == io.EOF && has {
			return data, nil // some servers leave the last empty line out
		}
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if has {
				return data, nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue // another field, or a comment that keeps the connection alive
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if has {
			data = append(data, '\n')
		}
		data, has = append(data, value...), true
		if len(data) > maxEvent {
			return nil, errLongEvent
		}
	}
}

// line is the next line without its end.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case len(line) > maxEvent:
			return nil, errLongEvent
		case err == io.EOF && len(line) > 0:
			// A server that ends without a line end has said its last word all the same.
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
