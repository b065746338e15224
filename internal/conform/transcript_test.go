// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

var updateFlag = flag.Bool("update", false, "write the transcripts under testdata from the fakes")

// TestTranscripts plays the conversations under testdata: one for each check, in which
// a peer breaks its rule and is caught. A transcript is a txtar archive. Its lines are
//
//	WIRE > LINE    the checker sends the line
//	WIRE < LINE    the peer sends it
//
// in their order over all wires of the check, "probe" for the first look at an agent
// and "wire" for the check. "verdict" is what the checker says, "output" what a client
// shows. $BASE is the directory of the workspace, $LONG a long text, $TIME a time limit, \r a carriage
// return. They need nothing of this package: others can play them against a checker.
func TestTranscripts(t *testing.T) {
	for _, kind := range []Kind{KindAgent, KindClient, KindProxy} {
		seen := map[string]bool{}
		for _, c := range Checks(kind) {
			file := filepath.Join("testdata", string(kind), strings.ReplaceAll(c.ID, "/", "-")+".txtar")
			seen[file] = true
			t.Run(string(kind)+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				if *updateFlag {
					recordTranscript(t, kind, c, file)
				}
				playTranscript(t, kind, c, file)
			})
		}
		files, err := filepath.Glob(filepath.Join("testdata", string(kind), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !seen[f] {
				t.Errorf("%s is the transcript of no check", f)
			}
		}
	}
}

