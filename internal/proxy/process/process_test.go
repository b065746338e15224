// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is for what must happen but has no event to wait for. It is no
// assertion about time.
const patience = 30 * time.Second

func start(t *testing.T, what string, more ...func(*Options)) *Process {
	t.Helper()
	opts := Options{Args: []string{os.Args[0]}, Env: append(os.Environ(), fakeEnv+"="+what, "GORACE=atexit_sleep_ms=0"), StopGrace: patience}
	for _, f := range more {
		f(&opts)
	}
	p, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.group.kill()
		within(t, p.Done(), "the agent's end at cleanup")
		_, _ = io.Copy(io.Discard, p.Stdout())
	})
	return p
}

func within(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

// async runs f, which must come back.
func async(t *testing.T, what string, f func()) {
	t.Helper()
	c := make(chan struct{})
	go func() {
		defer close(c)
		f()
	}()
	within(t, c, what)
}

func readLine(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	async(t, "the line "+want, func() {
		if line, err := r.ReadString('\n'); strings.TrimSpace(line) != want {
			t.Errorf("read %q (%v), not %q", line, err, want)
		}
	})
}

func readAll(t *testing.T, r io.Reader) (all string) {
	t.Helper()
	async(t, "the end of the output", func() {
		b, err := io.ReadAll(r)
		if err != nil {
			t.Errorf("reading the output: %v", err)
		}
		all = string(b)
	})
	return all
}

func TestAgentEndsWhenItsInputDoes(t *testing.T) {
	p := start(t, "echo")
	out := bufio.NewReader(p.Stdout())
	for _, s := range []string{"one", strings.Repeat("long", 100_000)} {
		go func() { _, _ = io.WriteString(p.Stdin(), s+"\n") }()
		readLine(t, out, s)
	}
	select {
	case <-p.Done():
		t.Fatal("done while it runs")
	default:
	}
	if err := p.Stdin().Close(); err != nil {
		t.Error(err)
	}
	within(t, p.Done(), "the end")
	if e := p.Exit(); e != (Exit{}) || e.String() != "exit status 0" {
		t.Errorf("exit %+v: %s", e, e)
	}
	if _, err := p.Stdin().Write([]byte("x")); err == nil {
		t.Error("a write to an agent that has ended succeeded")
	}
	if rest := readAll(t, p.Stdout()); rest != "" {
		t.Errorf("rest %q", rest)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("Stop after the end: %v", err)
	}
}

func TestPXY6_ExitHasStatusAndLastWords(t *testing.T) {
	var log bytes.Buffer
	p := start(t, "exit 3", func(o *Options) { o.Stderr = &log })
	within(t, p.Done(), "the end")
	e := p.Exit()
	if want := (Exit{Code: 3, StderrTail: "starting\nError: no API key\nat main.js:7"}); e != want {
		t.Errorf("exit %+q", e)
	}
	if want := "exit status 3; stderr ends: starting | Error: no API key | at main.js:7"; e.String() != want {
		t.Errorf("%q", e.String())
	}
	if want := "starting\n\x1b[31mError:\x1b[0m no \x07API\u202e key\r\n\n  at main.js:7"; log.String() != want {
		t.Errorf("copied %q", log.String())
	}
}

func TestLastWordsOfAFlood(t *testing.T) {
	for _, limit := range []int{0, 100} {
		p := start(t, "flood 300000", func(o *Options) { o.TailBytes = limit })
		if out := readAll(t, p.Stdout()); out != strings.Repeat("o", 300_000) {
			t.Errorf("%d bytes of output", len(out))
		}
		if e := p.Exit(); e.StderrTail != "last words" {
			t.Errorf("tail %q", e.StderrTail)
		}
	}
}

// What the agent wrote before its end can be read afterwards, in however many
// small pieces.
func TestOutputIsReadAfterTheEnd(t *testing.T) {
	p := start(t, "flood 3000")
	within(t, p.Done(), "the end")
	// As if the reader came back long after.
	if err := p.stdout.file.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	n := 0
	async(t, "the end of the output", func() {
		for b := make([]byte, 100); ; {
			k, err := p.Stdout().Read(b)
			n += k
			if err != nil {
				break
			}
		}
	})
	if n != 3000 {
		t.Errorf("%d bytes", n)
	}
}

func TestStderrThatFailsOrBlocksDoesNotHoldTheAgent(t *testing.T) {
	p := start(t, "flood 300000", func(o *Options) { o.Stderr = failing{} })
	readAll(t, p.Stdout())
	within(t, p.Done(), "the end with a writer that fails")
	if e := p.Exit(); e.Code != 0 || e.StderrTail != "last words" {
		t.Errorf("exit %+v", e)
	}

	free := make(chan struct{})
	w := &blocking{free: free, blocked: make(chan struct{})}
	p = start(t, "exit 3", func(o *Options) { o.Stderr = w })
	within(t, w.blocked, "the first write")
	within(t, p.Done(), "the end with a writer that blocks")
	if e := p.Exit(); e.Code != 3 {
		t.Errorf("exit %+v", e)
	}
	close(free)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

type blocking struct {
	free, blocked chan struct{}
	once          sync.Once
}

func (b *blocking) Write(p []byte) (int, error) {
	b.once.Do(func() { close(b.blocked) })
	<-b.free
	return len(p), nil
}

func TestAgentClosesItsOutputAndLives(t *testing.T) {
	p := start(t, "mute")
	if out := readAll(t, p.Stdout()); out != "" {
		t.Errorf("output %q", out)
	}
	select {
	case <-p.Done():
		t.Error("an agent without output counts as ended")
	default:
	}
	async(t, "Stop", func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestDirectoryEnvironmentAndArguments(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, "cwd", func(o *Options) {
		o.Dir = dir
		o.Env = append(o.Env, "PROCESS_TEST_X=y z")
		o.Args = append(o.Args, "a b", "")
	})
	if out := readAll(t, p.Stdout()); out != dir+" y z [a b ]\n" {
		t.Errorf("%q", out)
	}
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("file", "", 0o600)
	type row struct {
		opts Options
		want string
	}
	rows := map[string]row{
		"nothing":           {Options{}, "no agent to start: name its command"},
		"empty":             {Options{Args: []string{""}}, "no agent to start: name its command"},
		"not in PATH":       {Options{Args: []string{"no-such-agent\x1b[31m"}}, `"no-such-agent[31m" was not found in PATH: check the spelling, install`},
		"no such path":      {Options{Args: []string{filepath.Join(dir, "none")}}, "does not exist: check the path"},
		"no such directory": {Options{Args: []string{os.Args[0]}, Dir: filepath.Join(dir, "none")}, "it does not exist; create the directory"},
		"no directory":      {Options{Args: []string{os.Args[0]}, Dir: file}, "it is not a directory; create the directory"},
	}
	if filepath.Separator == '/' {
		rows["not executable"] = row{Options{Args: []string{file}}, "is not executable: make it so (chmod +x)"}
		rows["a directory"] = row{Options{Args: []string{dir}}, "is a directory: name the program in it"}
		rows["no interpreter"] = row{Options{Args: []string{write("script", "#!/no/such/node\n", 0o700)}}, "the interpreter in its first line"}
		rows["no format"] = row{Options{Args: []string{write("text", "hello\n", 0o700)}}, "is not a program of this system"}
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			p, err := Start(r.opts)
			var typed *StartError
			if p != nil || !errors.As(err, &typed) || typed.Err == nil || !strings.Contains(err.Error(), r.want) {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
}

func TestRelativeCommandIsTheCallersAndNotOfDir(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	bin := "agent" + filepath.Ext(os.Args[0])
	if err := os.Symlink(os.Args[0], bin); err != nil {
		t.Skipf("this system makes no symbolic links for us: %v", err)
	}
	p := start(t, "exit 0", func(o *Options) { o.Args, o.Dir = []string{"." + string(filepath.Separator) + bin}, other })
	within(t, p.Done(), "the end")
	if e := p.Exit(); e.Code != 0 {
		t.Errorf("exit %+v", e)
	}
}

// family starts an agent with a helper and returns the test's connection to the
// helper, which ends when the helper does.
func family(t *testing.T, what string, more ...func(*Options)) (*Process, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	more = append(more, func(o *Options) { o.Env = append(o.Env, connEnv+"="+l.Addr().String()) })
	p := start(t, what, more...)
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Stdin(), "seen\n"); err != nil {
		t.Fatal(err)
	}
	return p, conn
}

func assertGone(t *testing.T, helper net.Conn) {
	t.Helper()
	if _, err := helper.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the helper lives on")
	}
}

func TestPXY6_HelpersEndWithTheAgent(t *testing.T) {
	for name, what := range map[string]string{
		"agent exits":   "parent helper exit 5",
		"agent stopped": "parent helper echo",
		"agent killed":  "parent helper deaf",
	} {
		t.Run(name, func(t *testing.T) {
			p, helper := family(t, what, func(o *Options) {
				if name == "agent killed" {
					o.StopGrace = time.Millisecond
				}
			})
			out := bufio.NewReader(p.Stdout())
			readLine(t, out, "parent done")
			if name != "agent exits" {
				async(t, "Stop", func() {
					if err := p.Stop(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			within(t, p.Done(), "the agent's end")
			assertGone(t, helper)
			readAll(t, out)
			if e := p.Exit(); name == "agent exits" && (e.Code != 5 || !strings.HasSuffix(e.StderrTail, "at main.js:7")) {
				t.Errorf("exit %+v", e)
			}
		})
	}
}
