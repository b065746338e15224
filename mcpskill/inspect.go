// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Inspect asks a server for one of the extension's results and returns it as it came,
// unchecked: for those who check servers. method is skills/list, skills/get or
// resources/directory/read; uri and cursor may be empty.
func (o *Origin) Inspect(ctx context.Context, method, uri, cursor string) (json.RawMessage, error) {
	switch method {
	case methodList:
		r, err := call[*listReply](ctx, o, method, &listParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		return r.raw, nil
	case methodGet:
		r, err := call[*getReply](ctx, o, method, &getParams{URI: uri})
		if err != nil {
			return nil, err
		}
		return r.raw, nil
	case methodDirectory:
		r, err := call[*directoryReply](ctx, o, method, &directoryParams{URI: uri, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		return r.raw, nil
	}
	return nil, errors.New("Inspect asks for the methods of the extension only")
}

// InspectRead is resources/read, with the server's own answer for any uri.
func (o *Origin) InspectRead(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	return bound(ctx, o, "resources/read", func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return o.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
}

// DirectoryRead reports whether the server declares resources/directory/read.
func (o *Origin) DirectoryRead() bool { return o.dirRead }

// Code is the code of the JSON-RPC error that a server answered with, 0 for any other
// error.
func Code(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func (r *listReply) UnmarshalJSON(b []byte) error {
	type plain listReply
	r.raw = append([]byte(nil), b...)
	return json.Unmarshal(b, (*plain)(r))
}

func (r *getReply) UnmarshalJSON(b []byte) error {
	type plain getReply
	r.raw = append([]byte(nil), b...)
	return json.Unmarshal(b, (*plain)(r))
}

func (r *directoryReply) UnmarshalJSON(b []byte) error {
	type plain directoryReply
	r.raw = append([]byte(nil), b...)
	return json.Unmarshal(b, (*plain)(r))
}
