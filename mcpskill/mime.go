// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// mimeTypes are those of files that skills have. The table is ours, since the
// system's differs from one machine to the next, and instances behind a load
// balancer have to say the same.
func mimeTypes(ext string) string {
	switch ext {
	case ".md", ".markdown":
		return "text/markdown"
	case ".txt", ".text", ".tmpl", ".log":
		return "text/plain"
	case ".json":
		return "application/json"
	case ".jsonl", ".ndjson":
		return "application/x-ndjson"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".toml":
		return "application/toml"
	case ".xml":
		return "application/xml"
	case ".csv":
		return "text/csv"
	case ".tsv":
		return "text/tab-separated-values"
	case ".html", ".htm":
		return "text/html"
	case ".css":
		return "text/css"
	case ".js", ".mjs", ".cjs":
		return "text/javascript"
	case ".ts", ".tsx":
		return "text/x-typescript"
	case ".py":
		return "text/x-python"
	case ".sh", ".bash":
		return "application/x-sh"
	case ".go":
		return "text/x-go"
	case ".rs":
		return "text/x-rust"
	case ".sql":
		return "application/sql"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".pdf":
		return "application/pdf"
	case ".zip":
		return "application/zip"
	case ".gz":
		return "application/gzip"
	case ".wasm":
		return "application/wasm"
	case ".docx":
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	case ".xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case ".pptx":
		return "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	case ".ttf":
		return "font/ttf"
	case ".woff2":
		return "font/woff2"
	}
	return ""
}

const directoryType = "inode/directory"

// mimeType is that of a file by its name, or else by its first bytes.
func mimeType(name string, head []byte) string {
	if t := mimeTypes(strings.ToLower(path.Ext(name))); t != "" {
		return t
	}
	if isText(head) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// isText reports whether bytes can go over the wire as text and come out as the same
// bytes.
func isText(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsRune(b, 0) }
