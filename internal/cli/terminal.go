// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream of ours is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Person is where a person at the terminal types, nil when nobody is there: a
// question has to be seen on errw. in is not it when it is taken for something
// else, or no terminal.
func Person(in io.Reader, errw io.Writer, taken bool) io.Reader {
	if !IsTerminal(errw) {
		return nil
	}
	if !taken && IsTerminal(in) {
		return in
	}
	f, err := os.OpenFile(console, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return f // open as long as the program runs
}

// Progress says what takes so long on a terminal, when it takes more than a
// second. done takes the line away again.
func Progress(errw io.Writer, what string) (done func()) {
	if !IsTerminal(errw) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-time.After(time.Second):
			fmt.Fprintf(errw, "%s ...", what)
			<-stop
			fmt.Fprint(errw, "\r\x1b[K")
		case <-stop:
		}
	}()
	return func() { close(stop); <-stopped }
}
