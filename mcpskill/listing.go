// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The replies, as a host reads them: what is in an entry is looked at one by one,
// so that a malformed one costs itself alone.
type listReply struct {
	mcp.ResultBase
	raw        json.RawMessage
	ResultType string            `json:"resultType"`
	Skills     []json.RawMessage `json:"skills"`
	NextCursor string            `json:"nextCursor"`
	TTLMs      json.RawMessage   `json:"ttlMs"`
	CacheScope json.RawMessage   `json:"cacheScope"`
}

type getReply struct {
	mcp.ResultBase
	raw        json.RawMessage
	ResultType string          `json:"resultType"`
	Skill      json.RawMessage `json:"skill"`
	TTLMs      json.RawMessage `json:"ttlMs"`
	CacheScope json.RawMessage `json:"cacheScope"`
}

type directoryReply struct {
	mcp.ResultBase
	raw        json.RawMessage
	ResultType string          `json:"resultType"`
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor"`
}

// maxPages bounds a listing of pages that have nothing on them.
const maxPages = 10_000

// A Listing is what a server said it has. An empty or partial one does not mean that
// there is no more: [Origin.Get] works for skills that are not listed.
type Listing struct {
	Entries []*Entry
	// Problems are entries that were left out, and why the listing is not all of it.
	Problems []*RuleError
	// Partial is true when the server would have gone on.
	Partial bool
	// Until is how long the server says the listing may be taken for current. It
	// says nothing about content.
	Until time.Time
}

// List asks for all skills that the server lists. Nothing else is read (MCP-4). An
// error says that not even the first page came; when a later one fails, what came
// before stands, and the listing is partial.
func (o *Origin) List(ctx context.Context) (*Listing, error) {
	l := &Listing{}
	seen := map[string]int{}
	cursors := map[string]bool{}
	var size int64
	cursor := ""
	stop := func(format string, args ...any) (*Listing, error) {
		l.Partial = true
		l.Problems = append(l.Problems, o.fail("MCP-1", "", format, args...).(*RuleError))
		return o.withoutTwins(l, seen), nil
	}
	for pages := 0; ; pages++ {
		if pages == maxPages {
			return stop("the listing has more than %d pages; the rest is left out", maxPages)
		}
		r, err := call[*listReply](ctx, o, methodList, &listParams{Cursor: cursor})
		if err != nil {
			if pages == 0 {
				return nil, err
			}
			return stop("the listing broke off: %v", err)
		}
		if pages == 0 {
			l.Until = until(r.TTLMs)
		}
		for _, raw := range r.Skills {
			if size += int64(len(raw)); size > o.host.opts.MaxList || len(l.Entries)+len(l.Problems) >= o.host.opts.MaxSkills {
				return stop("the listing has more than %d skills or %d bytes; the rest is left out", o.host.opts.MaxSkills, o.host.opts.MaxList)
			}
			e, err := o.entry(raw)
			if err != nil {
				var bad *RuleError
				if errors.As(err, &bad) {
					l.Problems = append(l.Problems, bad)
				}
				continue
			}
			if seen[e.ID.URI]++; seen[e.ID.URI] == 1 {
				l.Entries = append(l.Entries, e)
			}
		}
		if r.NextCursor == "" {
			return o.withoutTwins(l, seen), nil
		}
		if cursors[r.NextCursor] {
			return stop("the listing goes in a circle: it gave a cursor twice")
		}
		cursor = r.NextCursor
		cursors[cursor] = true
	}
}

// withoutTwins leaves out what was listed twice under one uri: which of them the
// server means nobody knows.
func (o *Origin) withoutTwins(l *Listing, seen map[string]int) *Listing {
	kept := l.Entries[:0]
	for _, e := range l.Entries {
		if seen[e.ID.URI] > 1 {
			l.Problems = append(l.Problems, o.fail("MCP-2", e.ID.URI, "the listing has %s %d times; it is left out", e.ID, seen[e.ID.URI]).(*RuleError))
			continue
		}
		kept = append(kept, e)
	}
	l.Entries = kept
	return l
}

