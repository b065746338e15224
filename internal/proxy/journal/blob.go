// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"fmt"
	"strconv"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An image in a prompt is often larger than all text of a session together, and
// the agent replays it anyway. So a long one is kept as an object in the place
// of its string, which no valid block has there:
//
//	{"type":"image","data":{"skillgraft/sha256":"…","bytes":123456},"mimeType":"image/png"}
const (
	markerHash  = "skillgraft/sha256"
	markerBytes = "bytes"
)

// stripBlobs replaces the binary values that are longer than limit bytes.
func stripBlobs(blocks []byte, limit int) []byte {
	if limit < 0 {
		return blocks
	}
	return mapElements(blocks, func(block []byte) []byte {
		path := blobPath(block)
		if path == nil {
			return block
		}
		tok := rawjson.Get(block, path...)
		if !rawjson.IsString(tok) || len(tok)-2 <= limit {
			return block
		}
		value := rawjson.Text(tok)
		// What is not plain text could come back in another spelling, so it is
		// kept whole. Base64 always is.
		if len(value) <= limit || !plainASCII(value) {
			return block
		}
		marker := fmt.Appendf(nil, `{%q:%q,%q:%d}`, markerHash, HashBytes(value), markerBytes, len(value))
		return rawjson.Set(block, marker, path...)
	})
}

// Unblob fills back the binary values that [Journal.Load] returned as hashes
// only. have is asked for the string of a hash ([HashBytes]), such as the data
// of an image that the agent replays. missing is how many it did not have; those
// blocks are left as they are and must not be sent to a client. All else keeps
// its bytes. blocks is not changed.
func Unblob(blocks []byte, have func(hash string) ([]byte, bool)) (filled []byte, missing int) {
	filled = mapElements(blocks, func(block []byte) []byte {
		hash, _, ok := BlobHash(block)
		if !ok {
			return block
		}
		value, ok := have(hash)
		if !ok {
			missing++
			return block
		}
		return rawjson.Set(block, rawjson.Quote(string(value)), blobPath(block)...)
	})
	return filled, missing
}

// BlobHash reports whether the binary value of a block is kept as a hash only;
// if so, the hash ([HashBytes] of the string) and the length that it had.
func BlobHash(block []byte) (hash string, size int64, ok bool) {
	path := blobPath(block)
	if path == nil {
		return "", 0, false
	}
	marker := rawjson.Get(block, path...)
	if !rawjson.IsObject(marker) {
		return "", 0, false
	}
	members := 0
	for range rawjson.Members(marker) {
		members++
	}
	hash, isText := rawjson.GetString(marker, markerHash)
	size, err := strconv.ParseInt(string(rawjson.Get(marker, markerBytes)), 10, 64)
	if members != 2 || !isText || !isHash(hash) || err != nil || size < 0 {
		return "", 0, false
	}
	return hash, size, true
}

// blobPath is where a block of this type has its binary value, nil when its type
// has none.
func blobPath(block []byte) []string {
	switch kind, _ := rawjson.GetString(block, "type"); kind {
	case "image", "audio":
		return []string{"data"}
	case "resource":
		return []string{"resource", "blob"}
	}
	return nil
}

// mapElements replaces the values of an array and keeps what is between them. It
// returns arr itself when nothing changed.
func mapElements(arr []byte, f func([]byte) []byte) []byte {
	var out []byte
	done := 0
	for _, el := range rawjson.Elements(arr) {
		with := f(el.Value)
		if len(with) == len(el.Value) && (len(with) == 0 || &with[0] == &el.Value[0]) {
			continue
		}
		out = append(append(out, arr[done:el.At]...), with...)
		done = el.At + len(el.Value)
	}
	if done == 0 {
		return arr
	}
	return append(out, arr[done:]...)
}

func plainASCII(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

func isHash(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
