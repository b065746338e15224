// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What was added is read again, whatever stands in it, and a file that was cut
// anywhere loses no whole line.
func TestHistoryIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		file := filepath.Join(dir, "s.jsonl")
		_ = os.Remove(file)
		h := newHistory("s", "/w", file)
		texts := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "texts")
		for _, text := range texts {
			content, err := json.Marshal([]map[string]string{{"type": "text", "text": text}})
			if err != nil {
				t.Fatal(err)
			}
			if err := h.add(record{Type: recordUser, MessageID: "m", Content: content}, record{Type: recordAgent, Text: text}, record{Type: recordEnd, Stop: "end_turn"}); err != nil {
				t.Fatal(err)
			}
		}
		h.close()
		got, skipped, err := readHistory("s", file)
		if err != nil || skipped > 0 {
			t.Fatal(err, skipped)
		}
		sameContent := cmp.Comparer(func(a, b json.RawMessage) bool {
			var x, y any
			return len(a) == 0 && len(b) == 0 || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
		})
		if diff := cmp.Diff(h.all(), got.all(), sameContent); diff != "" {
			t.Fatal(diff)
		}

		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cut := whole[:rapid.IntRange(bytes.IndexByte(whole, '\n')+1, len(whole)).Draw(t, "cut")]
		if err := os.WriteFile(file, cut, 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err = readHistory("s", file)
		if err != nil {
			t.Fatal(err)
		}
		turns := 0
		for _, r := range got.all() {
			if r.Type == recordEnd && !r.Interrupted {
				turns++
			}
		}
		if want := bytes.Count(cut, []byte(`"end_turn"}`+"\n")); turns < want {
			t.Fatalf("%d turns of %d", turns, want)
		}
		if err := got.add(record{Type: recordEnd, Stop: "end_turn"}); err != nil {
			t.Fatal(err)
		}
		got.close()
		again, _, err := readHistory("s", file)
		if err != nil || again.all()[len(again.all())-1].Type != recordEnd {
			t.Fatalf("what was added to a cut file is lost: %v", err)
		}
	})
}

func FuzzReadHistory(f *testing.F) {
	f.Add([]byte(`{"type":"session","version":1,"sessionId":"s","cwd":"/w"}` + "\n" + `{"type":"user","messageId":"m","content":[{"type":"skill","name":"a"}]}` + "\n"))
	f.Add([]byte("\n\n{}"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, _, err := readHistory("s", file)
		if err != nil {
			return
		}
		for _, r := range h.all() {
			if r.Type == recordUser {
				userMessage(r.MessageID, r.Content, true)
			}
		}
		for i, m := range conversation(h.all()) {
			if len(m.Parts) == 0 {
				t.Fatalf("message %d is empty", i)
			}
		}
		if all := h.all(); all[0].Type != recordSession {
			t.Fatalf("starts with %+v", all[0])
		}
	})
}
