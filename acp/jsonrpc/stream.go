// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"io"
)

// Join makes one stream of a reader and a writer, such as a program's standard
// input and output. Close closes both, the writer first, so that a program on
// the other side sees its end before we stop to listen.
func Join(r io.ReadCloser, w io.WriteCloser) io.ReadWriteCloser { return joined{r, w} }

type joined struct {
	r io.ReadCloser
	w io.WriteCloser
}

func (j joined) Read(p []byte) (int, error)  { return j.r.Read(p) }
func (j joined) Write(p []byte) (int, error) { return j.w.Write(p) }
func (j joined) Close() error                { return errors.Join(j.w.Close(), j.r.Close()) }
