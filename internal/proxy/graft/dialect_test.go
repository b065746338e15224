// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestDialectOf(t *testing.T) {
	for _, tt := range []struct {
		asked, answered string
		want            dialect
	}{
		{"2", "2", v2{}}, {"1", "1", v1{}}, {"2", "1", nil}, {"3", "1", nil}, {"3", "2", v2{}}, {"", "2", v2{}}, {"", "1", nil},
		{"1", `"1"`, nil}, {"1", "1.0", nil}, {"1", "0", nil}, {"1", "", nil},
	} {
		if got := dialectOf(tt.asked, tt.answered); got != tt.want {
			t.Errorf("asked for %s, answered %s: got %T", tt.asked, tt.answered, got)
		}
	}
}

// A18: what an author writes in brackets is a text, though YAML reads a list.
func TestV1CommandA18(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		{"", `{"name":"n","description":"d"}`},
		{"argument-hint: a path", `{"name":"n","description":"d","input":{"hint":"a path"}}`},
		{"argument-hint: [path, mode]", `{"name":"n","description":"d","input":{"hint":"[path, mode]"}}`},
		{"argument-hint: \"a\\u202eb\\nc\"", `{"name":"n","description":"d","input":{"hint":"ab c"}}`},
		{"argument-hint:", `{"name":"n","description":"d"}`},
		{"argument-hint: [[a]]", `{"name":"n","description":"d"}`},
		{"argument-hint: {a: b}", `{"name":"n","description":"d"}`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: n\ndescription: d\n"+tt.field+"\n---\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		sk, err := skill.Load(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v1{}.command("n", "d", &catalog.Entry{Skill: sk})); got != tt.want {
			t.Errorf("%q: got %s", tt.field, got)
		}
	}
}

