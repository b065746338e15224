// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Extension is the id under which servers declare that they serve skills.
const Extension = "io.modelcontextprotocol/skills"

// Limits of one skill, which every host has to support and no server should exceed
// (MCP-2). MaxSize is in bytes, over all files.
const (
	MaxFiles = 512
	MaxSize  = 16 << 20
)

// revision is the first one of the base protocol that knows resultType, ttlMs and
// cacheScope. To a peer that speaks an older one they are not sent.
const revision = "2026-07-28"

// The methods of the extension.
const (
	methodList      = "skills/list"
	methodGet       = "skills/get"
	methodDirectory = "resources/directory/read"
)

// A Resource is one file of a skill, as its entry names it.
type Resource struct {
	URI string `json:"uri"`
	// Digest is "sha256:" and 64 lower-case hexadecimal digits, of the file's bytes.
	Digest string `json:"digest"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// A Skill is the entry of one skill as it stands on the wire (MCP-2).
type Skill struct {
	// URI is that of the skill's SKILL.md.
	URI string
	// Frontmatter is the head of SKILL.md, as a JSON object.
	Frontmatter json.RawMessage
	// Resources are all files. Nil for a Dynamic skill.
	Resources []Resource
	// Dynamic says that the content is made on demand and has no digests.
	Dynamic bool
}

const dynamic = "dynamic"

// MarshalJSON writes the entry.
func (s Skill) MarshalJSON() ([]byte, error) {
	var resources any = s.Resources
	if s.Dynamic {
		resources = dynamic
	} else if s.Resources == nil {
		resources = []Resource{}
	}
	return json.Marshal(struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   any             `json:"resources"`
	}{s.URI, s.Frontmatter, resources})
}

// UnmarshalJSON reads an entry, and refuses what has another shape than an entry.
// It says nothing of what the fields hold: see [NewEntry].
func (s *Skill) UnmarshalJSON(b []byte) error {
	if !rawjson.IsObject(b) {
		return fmt.Errorf("the entry is no object")
	}
	if name, dup := rawjson.HasDuplicate(b); dup {
		return fmt.Errorf("the entry has the field %q twice", name)
	}
	uri, ok := rawjson.GetString(b, "uri")
	if !ok {
		return fmt.Errorf("the entry has no uri")
	}
	fm := rawjson.Get(b, "frontmatter")
	if !rawjson.IsObject(fm) {
		return fmt.Errorf("the entry of %q has no frontmatter object", uri)
	}
	*s = Skill{URI: uri, Frontmatter: append(json.RawMessage(nil), fm...)}
	list := rawjson.Get(b, "resources")
	if text, ok := rawjson.String(list); ok && text == dynamic {
		s.Dynamic = true
		return nil
	}
	if !rawjson.IsArray(list) {
		return fmt.Errorf("the entry of %q has resources that are neither a list nor \"dynamic\"", uri)
	}
	s.Resources = []Resource{}
	for _, e := range rawjson.Elements(list) {
		if name, dup := rawjson.HasDuplicate(e.Value); dup {
			return fmt.Errorf("a resource of %q has the field %q twice", uri, name)
		}
		for _, f := range []string{"uri", "digest"} {
			if _, ok := rawjson.GetString(e.Value, f); !ok {
				return fmt.Errorf("a resource of %q has no %s", uri, f)
			}
		}
		if rawjson.Get(e.Value, "size") == nil {
			return fmt.Errorf("a resource of %q has no size", uri)
		}
		var r Resource
		if err := json.Unmarshal(e.Value, &r); err != nil {
			return fmt.Errorf("a resource of %q: %w", uri, err)
		}
		s.Resources = append(s.Resources, r)
	}
	return nil
}

// common is what results of the newer revisions have.
type common struct {
	mcp.ResultBase
	ResultType string `json:"resultType,omitempty"`
}

// freshness is what results have that may be kept for a while.
type freshness struct {
	TTLMs      *int64 `json:"ttlMs,omitempty"`
	CacheScope string `json:"cacheScope,omitempty"`
}

type listParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type listResult struct {
	common
	Skills     []json.RawMessage `json:"skills"`
	NextCursor string            `json:"nextCursor,omitempty"`
	freshness
}

type getParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

type getResult struct {
	common
	Skill json.RawMessage `json:"skill"`
	freshness
}

type directoryParams struct {
	mcp.ParamsBase
	URI    string `json:"uri"`
	Cursor string `json:"cursor,omitempty"`
}

type directoryResult struct {
	common
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor,omitempty"`
}

// resourcesResult answers resources/list. The SDK's own has ttlMs and cacheScope in
// every revision.
type resourcesResult struct {
	common
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor,omitempty"`
	freshness
}

type templatesResult struct {
	common
	Templates []*mcp.ResourceTemplate `json:"resourceTemplates"`
	freshness
}

type readResult struct {
	common
	Contents []contents `json:"contents"`
	freshness
}

type contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"`
}
