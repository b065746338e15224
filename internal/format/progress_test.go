// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// A stream that is no terminal gets no progress.
func TestMeterIsForTerminals(t *testing.T) {
	if m := newMeter(new(bytes.Buffer)); m != nil {
		t.Error("a meter for a buffer")
	}
	var m *meter
	m.at(1, 2)
	m.clear()
	m.end() // a nil one is no trouble
}

// The line is drawn with the state of the work, taken away before anything else is written,
// and away at the end. How long it takes to be due is not tested.
func TestMeter(t *testing.T) {
	r, w := io.Pipe()
	m := &meter{w: w, stop: make(chan struct{}), done: make(chan struct{})}
	m.at(3, 1000)
	go m.run(0, time.Hour)
	buf := make([]byte, 100)
	n, err := r.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(buf[:n]); got != "\r\x1b[K3 of 1000 skills checked ..." {
		t.Errorf("drawn: %q", got)
	}
	var rest bytes.Buffer
	copied := make(chan struct{})
	go func() { defer close(copied); _, _ = io.Copy(&rest, r) }()
	m.clear()
	m.end()
	m.end() // on the way out of an error it is called anyway
	w.Close()
	<-copied
	if strings.Count(rest.String(), "\x1b[K") != 1 || strings.Contains(rest.String(), "skills") {
		t.Errorf("after that: %q", rest.String())
	}
}
