// SPDX-License-Identifier: Apache-2.0

package modeltools

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill"
)

const (
	readTool = "read_skill_file"

	// maxRead is the largest file that a model is given, in bytes: some 60,000
	// tokens of text.
	maxRead = 256 << 10
)

// reading is the tool by which a model reads what a skill has beside its
// instructions.
func reading(o *offered) *mcp.Tool {
	return &mcp.Tool{
		Name:        readTool,
		Title:       "Read a file of a skill",
		Description: "Read a file in a skill's directory, by its path relative to that directory, as the skill's instructions and its list of files name it.",
		InputSchema: schema(map[string]any{
			"name": o.nameProperty(),
			"path": map[string]any{"type": "string", "description": "The file's path, relative to the skill's directory."},
		}, "name", "path"),
		Annotations: harmless(),
	}
}

func (s *Server) read(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
		return failed("the arguments are no object with a skill's name and a file's path: %v", err), nil
	}
	e, problem := s.find(args.Name)
	if problem != nil {
		return problem, nil
	}
	b, err := e.ReadFile(args.Path, maxRead)
	if err != nil {
		return failed("the file %q of the skill %q cannot be read: %v", skill.Sanitize(args.Path), skill.Sanitize(args.Name), err), nil
	}
	if utf8.Valid(b) && !bytes.ContainsRune(b, 0) {
		return text("%s", b), nil
	}
	kind := mime.TypeByExtension(path.Ext(args.Path))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: fileURI(filepath.Join(e.Dir, filepath.FromSlash(args.Path))), MIMEType: kind, Blob: b}},
	}}, nil
}

// fileURI is the address of a file on this machine.
func fileURI(file string) string {
	p := filepath.ToSlash(file)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x on Windows
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
