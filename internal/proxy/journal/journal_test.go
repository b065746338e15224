// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const appendEnv = "JOURNAL_TEST_APPEND" // "dir|prefix": this process appends 20 records

func TestMain(m *testing.M) {
	if arg := os.Getenv(appendEnv); arg != "" {
		dir, prefix, _ := strings.Cut(arg, "|")
		if err := appendMany(Open(Options{Dir: dir, Agent: "a"}), prefix, 20); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func appendMany(j *Journal, prefix string, n int) error {
	for i := range n {
		id := fmt.Sprintf("%s-%02d", prefix, i)
		if err := j.Append("s", Record{ID: id, Blocks: []byte(`[{"type":"text","text":"` + strings.Repeat("x", 1000) + `"}]`)}); err != nil {
			return err
		}
		if err := j.Confirm("s", id, "m-"+id); err != nil {
			return err
		}
	}
	return nil
}

// full is a record with all that a record can have.
func full(id string) Record {
	return Record{
		ID:        id,
		Blocks:    []byte(`[ {"type":"skill", "name":"a\u0062c","n":1.50}, {"text":" hi\r\n ","type":"text","_meta":{"k":[1,2]}} ]`),
		Sent:      []Sent{{Text: true, Hash: HashText("one")}, {Hash: HashBytes([]byte(`{"type":"image"}`))}},
		Nonces:    []Nonce{{Nonce: "n1", Block: 0}, {Nonce: "n2", Block: 1}},
		Title:     "/abc hi \"there\"",
		SentTitle: "<skill_content>…",
	}
}

func mustLoad(t *testing.T, j *Journal, session string) []Record {
	t.Helper()
	got, err := j.Load(session)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ids(records []Record) string {
	var s []string
	for _, r := range records {
		s = append(s, r.ID)
	}
	return strings.Join(s, " ")
}

func TestPXY5_RecordSurvivesRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet")
	j := Open(Options{Dir: dir, Agent: "a"})
	if got := mustLoad(t, j, "s"); got != nil {
		t.Fatalf("an unknown session has %v", got)
	}
	must(t, j.Confirm("s", "x", "m"))
	must(t, j.Void("s", "x"))
	must(t, j.Fork("s", "t"))
	must(t, j.Remove("s"))
	must(t, j.Prune(t.Context()))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the disk was touched before there was anything to keep: %v", err)
	}

	first, second := full("r1"), full("r2")
	second.Sent, second.Nonces = nil, nil
	must(t, j.Append("s", first))
	must(t, j.Append("s", second))
	must(t, j.Confirm("s", "r2", "m2"))

	second.MessageID = "m2"
	got := mustLoad(t, Open(Options{Dir: dir, Agent: "a"}), "s")
	if d := cmp.Diff([]Record{first, second}, got); d != "" {
		t.Error(d)
	}
	for _, other := range []*Journal{Open(Options{Dir: dir, Agent: "b"}), Open(Options{Dir: dir})} {
		if got := mustLoad(t, other, "s"); got != nil {
			t.Errorf("another agent's session of the same id has %v", got)
		}
	}
}

func TestNilJournalKeepsNothing(t *testing.T) {
	var j *Journal
	for _, err := range []error{
		j.Append("s", full("r")), j.Confirm("s", "r", "m"), j.Void("s", "r"),
		j.Fork("s", "t"), j.Remove("s"), j.Prune(t.Context()),
	} {
		must(t, err)
	}
	if got := mustLoad(t, j, "s"); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestConfirmAndVoid(t *testing.T) {
	j := Open(Options{Dir: t.TempDir()})
	for _, id := range []string{"a", "b", "c"} {
		must(t, j.Append("s", full(id)))
	}
	must(t, j.Void("s", "b"))
	if got := ids(mustLoad(t, j, "s")); got != "a c" {
		t.Errorf("after a void: %q", got)
	}
	// An agent may answer -32800 and run the prompt all the same.
	must(t, j.Confirm("s", "b", "m"))
	got := mustLoad(t, j, "s")
	if ids(got) != "a b c" || got[1].MessageID != "m" {
		t.Errorf("after void and confirm: %v", got)
	}
	must(t, j.Confirm("s", "b", ""))
	must(t, j.Confirm("s", "nobody", "m"))
	must(t, j.Void("s", "nobody"))
	must(t, j.Append("s", full("b"))) // again
	if got := mustLoad(t, j, "s"); ids(got) != "a b c" || got[1].MessageID != "m" {
		t.Errorf("after operations without effect: %v", got)
	}
}

func TestFork(t *testing.T) {
	j := Open(Options{Dir: t.TempDir(), MaxBytes: 1 << 20})
	for _, id := range []string{"a", "b", "c"} {
		must(t, j.Append("parent", full(id)))
	}
	must(t, j.Confirm("parent", "a", "m-a"))
	must(t, j.Void("parent", "b"))
	for range 2 { // a repeated fork adds nothing
		must(t, j.Fork("parent", "child"))
	}
	must(t, j.Fork("parent", "parent"))
	parent := mustLoad(t, j, "parent")
	inherited := mustLoad(t, j, "parent")
	for i := range inherited {
		inherited[i].Inherited = true
	}
	if d := cmp.Diff(inherited, mustLoad(t, j, "child")); d != "" {
		t.Error(d)
	}
	must(t, j.Void("child", "a"))
	must(t, j.Append("child", full("d")))
	if got := ids(mustLoad(t, j, "child")); got != "c d" {
		t.Errorf("child: %q", got)
	}
	if d := cmp.Diff(parent, mustLoad(t, j, "parent")); d != "" {
		t.Errorf("the child changed its parent: %s", d)
	}
	must(t, j.Remove("parent"))
	if got := mustLoad(t, j, "parent"); got != nil {
		t.Errorf("after remove: %v", got)
	}
	if got := ids(mustLoad(t, j, "child")); got != "c d" {
		t.Errorf("child after its parent's removal: %q", got)
	}
}

func TestAppendRefusesWhatLoadCouldNotRead(t *testing.T) {
	j := Open(Options{Dir: t.TempDir(), MaxBytes: 10_000})
	for name, r := range map[string]Record{
		"no id":       {Blocks: []byte(`[]`)},
		"no blocks":   {ID: "x"},
		"object":      {ID: "x", Blocks: []byte(`{}`)},
		"injection":   {ID: "x", Blocks: []byte(`[],"op":"void"`)},
		"two values":  {ID: "x", Blocks: []byte(`[] []`)},
		"raw newline": {ID: "x", Blocks: []byte("[\"a\nb\"]")},
		"nonce index": {ID: "x", Blocks: []byte(`[1]`), Nonces: []Nonce{{Nonce: "n", Block: 1}}},
		"too deep":    {ID: "x", Blocks: []byte(strings.Repeat("[", 10000) + strings.Repeat("]", 10000))},
	} {
		if err := j.Append("s", r); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	err := j.Append("s", Record{ID: "x", Blocks: []byte(`["` + strings.Repeat("x", 10_000) + `"]`)})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if got := mustLoad(t, j, "s"); got != nil {
		t.Errorf("something was kept: %v", got)
	}
	must(t, j.Append("s", Record{ID: "x", Blocks: []byte(" [1,\n2]\n")}))
	if got := mustLoad(t, j, "s"); len(got) != 1 || string(got[0].Blocks) != "[1, 2]" {
		t.Errorf("line feed between tokens: %+v", got)
	}
}

func TestTitlesAreCutAtRunes(t *testing.T) {
	j := Open(Options{Dir: t.TempDir()})
	r := full("a")
	r.Title = strings.Repeat("ü", MaxTitle) + "x"
	r.SentTitle = "\xff" + strings.Repeat("語", MaxSentTitle)
	must(t, j.Append("s", r))
	got := mustLoad(t, j, "s")[0]
	if got.Title != strings.Repeat("ü", MaxTitle) {
		t.Errorf("title: %q", got.Title)
	}
	if got.SentTitle != "\uFFFD"+strings.Repeat("語", MaxSentTitle-1) {
		t.Errorf("sent title: %q", got.SentTitle)
	}
}

func TestOldestRecordsMakeRoom(t *testing.T) {
	dir := t.TempDir()
	j := Open(Options{Dir: dir, MaxBytes: 20_000})
	want := 0
	for i := range 200 {
		r := full(fmt.Sprintf("%03d", i))
		must(t, j.Append("s", r))
		must(t, j.Confirm("s", r.ID, "m-"+r.ID))
		st, err := os.Stat(j.path("s"))
		must(t, err)
		if st.Size() > 20_000 {
			t.Fatalf("%d bytes after %d records", st.Size(), i+1)
		}
		want = i
	}
	got := mustLoad(t, j, "s")
	if len(got) < 10 || len(got) > 100 {
		t.Errorf("%d records are left", len(got))
	}
	for i := len(got) - 1; i >= 0; i-- {
		if id := fmt.Sprintf("%03d", want); got[i].ID != id || got[i].MessageID != "m-"+id {
			t.Fatalf("record %d from the end is %q (%q), not %s", len(got)-1-i, got[i].ID, got[i].MessageID, id)
		}
		want--
	}
	assertOnly(t, dir, filepath.Base(j.path("s")))
}

func assertOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if d := cmp.Diff(names, got); d != "" {
		t.Errorf("files: %s", d)
	}
}

func TestCrashTailAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	j := Open(Options{Dir: dir})
	must(t, j.Append("s", full("a")))
	before, err := os.ReadFile(j.path("s"))
	must(t, err)
	must(t, j.Append("s", full("b")))
	whole, err := os.ReadFile(j.path("s"))
	must(t, err)
	for cut := len(before); cut <= len(whole); cut++ {
		must(t, os.WriteFile(j.path("s"), whole[:cut], 0o600))
		want := "a"
		if cut == len(whole) {
			want = "a b"
		}
		if got := ids(mustLoad(t, j, "s")); got != want {
			t.Fatalf("cut at %d: %q", cut, got)
		}
		must(t, j.Append("s", full("c")))
		if got := ids(mustLoad(t, j, "s")); got != want+" c" {
			t.Fatalf("cut at %d, then appended: %q", cut, got)
		}
		if cut < len(whole) { // nothing of the torn line remains
			data, err := os.ReadFile(j.path("s"))
			must(t, err)
			if !bytes.HasPrefix(data, before) || bytes.Count(data, []byte("\n")) != 2 {
				t.Fatalf("cut at %d: not repaired", cut)
			}
		}
	}
}

func TestForeignLinesArePassedOver(t *testing.T) {
	j := Open(Options{Dir: t.TempDir()})
	must(t, j.Append("s", full("a")))
	line, err := promptLine(full("b"))
	must(t, err)
	f, err := os.OpenFile(j.path("s"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(strings.Join([]string{
		``, `null`, `[]`, `{`, `{}`, "\x00\x00\x00", `{"op":"prompt"}`, `{"op":"prompt","id":7,"blocks":[]}`,
		`{"op":"prompt","id":"no blocks"}`, `{"op":"prompt","id":"x","blocks":{}}`,
		`{"op":"prompt","id":"y","blocks":[1],"nonces":[{"nonce":"n","block":1}]}`,
		`{"op":"prompt","id":"y","blocks":[1],"nonces":[{"nonce":"n","block":-1}]}`,
		`{"op":"prompt","id":"y","blocks":[1],"nonces":[7]}`,
		`{"op":"prompt","id":"z","blocks":[1],"sent":[{"text":true}]}`,
		`{"op":"void"}`, `{"op":"later","id":"a"}`, string(line[:len(line)/2]),
	}, "\n") + "\n" + string(line))
	must(t, err)
	must(t, f.Close())
	records, err := j.Load("s")
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("the damage is not said: %v", err)
	}
	if d := cmp.Diff([]Record{full("a"), full("b")}, records); d != "" {
		t.Error(d)
	}
}

func TestProcessesAndGoroutinesShareASession(t *testing.T) {
	dir := t.TempDir()
	// A small limit makes some of the writes replace the file under the others.
	for name, limit := range map[string]int64{"all kept": 0, "replaced": 60_000} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(dir, name)
			var wg sync.WaitGroup
			for _, p := range []string{"p1", "p2"} {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), appendEnv+"="+dir+"|"+p)
				wg.Go(func() {
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			}
			j := Open(Options{Dir: dir, Agent: "a", MaxBytes: limit})
			for _, g := range []string{"g1", "g2"} {
				wg.Go(func() {
					if err := appendMany(j, g, 40); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				for range 20 {
					if _, err := j.Load("s"); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Wait()
			last := map[string]string{}
			count := map[string]int{}
			for _, r := range mustLoad(t, j, "s") {
				p, _, _ := strings.Cut(r.ID, "-")
				if r.ID <= last[p] {
					t.Errorf("%s after %s", r.ID, last[p])
				}
				if r.MessageID != "m-"+r.ID {
					t.Errorf("%s has message id %q", r.ID, r.MessageID)
				}
				last[p] = r.ID
				count[p]++
			}
			if limit == 0 {
				if d := cmp.Diff(map[string]int{"p1": 20, "p2": 20, "g1": 40, "g2": 40}, count); d != "" {
					t.Error(d)
				}
			} else if last["g1"] != "g1-39" && last["g2"] != "g2-39" {
				t.Errorf("the newest record is gone: %v", last)
			}
			assertOnly(t, dir, filepath.Base(j.path("s")))
		})
	}
}

func TestSessionIdsAreHostileText(t *testing.T) {
	dir := t.TempDir()
	j := Open(Options{Dir: dir, Agent: "../a\x00"})
	seen := map[string]bool{}
	for _, id := range []string{"", "..", "/", "../../etc/passwd", "a\x00b", "CON", strings.Repeat("x", 1<<16), "\n", "\xff", "é"} {
		must(t, j.Append(id, full("r")))
		if filepath.Dir(j.path(id)) != dir || seen[j.path(id)] {
			t.Errorf("%q is kept at %q", id, j.path(id))
		}
		seen[j.path(id)] = true
		if got := ids(mustLoad(t, j, id)); got != "r" {
			t.Errorf("%q: %q", id, got)
		}
	}
	// An agent's name cannot reach into another agent's sessions.
	if Open(Options{Dir: dir, Agent: "a\x00b"}).path("c") == Open(Options{Dir: dir, Agent: "a"}).path("b\x00c") {
		t.Error("two agents share a session's file")
	}
}

func TestPrune(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	setup := func(t *testing.T, ages map[string]time.Duration) *Journal {
		j := Open(Options{Dir: t.TempDir(), MaxAge: 10 * day, MaxFiles: 3, Now: func() time.Time { return now }})
		for s, age := range ages {
			must(t, j.Append(s, full("r")))
			must(t, os.Chtimes(j.path(s), now.Add(-age), now.Add(-age)))
		}
		return j
	}
	left := func(t *testing.T, j *Journal) string {
		var s []string
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if mustLoad(t, j, id) != nil {
				s = append(s, id)
			}
		}
		return strings.Join(s, " ")
	}
	for name, tt := range map[string]struct {
		ages map[string]time.Duration
		want string
	}{
		"by age":             {map[string]time.Duration{"a": 11 * day, "b": 9 * day, "c": 10 * day}, "b"},
		"by count":           {map[string]time.Duration{"a": 5 * day, "b": 2 * day, "c": 4 * day, "d": 3 * day}, "b c d"},
		"recent ones stay":   {map[string]time.Duration{"a": 0, "b": time.Minute, "c": time.Minute, "d": 59 * time.Minute, "e": 2 * time.Hour}, "a b c d"},
		"from the future":    {map[string]time.Duration{"a": -day, "b": 20 * day}, "a"},
		"nothing to be done": {map[string]time.Duration{"a": day, "b": day, "c": day}, "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			j := setup(t, tt.ages)
			must(t, j.Prune(t.Context()))
			if got := left(t, j); got != tt.want {
				t.Errorf("left: %q, want %q", got, tt.want)
			}
		})
	}

	t.Run("a locked file stays", func(t *testing.T) {
		j := setup(t, map[string]time.Duration{"a": 20 * day, "b": 20 * day})
		f, err := lockFile(j.path("a"), false, false)
		must(t, err)
		must(t, j.Prune(t.Context()))
		must(t, f.Close())
		if got := left(t, j); got != "a" {
			t.Errorf("left: %q", got)
		}
	})
	t.Run("other files stay", func(t *testing.T) {
		j := setup(t, map[string]time.Duration{"a": 20 * day})
		hash := strings.TrimSuffix(filepath.Base(j.path("a")), fileExt)
		old := now.Add(-100 * day)
		for _, name := range []string{"notes.jsonl", hash, hash + ".json", hash + ".jsonl.1.tmp", "x.jsonl.1.tmp"} {
			must(t, os.WriteFile(filepath.Join(j.opts.Dir, name), nil, 0o600))
			must(t, os.Chtimes(filepath.Join(j.opts.Dir, name), old, old))
		}
		must(t, os.WriteFile(j.path("a")+".2.tmp", nil, 0o600)) // a rewrite that goes on
		must(t, os.Chtimes(j.path("a")+".2.tmp", now, now))
		must(t, os.Mkdir(filepath.Join(j.opts.Dir, strings.Repeat("0", 64)+fileExt), 0o700))
		must(t, os.Chtimes(filepath.Join(j.opts.Dir, strings.Repeat("0", 64)+fileExt), old, old))
		must(t, j.Prune(t.Context()))
		assertOnly(t, j.opts.Dir, strings.Repeat("0", 64)+fileExt, hash, hash+".json", hash+".jsonl.2.tmp", "notes.jsonl", "x.jsonl.1.tmp")
	})
}

func TestHashTextIgnoresOuterWhiteSpace(t *testing.T) {
	for _, s := range []string{"a b", " a b", "a b\n", "\u00a0\ta b\r\n"} {
		if HashText(s) != HashBytes([]byte("a b")) {
			t.Errorf("%q", s)
		}
	}
	if HashText("a  b") == HashText("a b") {
		t.Error("inner white space does not count")
	}
}

func TestDefaultDir(t *testing.T) {
	abs := t.TempDir()
	t.Setenv("XDG_STATE_HOME", abs)
	if dir, err := DefaultDir(); err != nil || dir != filepath.Join(abs, "skillgraft", "journal") {
		t.Errorf("%q, %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	if dir, err := DefaultDir(); err == nil && strings.Contains(dir, "relative") {
		t.Errorf("a relative XDG_STATE_HOME is used: %q", dir)
	}
	if dir, err := stateHome("linux"); err != nil || !strings.HasSuffix(dir, filepath.Join(".local", "state")) {
		t.Errorf("%q, %v", dir, err)
	}
}
