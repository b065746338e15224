// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package main

import (
	"context"
	"errors"
	"io"
)

func serveOdd(context.Context, io.Reader, io.Writer) error { return errUnix() }

func odd(context.Context, bool, io.Writer) error { return errUnix() }

func errUnix() error {
	return errors.New("-odd makes a tree with FIFOs and folders that may not be read; run it on Unix")
}
