// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errSilent says that nothing came for too long.
var errSilent = errors.New("nothing came for too long")

// newClient is an HTTP client that gives a silent server up. It follows no
// redirects: a key must not go where nobody sent it.
func newClient(silence time.Duration) *http.Client {
	return &http.Client{
		Transport:     &watched{base: http.DefaultTransport.(*http.Transport).Clone(), silence: silence},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// watched is a transport whose responses end when nothing comes for too long.
type watched struct {
	base    *http.Transport
	silence time.Duration
}

// CloseIdleConnections is for [http.Client.CloseIdleConnections].
func (w *watched) CloseIdleConnections() { w.base.CloseIdleConnections() }

// RoundTrip implements [http.RoundTripper].
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(w.silence, func() { cancel(errSilent) })
	resp, err := w.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		timer.Stop()
		if context.Cause(ctx) == errSilent {
			err = errSilent
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, timer: timer, silence: w.silence}
	return resp, nil
}

type watchedBody struct {
	io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	silence time.Duration
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && context.Cause(b.ctx) == errSilent {
		err = errSilent
	}
	if n > 0 && err == nil {
		b.timer.Reset(b.silence)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
