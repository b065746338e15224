// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill"
)

// KindMCP is a server that serves skills over MCP. It is checked by [RunMCP].
const KindMCP Kind = "mcp"

// invalidParams is the code that the extension wants for whatever is not served.
const invalidParams = -32602

// An mcpCheck looks at a connected server. An empty reason passes; skip says that it
// does not apply.
type mcpCheck struct {
	Check
	look func(context.Context, *mcpServer) (reason string, skip bool)
}

// mcpServer is a server and what it listed.
type mcpServer struct {
	*mcpskill.Origin
	modern  bool
	listing *mcpskill.Listing
	listErr error
	page    json.RawMessage // the first, as it came
}

// MCPChecks are the checks of a server of skills.
func MCPChecks() (out []Check) {
	for _, c := range mcpChecks() {
		out = append(out, c.Check)
	}
	return out
}

func mcpChecks() []mcpCheck {
	return []mcpCheck{
		{Check{ID: "list/answer", Rule: "MCP-1", Title: "answers `skills/list`, and the listing has an end"}, checkListing},
		{Check{ID: "list/fields", Rule: "MCP-1", Title: "the result of `skills/list` has `resultType` \"complete\", `ttlMs` and `cacheScope`"}, checkListFields},
		{Check{ID: "list/entries", Rule: "MCP-2", Title: "every entry that is listed is sound: uri, frontmatter, resources, limits"}, checkEntries},
		{Check{ID: "list/unique", Rule: "MCP-2", Title: "names are unique in the listing", Should: true}, checkUnique},
		{Check{ID: "get/listed", Rule: "MCP-1", Title: "`skills/get` answers for each listed skill, with the same files"}, checkGet},
		{Check{ID: "get/unknown", Rule: "MCP-1", Title: "`skills/get` of what is no skill is -32602"}, checkGetUnknown},
		{Check{ID: "read/unknown", Rule: "MCP-1", Title: "`resources/read` of a file that is not served is -32602"}, checkReadUnknown},
		{Check{ID: "read/outside", Rule: "MCP-2", Title: "no uri leads out of a skill: `..`, encoded or not"}, checkOutside},
		{Check{ID: "read/digest", Rule: "MCP-4", Title: "every file has the size and digest, and SKILL.md the frontmatter, of its entry"}, checkDigests},
		{Check{ID: "directory/lists", Rule: "MCP-1", Title: "`resources/directory/read` lists a skill's directory"}, checkDirectory},
		{Check{ID: "directory/other", Rule: "MCP-1", Title: "`resources/directory/read` of what is no directory is -32602"}, checkNoDirectory},
	}
}

