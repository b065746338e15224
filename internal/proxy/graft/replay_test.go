// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
)

func text(s string) []byte { return profile.TextBlock(s) }

// recordOf is the journal's record of a prompt that the agent got as sent.
func recordOf(message, blocks string, sent ...[]byte) journal.Record {
	return journal.Record{ID: journal.NewID(), MessageID: message, Blocks: []byte(blocks), Sent: journalSent(sent)}
}

func TestRestore(t *testing.T) {
	const nonce = "QWERTYQWERTYQWERTYQWERTYQW"
	tag := `<skill_content name="one" id="` + nonce + `">BODY</skill_content>`
	other := strings.ReplaceAll(tag, nonce, "AAAAAAAAAAAAAAAAAAAAAAAAAA")
	one, two := `{"type":"skill","name":"one"}`, `{"type":"skill","name":"two"}`
	goText := `{"type":"text","text":"go"}`
	expanded := recordOf("m2", `[{"type":"text","text":"see"},`+one+`]`, text("see"), text(tag))
	expanded.Nonces = []journal.Nonce{{Nonce: nonce, Block: 1}}
	unknownID := recordOf("", `[`+one+`,`+goText+`]`, text("/one go"))
	sameText := recordOf("", `[`+two+`]`, text("/one go"))

	for _, tt := range []struct {
		name    string
		records []journal.Record
		id      string
		got     []string
		want    string
	}{
		{"by its id", []journal.Record{recordOf("m1", `[`+one+`,`+goText+`]`, text("/one go"))}, "m1", []string{"/one go"}, one + goText},
		{"by its id in other words", []journal.Record{recordOf("m1", `[`+one+`]`, text("/one"))}, "m1", []string{"whatever", "more"}, one},
		{"by its text, no id known", []journal.Record{unknownID}, "x", []string{"see", "/one go", "tail"}, `{"type":"text","text":"see"}` + one + goText + `{"type":"text","text":"tail"}`},
		{"the last piece too", []journal.Record{unknownID}, "x", []string{"/one go"}, one + goText},
		{"the last piece may be typed by the user when the prompt has another id", []journal.Record{recordOf("m1", `[`+one+`]`, text("/one"))}, "x", []string{"/one"}, `{"type":"text","text":"/one"}`},
		{"equal texts in order", []journal.Record{unknownID, sameText}, "x", []string{"/one go", "/one go", "/one go"}, one + goText + two + `{"type":"text","text":"/one go"}`},
		{"by our tag", []journal.Record{expanded}, "x", []string{"before " + tag + " after"}, `{"type":"text","text":"before "}` + one + `{"type":"text","text":" after"}`},
		{"a foreign tag", []journal.Record{expanded}, "x", []string{other}, string(text(other))},
		{"a tag with no end", []journal.Record{expanded}, "x", []string{strings.TrimSuffix(tag, tagClose)}, string(text(strings.TrimSuffix(tag, tagClose)))},
		{"joined under the last one's id", []journal.Record{expanded, recordOf("m3", `[`+two+`]`, text("/two"))}, "m3", []string{"see", tag, "/two"},
			`{"type":"text","text":"see"}` + one + two},
		{"joined with others of the same text", []journal.Record{expanded}, "x", []string{"see", "see", tag, "see", "see"},
			string(text("see")) + string(text("see")) + one + string(text("see")) + string(text("see"))},
		{"nothing known", []journal.Record{expanded}, "x", []string{"hello"}, `{"type":"text","text":"hello"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tokens [][]byte
			for _, s := range tt.got {
				tokens = append(tokens, text(s))
			}
			r := &replay{records: tt.records, claimed: make([]bool, len(tt.records))}
			if got := string(slices.Concat(r.restore(tt.id, tokens)...)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// An image that the journal did not keep comes from the replay, in whichever form
// that has it; one that nobody has is replaced by a text.
func TestRestoreFillsImagesIn(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("picture", 9)))
	marker := fmt.Sprintf(`{"skillgraft/sha256":%q,"bytes":%d}`, journal.HashBytes([]byte(data)), len(data))
	image := func(value string) string { return `{"type":"image","mimeType":"image/png","data":` + value + `}` }
	for _, tt := range []struct{ name, replayed, want string }{
		{"an image", image(`"` + data + `"`), image(`"` + data + `"`)},
		{"a blob", `{"type":"resource","resource":{"uri":"x","blob":"` + data + `"}}`, image(`"` + data + `"`)},
		{"a link in a text", string(text("see [@image](data:image/png;base64," + data + ") and more")), image(`"` + data + `"`)},
		{"another image", image(`"AAAA"`), string(text(fmt.Sprintf("(image of %d bytes, which the agent did not replay)", len(data))))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := recordOf("m", `[`+image(marker)+`]`, text("x"))
			r := &replay{records: []journal.Record{rec}, claimed: make([]bool, 1)}
			if got := string(slices.Concat(r.restore("m", [][]byte{[]byte(tt.replayed)})...)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestMatchOfEchoes(t *testing.T) {
	chunk := func(s string) []byte { return []byte(`{"content":` + string(text(s)) + `}`) }
	whole := func(s ...string) []byte {
		var all []string
		for _, x := range s {
			all = append(all, string(text(x)))
		}
		return []byte(`{"content":[` + strings.Join(all, ",") + `]}`)
	}
	prompts := func(texts ...string) (out []*sentPrompt) {
		for _, s := range texts {
			p := &sentPrompt{}
			for _, part := range strings.Split(s, "|") {
				p.sent = append(p.sent, text(part))
			}
			out = append(out, p)
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		open   []*sentPrompt
		update []byte
		want   int // -1: none
	}{
		{"oldest of equals", prompts("a", "a"), whole("a"), 0},
		{"the one that it says", prompts("a", "b"), whole("b"), 1},
		{"the whole of it", prompts("a|x", "a|y"), whole("a", "y"), 1},
		{"the first chunk", prompts("a|x", "b|x"), chunk("b"), 1},
		{"trimmed", prompts("b", " a \n"), chunk("a"), 1},
		{"a start alone is better than nothing", prompts("a|x", "b"), whole("a", "other"), 0},
		{"other words, one prompt", prompts("a"), whole("z"), 0},
		{"other words, two prompts", prompts("a", "b"), whole("z"), -1},
		{"an empty opener, two prompts", prompts("a", "b"), whole(), -1},
		{"none is open", nil, whole("a"), -1},
		{"a long prompt that was not kept", append(prompts("a"), &sentPrompt{}), whole("z"), -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sess := &session{prompts: tt.open}
			if got := slices.Index(tt.open, sess.match(tt.update)); got != tt.want {
				t.Errorf("got prompt %d, want %d", got, tt.want)
			}
			for _, p := range tt.open {
				p.messageID = "seen"
			}
			if p := sess.match(tt.update); p != nil {
				t.Error("a prompt that has its message already is matched again")
			}
		})
	}
}

// The answer corrects what an echo was taken for.
func TestBindTheLastWordCounts(t *testing.T) {
	sess := &session{byMessage: map[string]*sentPrompt{}}
	p, q := &sentPrompt{}, &sentPrompt{}
	sess.bind(p, "a")
	sess.bind(q, "a")
	sess.bind(p, "b")
	if sess.byMessage["a"] != q || sess.byMessage["b"] != p {
		t.Errorf("got %v", sess.byMessage)
	}
	for i := range 2 * maxMessages {
		sess.bind(&sentPrompt{}, fmt.Sprint(i))
	}
	if len(sess.byMessage) > maxMessages || len(sess.order) > maxMessages {
		t.Errorf("%d messages are remembered", len(sess.byMessage))
	}
}
