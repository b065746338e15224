// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"io"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// MaxLine is how many bytes one message may have, its line end not counted. It
// is the one place where the limit stands (PXY-7).
const MaxLine = 64 << 20

const (
	readSize  = 64 << 10 // the buffer that all ordinary lines pass through: a pipe's size
	chunkSize = 1 << 20  // a longer line is gathered in pieces of this size
)

// ReaderOptions set up a [Reader]. The zero value, and nil, mean the defaults.
type ReaderOptions struct {
	MaxLine int // bytes a line may have; 0 means [MaxLine]
}

// A Reader takes newline-delimited messages from a stream. A carriage return
// before the newline is dropped, blank lines are skipped, and a last line
// without a newline counts. It is not safe for concurrent use.
type Reader struct {
	src  io.Reader
	max  int
	buf  []byte // buf[from:to] is read and not handed out
	from int
	to   int
	seen int   // buf[from:seen] has no newline
	err  error // what the source said last
	scan scanner
	msg  Message
}

// NewReader makes a Reader on src.
func NewReader(src io.Reader, opts *ReaderOptions) *Reader {
	r := &Reader{src: src, max: MaxLine, buf: make([]byte, readSize)}
	if opts != nil && opts.MaxLine > 0 {
		r.max = opts.MaxLine
	}
	return r
}

// Next returns the next message, an invalid one included. Its Raw is valid
// until the next call. The error is io.EOF at the end, a *[LineTooLongError]
// for a line that was dropped, after which reading goes on, or what the source
// said.
func (r *Reader) Next() (Message, error) {
	m, err := r.NextInPlace()
	if err != nil {
		return Message{}, err
	}
	return *m, nil
}

// NextInPlace is Next without a copy: the Message is the Reader's own, to be
// read only, and all of it is valid until the next call.
func (r *Reader) NextInPlace() (*Message, error) {
	for {
		line, owned, err := r.line()
		if err != nil {
			return nil, err
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if rawjson.SkipSpace(line, 0) == len(line) {
			continue
		}
		r.scan.scan(&r.msg, line)
		r.msg.owned = owned
		return &r.msg, nil
	}
}

// Alike returns the lines that follow m and have been read already, as far as
// each is m but for the text of one string in its update, with their line ends.
// The next message is the one behind them; they are valid until it is asked for.
// Whoever passes m on as it is can pass these on together. There are none when m
// is not what the last call of [Reader.NextInPlace] returned.
func (r *Reader) Alike(m *Message) []byte {
	if m != &r.msg {
		return nil
	}
	from := r.from
	for r.Buffered() && r.scan.alike.match(r.buf[r.from:r.seen]) && r.seen-r.from <= r.max {
		r.seen++
		r.from = r.seen
	}
	return r.buf[from:r.from]
}

// Buffered reports whether a whole line has been read already, so that the next
// call of Next does not wait for the source.
func (r *Reader) Buffered() bool {
	n := bytes.IndexByte(r.buf[r.seen:r.to], '\n')
	if n < 0 {
		r.seen = r.to
		return false
	}
	r.seen += n // the newline itself, which is found again at once
	return true
}

// line returns the next line without its newline. owned means that the memory
// is not used again.
func (r *Reader) line() (line []byte, owned bool, err error) {
	for {
		if r.Buffered() {
			line = r.buf[r.from:r.seen]
			r.seen++
			r.from = r.seen
			if len(line) > r.max {
				return nil, false, r.tooLong(line)
			}
			return line, false, nil
		}
		if r.err != nil {
			return r.last()
		}
		if r.from > 0 {
			r.to = copy(r.buf, r.buf[r.from:r.to])
			r.from, r.seen = 0, r.to
		}
		if r.to == len(r.buf) {
			return r.longLine()
		}
		var n int
		n, r.err = r.src.Read(r.buf[r.to:])
		r.to += n
	}
}

// last hands out what stands behind the last newline once the source has ended.
func (r *Reader) last() ([]byte, bool, error) {
	line := r.buf[r.from:r.to]
	r.from, r.to, r.seen = 0, 0, 0
	switch {
	case len(line) == 0:
		return nil, false, r.err
	case len(line) > r.max:
		return nil, false, r.tooLong(line)
	}
	return line, false, nil
}

// longLine gathers a line that is longer than the buffer, which is full. The
// pieces are of one size, not each twice the last, and joined once: at no time
// is more held than twice the line.
func (r *Reader) longLine() (line []byte, owned bool, err error) {
	pieces := [][]byte{append([]byte(nil), r.buf...)}
	size := len(r.buf)
	r.from, r.to, r.seen = 0, 0, 0
	for size <= r.max {
		piece, done := r.piece()
		pieces = append(pieces, piece)
		size += len(piece)
		if done {
			if size > r.max {
				return nil, false, r.tooLong(pieces[0])
			}
			return join(pieces, size), true, nil
		}
	}
	head := pieces[0]
	pieces = nil
	for {
		if _, done := r.piece(); done {
			return nil, false, r.tooLong(head)
		}
	}
}

// piece reads up to chunkSize bytes of the current line. done means that the
// line ends with it; what was read behind the newline is put into the buffer.
func (r *Reader) piece() (piece []byte, done bool) {
	piece = make([]byte, 0, chunkSize)
	for len(piece) < cap(piece) && r.err == nil {
		var n int
		n, r.err = r.src.Read(piece[len(piece):min(cap(piece), len(piece)+len(r.buf))])
		fresh := piece[len(piece) : len(piece)+n]
		if nl := bytes.IndexByte(fresh, '\n'); nl >= 0 {
			r.to = copy(r.buf, fresh[nl+1:])
			return piece[:len(piece)+nl], true
		}
		piece = piece[:len(piece)+n]
	}
	return piece, r.err != nil
}

func join(pieces [][]byte, size int) []byte {
	line := make([]byte, 0, size)
	for i, p := range pieces {
		line = append(line, p...)
		pieces[i] = nil
	}
	return line
}

// tooLong reads what the start of a dropped line says of itself.
func (r *Reader) tooLong(head []byte) error {
	e := &LineTooLongError{Limit: r.max}
	i := rawjson.SkipSpace(head, 0)
	if i >= len(head) || head[i] != '{' {
		return e
	}
	// The object breaks off, so the walk ends in an error: what came before
	// it is what we want.
	_, _ = rawjson.Walk(head, i, func(key []byte, _, at int) (int, error) {
		end, err := rawjson.Skip(head, at)
		if err != nil {
			return end, err
		}
		switch string(key) {
		case "id":
			if id := ID(head[at:end]); validID(id) {
				e.ID = id
			}
		case "method":
			if s, ok := rawjson.String(head[at:end]); ok {
				e.Method = s
			}
		}
		return end, nil
	})
	return e
}