// RunMCP checks a connected server. done, if not nil, is called after each check.
func RunMCP(ctx context.Context, o *mcpskill.Origin, filters []string, done func(Result)) (*Report, error) {
	chosen, err := Select(MCPChecks(), filters...)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, c := range chosen {
		wanted[c.ID] = true
	}
	s := &mcpServer{Origin: o, modern: o.Revision() >= "2026-07-28"}
	s.listing, s.listErr = o.List(ctx)
	if s.page, err = o.Inspect(ctx, "skills/list", "", ""); s.listErr == nil {
		s.listErr = err
	}
	if s.listing == nil {
		s.listing = &mcpskill.Listing{}
	}
	r := &Report{Kind: KindMCP, Peer: skill.Sanitize(o.Endpoint()) + ", revision " + skill.Sanitize(o.Revision())}
	for _, c := range mcpChecks() {
		if !wanted[c.ID] {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		began := time.Now()
		reason, skip := c.look(ctx, s)
		x := Result{Check: c.Check, Verdict: Pass, Reason: skill.Sanitize(reason), Took: time.Since(began)}
		switch {
		case skip:
			x.Verdict = NotApplicable
		case reason != "" && c.Should:
			x.Verdict = Warn
		case reason != "":
			x.Verdict = Fail
		}
		r.Results = append(r.Results, x)
		if done != nil {
			done(x)
		}
	}
	return r, nil
}

const nothingListed = "the server lists no skill"

func checkListing(_ context.Context, s *mcpServer) (string, bool) {
	if s.listErr != nil {
		return s.listErr.Error(), false
	}
	for _, p := range s.listing.Problems {
		if p.Rule == "MCP-1" {
			return p.Reason, false
		}
	}
	return "", false
}

func checkListFields(_ context.Context, s *mcpServer) (string, bool) {
	if !s.modern {
		return "the revision does not know these fields", true
	}
	return freshFields(s.page), false
}

func freshFields(result []byte) string {
	if kind, _ := rawjson.GetString(result, "resultType"); kind != "complete" {
		return `resultType is not "complete"`
	}
	var ttl int64
	if json.Unmarshal(rawjson.Get(result, "ttlMs"), &ttl) != nil || ttl < 0 {
		return "ttlMs is no number of milliseconds"
	}
	if scope, _ := rawjson.GetString(result, "cacheScope"); scope != "public" && scope != "private" {
		return `cacheScope is neither "public" nor "private"`
	}
	return ""
}

func checkEntries(_ context.Context, s *mcpServer) (string, bool) {
	for _, p := range s.listing.Problems {
		if p.Rule != "MCP-1" {
			return p.Reason, false
		}
	}
	if len(s.listing.Entries) == 0 {
		return nothingListed, true
	}
	return "", false
}

func checkUnique(_ context.Context, s *mcpServer) (string, bool) {
	seen := map[string]string{}
	for _, e := range s.listing.Entries {
		if other, ok := seen[e.Name]; ok {
			return fmt.Sprintf("%s and %s are both named %q", other, e.ID.URI, e.Name), false
		}
		seen[e.Name] = e.ID.URI
	}
	return "", false
}

func checkGet(ctx context.Context, s *mcpServer) (string, bool) {
	for _, e := range s.listing.Entries {
		raw, err := s.Inspect(ctx, "skills/get", e.ID.URI, "")
		if err != nil {
			return fmt.Sprintf("%s: %v", e.ID.URI, err), false
		}
		if s.modern {
			if why := freshFields(raw); why != "" {
				return "the result of skills/get: " + why, false
			}
		}
		got, err := s.Get(ctx, e.ID.URI)
		switch {
		case err != nil:
			return err.Error(), false
		case got.Set() != e.Set():
			return fmt.Sprintf("%s has other files in skills/get than in skills/list (or changed meanwhile)", e.ID.URI), false
		}
	}
	if len(s.listing.Entries) == 0 {
		return nothingListed, true
	}
	return "", false
}

// missing is a uri that no server has.
const missing = "skill://skillgraft-conform-no-such-skill/SKILL.md"

func wantInvalid(what string, err error) string {
	switch code := mcpskill.Code(err); {
	case err == nil:
		return what + " was answered"
	case code != invalidParams:
		return fmt.Sprintf("%s gave %v, and should give the error %d", what, err, invalidParams)
	}
	return ""
}

func checkGetUnknown(ctx context.Context, s *mcpServer) (string, bool) {
	_, err := s.Inspect(ctx, "skills/get", missing, "")
	return wantInvalid("skills/get of "+missing, err), false
}

func checkReadUnknown(ctx context.Context, s *mcpServer) (string, bool) {
	_, err := s.InspectRead(ctx, missing)
	return wantInvalid("resources/read of "+missing, err), false
}

func checkOutside(ctx context.Context, s *mcpServer) (string, bool) {
	if len(s.listing.Entries) == 0 {
		return nothingListed, true
	}
	root := strings.TrimSuffix(s.listing.Entries[0].ID.URI, "/SKILL.md")
	for _, way := range []string{"/../../../../../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2f..%2f..%2fetc%2fpasswd", "/..\\..\\..\\windows\\win.ini", "//etc/passwd"} {
		if _, err := s.InspectRead(ctx, root+way); err == nil {
			return "resources/read of " + root + way + " was answered", false
		}
	}
	return "", false
}

func checkDigests(ctx context.Context, s *mcpServer) (string, bool) {
	yes := func(context.Context, mcpskill.Question) (mcpskill.Answer, error) { return mcpskill.Once, nil }
	looked := false
	for _, e := range s.listing.Entries {
		if e.Dynamic {
			continue
		}
		looked = true
		k, err := s.Load(ctx, e.ID.URI, yes)
		if err != nil {
			return err.Error(), false
		}
		for _, f := range k.Entry.Files() {
			if _, err := k.Read(ctx, f); err != nil {
				return err.Error(), false
			}
		}
		k.Close()
	}
	if !looked {
		return "the server lists no skill with digests", true
	}
	return "", false
}

const noDirectories = "the server does not declare directoryRead"

func checkDirectory(ctx context.Context, s *mcpServer) (string, bool) {
	switch {
	case !s.DirectoryRead():
		return noDirectories, true
	case len(s.listing.Entries) == 0:
		return nothingListed, true
	}
	for _, e := range s.listing.Entries {
		root := strings.TrimSuffix(e.ID.URI, "/SKILL.md")
		members, err := s.Directory(ctx, root)
		if err != nil {
			return fmt.Sprintf("%s: %v", root, err), false
		}
		found := false
		for _, m := range members {
			found = found || m.URI == e.ID.URI
		}
		if !found {
			return root + " does not list its SKILL.md", false
		}
	}
	return "", false
}

func checkNoDirectory(ctx context.Context, s *mcpServer) (string, bool) {
	if !s.DirectoryRead() {
		return noDirectories, true
	}
	uris := []string{strings.TrimSuffix(missing, "/SKILL.md")}
	if len(s.listing.Entries) > 0 {
		uris = append(uris, s.listing.Entries[0].ID.URI)
	}
	for _, uri := range uris {
		_, err := s.Inspect(ctx, "resources/directory/read", uri, "")
		if why := wantInvalid("resources/directory/read of "+uri, err); why != "" {
			return why, false
		}
	}
	return "", false
}
