// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The journal against a model in memory: any sequence of operations, with
// crashes in between that cut the last write anywhere.
func TestRapidJournalIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		j := Open(Options{Dir: dir, Agent: "a"})
		type item struct {
			Record
			void bool
		}
		model := map[string][]item{}
		session := rapid.SampledFrom([]string{"s", "t"})
		id := rapid.SampledFrom([]string{"1", "2", "3", "4", "\u2028\"\n"})
		find := func(s, id string) *item {
			for i := range model[s] {
				if model[s][i].ID == id {
					return &model[s][i]
				}
			}
			return nil
		}
		ok := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				r := Record{
					ID:        id.Draw(t, "id"),
					MessageID: rapid.String().Draw(t, "message"),
					Title:     rapid.String().Draw(t, "title"),
					SentTitle: rapid.String().Draw(t, "sentTitle"),
				}
				var blocks [][]byte
				for range rapid.IntRange(1, 3).Draw(t, "blocks") {
					blocks = append(blocks, rawjson.Quote(rapid.String().Draw(t, "block")))
				}
				r.Blocks = rawjson.Array(blocks)
				for range rapid.IntRange(0, 2).Draw(t, "sent") {
					r.Sent = append(r.Sent, Sent{Text: rapid.Bool().Draw(t, "text"), Hash: HashText(rapid.String().Draw(t, "hash"))})
					r.Nonces = append(r.Nonces, Nonce{Nonce: rapid.String().Draw(t, "nonce"), Block: rapid.IntRange(0, len(blocks)-1).Draw(t, "block")})
				}
				s := session.Draw(t, "session")
				ok(j.Append(s, r))
				if find(s, r.ID) == nil {
					model[s] = append(model[s], item{Record: r})
				}
			},
			"confirm": func(t *rapid.T) {
				s, m := session.Draw(t, "session"), rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(t, "message")
				i := id.Draw(t, "id")
				ok(j.Confirm(s, i, m))
				if it := find(s, i); it != nil {
					it.void = false
					if m != "" {
						it.MessageID = m
					}
				}
			},
			"void": func(t *rapid.T) {
				s, i := session.Draw(t, "session"), id.Draw(t, "id")
				ok(j.Void(s, i))
				if it := find(s, i); it != nil {
					it.void = true
				}
			},
			"fork": func(t *rapid.T) {
				from, to := session.Draw(t, "from"), session.Draw(t, "to")
				ok(j.Fork(from, to))
				for _, it := range model[from] {
					if from != to && !it.void && find(to, it.ID) == nil {
						it.Inherited = true
						model[to] = append(model[to], it)
					}
				}
			},
			"remove": func(t *rapid.T) {
				s := session.Draw(t, "session")
				ok(j.Remove(s))
				delete(model, s)
			},
			"crash": func(t *rapid.T) {
				s := session.Draw(t, "session")
				line, err := promptLine(full("torn"))
				ok(err)
				data, err := os.ReadFile(j.path(s))
				if err != nil {
					return // no file, nothing that a crash could tear
				}
				torn := line[:rapid.IntRange(0, len(line)-1).Draw(t, "cut")]
				ok(os.WriteFile(j.path(s), append(data[:bytes.LastIndexByte(data, '\n')+1], torn...), 0o600))
			},
			"": func(t *rapid.T) {
				for _, s := range []string{"s", "t"} {
					var want []Record
					for _, it := range model[s] {
						if !it.void {
							want = append(want, it.Record)
						}
					}
					got, err := j.Load(s)
					ok(err)
					if d := cmp.Diff(want, got); d != "" {
						t.Fatalf("session %s: %s", s, d)
					}
				}
			},
		})
	})
}

// Load must stand any content. What it returns must be what it would return
// again after it was written by this package.
func FuzzLoad(f *testing.F) {
	line, err := promptLine(full("a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add(line)
	f.Add(line[:len(line)-1])
	f.Add([]byte("{}\n")) // damaged, and not one record
	f.Add(slices.Concat(line, confirmLine("a", "m"), voidLine("a"), confirmLine("a", "")))
	f.Add([]byte("\x00\n{}\n{\"op\":\"prompt\",\"id\":\"x\",\"blocks\":[\"\xff\\ud800\"],\"op\":\"prompt\"}\r\n"))
	f.Add([]byte("{\"op\":\"prompt\",\"id\":\"\xff\",\"blocks\":[]}\n{\"op\":\"prompt\",\"id\":\"\ufffd\",\"blocks\":[]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := Open(Options{Dir: t.TempDir()})
		if err := os.WriteFile(j.path("s"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := j.Load("s")
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		for _, r := range got {
			if r.ID == "" || !rawjson.IsArray(r.Blocks) || !rawjson.Valid(r.Blocks) {
				t.Fatalf("not a record: %+v", r)
			}
			n := countElements(r.Blocks)
			for _, nonce := range r.Nonces {
				if nonce.Block < 0 || nonce.Block >= n {
					t.Fatalf("nonce %v of %d blocks", nonce, n)
				}
			}
		}
		if err := j.Fork("s", "t"); err != nil {
			t.Fatal(err)
		}
		forked, err := j.Load("t")
		if err != nil {
			t.Fatal(err)
		}
		if len(forked) != len(got) {
			t.Fatalf("%d records, forked %d", len(got), len(forked))
		}
		for i := range forked {
			if !bytes.Equal(forked[i].Blocks, got[i].Blocks) {
				t.Fatalf("blocks %q, forked %q", got[i].Blocks, forked[i].Blocks)
			}
		}
		if err := j.Append("s", full("new")); err != nil {
			t.Fatal(err)
		}
		after, err := j.Load("s")
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if len(after) < len(got) || !slices.ContainsFunc(after, func(r Record) bool { return r.ID == "new" }) {
			t.Fatalf("%d records before, %d after an append", len(got), len(after))
		}
	})
}
