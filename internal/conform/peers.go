// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"io"
	"time"
)

// A ClientPeer is a client that was started.
type ClientPeer struct {
	// Accept waits for the client to start its agent, which the checker is.
	Accept func(patience time.Duration) (io.ReadWriteCloser, error)
	// Done is closed when the client has ended.
	Done <-chan struct{}
	// End ends it, waits, and says how it ended. It is called once.
	End func() string
	// Output is what it has shown up to now, on both of its streams.
	Output func() []byte
}

// A ProxyPeer is a proxy that was started, with the checker on either side.
type ProxyPeer struct {
	// Client is the side on which the checker is the client. Its End ends the
	// proxy.
	Client *Peer
	// Accept waits for the proxy to start its agent, which the checker is.
	Accept func(patience time.Duration) (io.ReadWriteCloser, error)
}
