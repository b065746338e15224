// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type ctxType = context.Context

func readParams(uri string) *mcp.ReadResourceParams { return &mcp.ReadResourceParams{URI: uri} }

// memory connects to a server in this process.
func memory(t *testing.T, s *Server) Endpoint {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = s.Run(ctx, there); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return Endpoint{Transport: here}
}