func transcriptOptions(t *testing.T, c Check) (Options, places) {
	opts := quick()
	opts.Dir = t.TempDir()
	p, err := newPlaces(opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	opts.shared = &p
	if c.ID == "C2/level" {
		opts.Level = levelSkill
	}
	return opts, p
}

// A transcriber writes and reads lines of transcripts.
type transcriber struct{ base string }

func long() string { return strings.Repeat("conform ", 1<<20) }

func (x *transcriber) written(line string) string {
	if len(line) > 1<<20 {
		line = strings.ReplaceAll(line, long(), "$LONG")
	}
	if x.base != "" {
		line = strings.ReplaceAll(line, x.base, "$BASE")
	}
	return strings.ReplaceAll(line, "\r", `\r`)
}

func (x *transcriber) read(line string) string {
	if strings.Contains(line, "$LONG") {
		line = strings.ReplaceAll(line, "$LONG", long())
	}
	line = strings.ReplaceAll(line, "$BASE", x.base)
	if s, ok := strings.CutSuffix(line, `\r`); ok {
		line = s + "\r"
	}
	return line
}

func recordTranscript(t *testing.T, kind Kind, c Check, file string) {
	opts, _ := transcriptOptions(t, c)
	// Whatever else is in a path, its base is the one directory of the check.
	var mu sync.Mutex
	base := map[string]string{} // by section
	starting := "probe"
	note := func(dir string) {
		mu.Lock()
		defer mu.Unlock()
		base[starting] = filepath.Dir(dir)
	}
	var output func() []byte
	switch kind {
	case KindAgent:
		start := faulty(levelOf(c.ID), c.ID)
		opts.StartAgent = func(dir string) (*Peer, error) { note(dir); return start(dir) }
	case KindClient:
		start := startFakeClient(c.ID)
		opts.StartClient = func(dir string) (*ClientPeer, error) {
			note(dir)
			p, err := start(dir)
			output = p.Output
			return p, err
		}
	case KindProxy:
		start := startFakeProxy(c.ID)
		opts.StartProxy = func(dir string) (*ProxyPeer, error) { note(dir); return start(dir) }
	}
	ar := &txtar.Archive{Comment: []byte(c.Rule + ": a correct " + string(kind) + " " + c.Title + ". This one does not.\n\n")}
	opts.record = func(id string, wires []*Wire) {
		x := &transcriber{base: base[starting]}
		var frames []Frame
		for _, w := range wires {
			frames = append(frames, w.since(0)...)
		}
		slices.SortFunc(frames, func(a, b Frame) int { return cmp.Compare(a.seq, b.seq) })
		var b strings.Builder
		for _, f := range frames {
			arrow := "<"
			if f.Sent {
				arrow = ">"
			}
			fmt.Fprintf(&b, "%s %s %s\n", f.wire.name, arrow, x.written(string(f.Raw)))
		}
		section := "wire"
		if id == "probe" {
			section = id
		}
		ar.Files = append(ar.Files, txtar.File{Name: section, Data: []byte(b.String())})
		starting = "wire"
	}
	if kind != KindAgent {
		starting = "wire"
	}
	report, err := Run(t.Context(), kind, []Check{c}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if output != nil {
		if out := output(); len(out) > 0 {
			ar.Files = append(ar.Files, txtar.File{Name: "output", Data: out})
		}
	}
	x := &transcriber{base: base["wire"]}
	ar.Files = append(ar.Files, txtar.File{Name: "verdict", Data: []byte(verdictOf(x, report))})
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

func verdictOf(x *transcriber, r *Report) string {
	res := r.Results[0]
	return x.written(string(res.Verdict) + ": " + limits.ReplaceAllString(res.Reason, "$1 $$TIME") + "\n")
}

// limits are times in a reason: those of the test, and of no interest.
var limits = regexp.MustCompile(`\b(within|after) [0-9][0-9.ms]*`)

func playTranscript(t *testing.T, kind Kind, c Check, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatalf("each check has a transcript, from the fault of the fake that has its id: %v", err)
	}
	section := map[string]string{}
	for _, f := range ar.Files {
		section[f.Name] = string(f.Data)
	}
	opts, _ := transcriptOptions(t, c)
	x := new(transcriber)
	main := newPlayer(t, x, section["wire"])
	switch kind {
	case KindAgent:
		look := newPlayer(t, new(transcriber), section["probe"])
		starts := 0
		opts.StartAgent = func(dir string) (*Peer, error) {
			starts++
			if starts == 1 {
				look.x.base = filepath.Dir(dir)
				return look.peer("agent"), nil
			}
			x.base = filepath.Dir(dir)
			return main.peer("agent"), nil
		}
	case KindClient:
		opts.StartClient = func(dir string) (*ClientPeer, error) {
			x.base = filepath.Dir(dir)
			p := main.peer("client")
			return &ClientPeer{
				Accept: func(time.Duration) (io.ReadWriteCloser, error) { return p.Stream, nil },
				Done:   main.done,
				End:    func() string { _ = p.Stream.Close(); return p.End() },
				Output: func() []byte { return []byte(section["output"]) },
			}, nil
		}
	case KindProxy:
		opts.StartProxy = func(dir string) (*ProxyPeer, error) {
			x.base = filepath.Dir(dir)
			back := main.peer("back")
			return &ProxyPeer{
				Client: main.peer("front"),
				Accept: func(time.Duration) (io.ReadWriteCloser, error) { return back.Stream, nil },
			}, nil
		}
	}
	report, err := Run(t.Context(), kind, []Check{c}, opts)
	main.stop()
	if err != nil {
		t.Fatal(err)
	}
	want := Fail
	if c.Should {
		want = Warn
	}
	if got := report.Results[0].Verdict; got != want {
		t.Errorf("the verdict is %s, not %s", got, want)
	}
	if got := verdictOf(x, report); got != section["verdict"] {
		t.Errorf("the checker says\n%swant\n%s", got, section["verdict"])
	}
}

// A player plays the peers of one transcript.
type player struct {
	t     *testing.T
	x     *transcriber
	steps []string
	done  chan struct{} // closed when all is played
	quit  chan struct{}
	once  sync.Once

	mu    sync.Mutex
	ends  map[string]*playerEnd
	ready chan struct{} // closed and replaced when there is a new end
	runs  sync.WaitGroup
}

type playerEnd struct {
	lines chan string
	out   io.Writer
}

func newPlayer(t *testing.T, x *transcriber, script string) *player {
	return &player{
		t: t, x: x, steps: strings.Split(strings.TrimSuffix(script, "\n"), "\n"),
		done: make(chan struct{}), quit: make(chan struct{}), ends: map[string]*playerEnd{}, ready: make(chan struct{}),
	}
}

// peer is the next peer of a kind. The first one starts the play.
func (p *player) peer(kind string) *Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := kind
	for n := 2; p.ends[name] != nil; n++ {
		name = fmt.Sprint(kind, " ", n)
	}
	if len(p.ends) == 0 {
		p.runs.Go(p.play)
	}
	end := &playerEnd{lines: make(chan string, 4096)}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	end.out = outW
	p.ends[name] = end
	close(p.ready)
	p.ready = make(chan struct{})
	p.runs.Go(func() {
		defer close(end.lines)
		r := bufio.NewReader(inR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			end.lines <- strings.TrimSuffix(line, "\n")
		}
	})
	return &Peer{Stream: jsonrpc.Join(outR, inW), End: func() string {
		_ = inR.Close()
		_ = outW.Close()
		return ""
	}}
}

func (p *player) end(name string) *playerEnd {
	for {
		p.mu.Lock()
		e, ready := p.ends[name], p.ready
		p.mu.Unlock()
		if e != nil {
			return e
		}
		select {
		case <-ready:
		case <-p.quit:
			return nil
		}
	}
}

func (p *player) play() {
	defer close(p.done)
	for _, step := range p.steps {
		name, line, sent := strings.Cut(step, " > ")
		if other, l, ok := strings.Cut(step, " < "); ok && (!sent || len(other) < len(name)) {
			name, line, sent = other, l, false
		}
		end := p.end(name)
		if end == nil {
			return
		}
		if !sent {
			if _, err := io.WriteString(end.out, p.x.read(line)+"\n"); err != nil {
				return
			}
			continue
		}
		select {
		case got, ok := <-end.lines:
			if ok && p.x.written(got) != line {
				p.t.Errorf("on %s the checker sends\n%s\nwant\n%s", name, p.x.written(got), line)
			}
		case <-p.quit:
			return
		}
	}
}

func (p *player) stop() {
	p.once.Do(func() { close(p.quit) })
	p.runs.Wait()
}