// A session whose cwd is not absolute has no skills, which somebody should say.
func TestARelativeCwdIsSaid(t *testing.T) {
	for _, cwd := range []string{`"cwd":"project"`, `"cwd":7`, `"x":0`} {
		var log bytes.Buffer
		got := make(chan string, 8)
		store := catalog.NewStore(nil)
		s := New(Options{
			ToClient: func(m jsonrpc.Message) { got <- string(m.Raw) }, ToAgent: func(jsonrpc.Message) {},
			Store: store, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		for _, x := range [][3]string{
			{"initialize", `{"protocolVersion":1}`, `{"protocolVersion":1}`},
			{"session/new", `{` + cwd + `}`, `{"sessionId":"s"}`},
		} {
			s.FromClient(jsonrpc.Scan(jsonrpc.EncodeRequest("1", x[0], []byte(x[1]))))
			s.FromAgent(new(jsonrpc.Scan(jsonrpc.EncodeResult("1", []byte(x[2])))), &Call{Method: x[0]})
			<-got
		}
		s.Close()
		_ = store.Close()
		if len(got) > 0 {
			t.Errorf("%s: the client gets %s", cwd, <-got)
		}
		if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "cwd") {
			t.Errorf("%s: the log has\n%s", cwd, log.String())
		}
	}
}

// typedRecord is what the journal has of a prompt that began with a name.
func typedRecord(nonce string, typed string, sent ...[]byte) journal.Record {
	r := recordOf("", `[`+string(text(typed))+`]`, sent...)
	if r.ID = nonce + typed; nonce != "" {
		r.Nonces = []journal.Nonce{{Nonce: nonce}}
	}
	return r
}

func TestRestoreOfTypedPrompts(t *testing.T) {
	tag := func(n string) string { return tagOpen + `name="one" id="` + n + `">` + "\nBODY\n" + tagClose }
	do := func(n string) journal.Record {
		return typedRecord(n, "/one do", text(tag(n)), text("do"))
	}
	last := typedRecord("N", "/one /c", text("the skill"), text("/c"), text(tag("N")))
	type piece struct{ id, text, want string }
	for _, tt := range []struct {
		name    string
		records []journal.Record
		pieces  []piece
	}{
		{"by pieces", []journal.Record{do("N")}, []piece{{"", tag("N"), "/one do"}, {"", "do", ""}, {"", "do", "do"}}},
		{"another comes between", []journal.Record{do("N")}, []piece{{"", tag("N"), "/one do"}, {"", "x", "x"}, {"", "do", "do"}}},
		{"another message", []journal.Record{do("N")}, []piece{{"a", tag("N"), "/one do"}, {"b", "do", "do"}}},
		{"trimmed", []journal.Record{do("N")}, []piece{{"", "\n" + tag("N") + "\n", "/one do"}, {"", " do\n", ""}}},
		{"two, out of order", []journal.Record{do("N"), do("M")}, []piece{{"", tag("M"), "/one do"}, {"", "do", ""}, {"", tag("N"), "/one do"}, {"", "do", ""}}},
		{"twice the same", []journal.Record{do("N")}, []piece{{"", tag("N"), "/one do"}, {"", "do", ""}, {"", tag("N"), "/one do"}, {"", "do", ""}}},
		{"joined", []journal.Record{do("N")}, []piece{{"", tag("N") + "\ndo\nmore", "/one do\nmore"}, {"", "do", "do"}}},
		{"joined behind", []journal.Record{do("N")}, []piece{{"", "see\n" + tag("N"), "see\n/one do"}, {"", "do", ""}}},
		{"joined, with other words", []journal.Record{do("N")}, []piece{{"", tag("N") + " else", "/one else"}}},
		{"no rest", []journal.Record{typedRecord("N", "/one ", text(tag("N")))}, []piece{{"", tag("N"), "/one "}, {"", "do", "do"}}},
		{"no rest, joined", []journal.Record{typedRecord("N", "/one", text(tag("N")))}, []piece{{"", tag("N") + "\nx", "/one\nx"}}},
		{"at the end", []journal.Record{last}, []piece{{"", "the skill", "/one /c"}, {"", "/c", ""}, {"", tag("N"), ""}, {"", "the skill", "the skill"}}},
		{"at the end, without its place", []journal.Record{last}, []piece{{"", "/c", "/c"}, {"", tag("N"), "/one /c"}}},
		{"another name, oldest first", []journal.Record{typedRecord("", "/agent:c a", text("/c a")), typedRecord("", "/other:c a", text("/c a"))},
			[]piece{{"", "/c a", "/agent:c a"}, {"", "/c a", "/other:c a"}, {"", "/c a", "/c a"}}},
		{"an unknown nonce", []journal.Record{do("N")}, []piece{{"", tag("X"), tag("X")}, {"", "do", "do"}}},
		{"no end of the tag", []journal.Record{do("N")}, []piece{{"", strings.TrimSuffix(tag("N"), tagClose), strings.TrimSuffix(tag("N"), tagClose)}}},
		{"a large one", []journal.Record{skillsOnly(do("N"))}, []piece{{"", tag("N"), "/one"}, {"", "do", "do"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReplay(tt.records, true)
			for i, p := range tt.pieces {
				got := r.chunk(p.id, text(p.text))
				want := [][]byte{text(p.want)}
				if p.want == "" {
					want = nil
				}
				if !slices.EqualFunc(got, want, slices.Equal[[]byte]) {
					t.Errorf("piece %d: got %s, want %s", i, got, want)
				}
			}
			image := []byte(`{"type":"image","data":"AA=="}`)
			if got := r.chunk("", image); len(got) != 1 || &got[0][0] != &image[0] {
				t.Errorf("got %s for an image", got)
			}
		})
	}
}

// A replay by blocks to a client that typed names shows them, too, and the text
// behind one once.
func TestRestoreOfATagAlone(t *testing.T) {
	tag := tagOpen + `name="one" id="N">BODY` + tagClose
	r := newReplay([]journal.Record{typedRecord("N", "/one do", text(tag), text("do"))}, true)
	got := string(slices.Concat(r.restore("x", [][]byte{text(tag), text("do")})...))
	if want := string(text("/one")) + string(text("do")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
