// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// toolCall is a tool call or a change of one in version 2's form. There null
// clears, while in version 1 it says that there is nothing to say.
func (u *Up) toolCall(s *upSession, call []byte) []byte {
	call = upWithoutNulls(call, "name", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput", "_meta")
	if content := rawjson.Get(call, "content"); rawjson.IsArray(content) {
		items := rawjson.Values(content)
		for i, tok := range items {
			items[i] = upToolContent(s.cwd, tok)
		}
		call = rawjson.Set(call, rawjson.Array(items), "content")
	}
	if locations := rawjson.Get(call, "locations"); rawjson.IsArray(locations) {
		call = rawjson.Set(call, upLocations(s.cwd, locations), "locations")
	}
	if title, ok := rawjson.GetString(call, "title"); ok && s.turn != nil {
		id, _ := rawjson.GetString(call, "toolCallId")
		s.titles[id] = title
	}
	return call
}

// upToolContent is one item of a tool call's content. Agents have put bare content
// blocks there, as an example of version 1's documentation does.
func upToolContent(cwd string, tok []byte) []byte {
	switch kind, _ := rawjson.GetString(tok, "type"); kind {
	case "diff":
		return upDiff(cwd, tok)
	case "text", "image", "audio", "resource", "resource_link":
		return objectOf(textField("type", "content"), field{"content", tok})
	}
	return tok
}

// upLocations are locations with the absolute paths that version 2 requires. Line
// 0, which is none, is left out.
func upLocations(cwd string, list []byte) []byte {
	out := [][]byte{}
	for _, tok := range rawjson.Values(list) {
		given, _ := rawjson.GetString(tok, "path")
		path := upAbsolute(cwd, given)
		if path == "" {
			continue
		}
		if path != given {
			tok = rawjson.Set(tok, rawjson.Quote(path), "path")
		}
		if line := string(rawjson.Get(tok, "line")); line == "0" || line == "null" {
			tok = rawjson.Delete(tok, "line")
		}
		out = append(out, tok)
	}
	return rawjson.Array(out)
}

// upAbsolute is a path of the agent's machine, which need not be of our kind, made
// absolute; empty when nobody can tell.
func upAbsolute(cwd, path string) string {
	switch {
	case acp.IsAbsolutePath(path):
		return path
	case path == "" || !acp.IsAbsolutePath(cwd) || strings.ContainsRune(path, 0):
		return ""
	}
	sep := "/"
	if cwd[0] != '/' {
		sep = `\`
	}
	return strings.TrimRight(cwd, `/\`) + sep + strings.TrimPrefix(path, "./")
}
