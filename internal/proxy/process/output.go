// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"io"
	"os"
	"time"
)

// An output is the reading end of a pipe that the agent writes to. As long as
// the agent lives it is just the pipe. Afterwards it ends when there is nothing
// more to read, even though somebody still holds the other end.
//
// That needs read deadlines, which pipes have on Unix. On Windows they do not,
// and the job object sees to it that nobody is left to hold the pipe.
type output struct {
	file    *os.File
	ended   <-chan struct{} // the agent has ended
	drained int             // bytes read since then; only the reader uses it
}

// wake is called when the agent has ended. A read that waits gets a deadline.
func (o *output) wake() { _ = o.file.SetReadDeadline(time.Now().Add(drainSilence)) }

// Read closes the pipe when it has come to its end.
func (o *output) Read(b []byte) (int, error) {
	n, err := o.read(b)
	if err != nil {
		_ = o.file.Close()
	}
	if errors.Is(err, os.ErrClosed) { // read again after the end
		err = io.EOF
	}
	return n, err
}

func (o *output) read(b []byte) (int, error) {
	for {
		select {
		case <-o.ended:
			return o.drain(b)
		default:
		}
		n, err := o.file.Read(b)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			continue // wake came while this read waited
		}
		return n, err
	}
}

func (o *output) drain(b []byte) (int, error) {
	if o.drained >= drainMax {
		return 0, io.EOF
	}
	// A new deadline for each read: how slowly the reader comes back for what
	// is in the pipe must not matter.
	o.wake()
	n, err := o.file.Read(b)
	o.drained += n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}
