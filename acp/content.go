// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"encoding/json"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// TextBlock makes a content block of a text.
func TextBlock(text string) ContentBlock { return &Text{Text: text} }

// SkillBlock is a block that invokes a skill.
func SkillBlock(name string) ContentBlock { return &SkillReference{Name: name} }

// ReadContent reads an array of blocks, as in a prompt. Any malformed block is
// an error.
func ReadContent(tok []byte) ([]ContentBlock, error) {
	return object.ReadList(object.Trim(tok), ReadContentBlock, false)
}

// EncodeContent writes blocks as a JSON array.
func EncodeContent(blocks []ContentBlock) ([]byte, error) { return object.EncodeList(nil, blocks) }

// ResourceContents is text, which may be empty, or a blob when Blob is set.
type ResourceContents struct {
	URI      string
	MimeType string
	Text     string
	Blob     *string // base64
	Meta     json.RawMessage
	Extra    Members
}

// members of it: the text has to be there only when there is no blob, which a
// reader does not know yet.
func (c *ResourceContents) members(mustText bool) []object.Field {
	text := object.Strict("text", &c.Text, object.String)
	if mustText {
		text = object.Must("text", &c.Text, object.String)
	}
	return []object.Field{
		object.Must("uri", &c.URI, object.String), object.Soft("mimeType", &c.MimeType, object.String), text,
		object.SoftPtr("blob", &c.Blob, object.String), object.Meta(&c.Meta), object.Rest(&c.Extra),
	}
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (c *ResourceContents) UnmarshalJSON(data []byte) error {
	*c = ResourceContents{}
	if err := object.Read(data, c.members(false)); err != nil {
		return err
	}
	if c.Blob == nil && rawjson.Get(object.Trim(data), "text") == nil {
		return &FieldError{Reason: "has neither text nor blob"}
	}
	if c.Blob == nil && c.Text == "" {
		c.Extra = without(c.Extra, "text") // it is written for its own sake
	}
	return nil
}

// MarshalJSON implements [encoding/json.Marshaler].
func (c ResourceContents) MarshalJSON() ([]byte, error) {
	return object.Write(c.members(c.Blob == nil))
}

func without(m Members, name string) Members {
	var out Members
	for _, x := range m {
		if x.Name != name {
			out = append(out, x)
		}
	}
	return out
}
