// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"io"
	"testing"
)

// Drain returns only when what was queued has been written, also when another goroutine
// is the one that writes it.
func TestWriterDrain(t *testing.T) {
	r, w := io.Pipe()
	out := NewWriter(w, nil)
	out.Enqueue([]byte("one"))
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		_ = out.Flush() // it is stuck until somebody reads
	}()
	read := make([]byte, 4)
	if _, err := io.ReadFull(r, read[:1]); err != nil { // now it writes
		t.Fatal(err)
	}
	out.Enqueue([]byte("two"))
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_ = out.Flush() // returns at once
		out.Drain()
	}()
	select {
	case <-drained:
		t.Fatal("drained before anything could be written")
	default:
	}
	rest := make([]byte, 7)
	if _, err := io.ReadFull(r, rest); err != nil || string(rest) != "ne\ntwo\n" {
		t.Fatalf("got %q, %v", rest, err)
	}
	<-drained
	<-flushed
	out.Drain() // nothing is queued
	_ = r.Close()
	out.Enqueue([]byte("three"))
	_ = out.Flush()
	out.Drain() // and nothing ever will be written
	_ = out.Close()
}