func (o *Origin) entry(raw []byte) (*Entry, error) {
	var s Skill
	if err := s.UnmarshalJSON(raw); err != nil {
		return nil, o.fail("MCP-2", "", "%v", err)
	}
	return NewEntry(o.label, s)
}

// Get asks for the entry of one skill, listed or not.
func (o *Origin) Get(ctx context.Context, uri string) (*Entry, error) {
	if _, _, err := skillURI(uri); err != nil {
		return nil, o.fail("MCP-2", uri, "%v", err)
	}
	r, err := call[*getReply](ctx, o, methodGet, &getParams{URI: uri})
	if err != nil {
		return nil, err
	}
	e, err := o.entry(r.Skill)
	if err != nil {
		return nil, err
	}
	if e.ID.URI != uri {
		return nil, o.fail("MCP-1", uri, "asked for %s, the server answered with %s", clip(uri, 200), clip(e.ID.URI, 200))
	}
	return e, nil
}

// Directory asks for the direct members of a directory of the server. They are an
// observation: for a skill with an entry they add nothing to its files (MCP-4). It
// is an error for a server that does not declare the method.
func (o *Origin) Directory(ctx context.Context, uri string) (out []*mcp.Resource, err error) {
	if !o.dirRead {
		return nil, o.fail("MCP-1", uri, "the server does not declare directoryRead, and is not asked")
	}
	if _, err := checkURI(uri); err != nil {
		return nil, o.fail("MCP-2", uri, "%v", err)
	}
	cursor := ""
	for range maxPages {
		r, err := call[*directoryReply](ctx, o, methodDirectory, &directoryParams{URI: uri, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, m := range r.Resources {
			if m != nil {
				out = append(out, m)
			}
		}
		if len(out) > o.host.opts.MaxSkills {
			break
		}
		if r.NextCursor == "" {
			return out, nil
		}
		if cursor == r.NextCursor {
			break
		}
		cursor = r.NextCursor
	}
	return nil, o.fail("MCP-1", uri, "the directory has no end")
}

// call sends one request, bounded in time also where the server does not answer, and
// says who failed.
func call[R mcp.Result, P interface {
	*T
	mcp.Params
}, T any](ctx context.Context, o *Origin, method string, p P) (R, error) {
	return bound(ctx, o, method, func(ctx context.Context) (R, error) {
		return mcp.CallCustomMethod[P, R](ctx, o.session, method, p)
	})
}

func bound[R any](ctx context.Context, o *Origin, method string, f func(context.Context) (R, error)) (r R, err error) {
	asked, cancel := context.WithTimeout(ctx, o.host.opts.Timeout)
	defer cancel()
	type reply struct {
		r   R
		err error
	}
	done := make(chan reply, 1)
	go func() {
		r, err := f(asked)
		done <- reply{r, err}
	}()
	select {
	case d := <-done:
		r, err = d.r, d.err
	case <-asked.Done():
		err = asked.Err() // the call ends with the connection at the latest
	}
	var answer *jsonrpc.Error
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return r, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = &RuleError{Rule: "MCP-1", ID: ID{Label: o.label}, Reason: clean("no answer to %s within %v", method, o.host.opts.Timeout), Err: err}
	case errors.As(err, &answer):
		err = &RuleError{Rule: "MCP-1", ID: ID{Label: o.label}, Reason: clean("%s was refused with %d: %s", method, answer.Code, answer.Message), Err: err}
	default:
		err = &RuleError{Rule: "MCP-1", ID: ID{Label: o.label}, Reason: clean("%s failed: %v", method, o.explain(err)), Err: err}
	}
	return r, err
}

func until(ttl json.RawMessage) time.Time {
	var ms int64
	if json.Unmarshal(ttl, &ms) != nil || ms <= 0 {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(min(ms, int64(24*time.Hour/time.Millisecond))) * time.Millisecond)
}
