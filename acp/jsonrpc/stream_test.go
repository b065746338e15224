// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func note(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":{"t":%q}}`, text)
}

func readAll(t *testing.T, r *Reader) (lines []string, tooLong []*LineTooLongError) {
	t.Helper()
	for {
		m, err := r.Next()
		var long *LineTooLongError
		switch {
		case errors.Is(err, io.EOF):
			return lines, tooLong
		case errors.As(err, &long):
			tooLong = append(tooLong, long)
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, string(m.Raw))
		}
	}
}

// C17: only LF ends a message, CR before it is tolerated, blank lines are
// skipped, and the last line counts without an end.
func TestReaderFraming(t *testing.T) {
	in := note("a\u2028b") + "\r\n" + "\n \t\r\n" + note("\u2029") + "\n" + note("last")
	for name, src := range map[string]io.Reader{"whole": strings.NewReader(in), "bytewise": iotest.OneByteReader(strings.NewReader(in)), "data with EOF": iotest.DataErrReader(strings.NewReader(in))} {
		got, _ := readAll(t, NewReader(src, nil))
		want := []string{note("a\u2028b"), note("\u2029"), note("last")}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// C16, PXY-7: lines of any size up to the limit, whatever the chunks; a longer
// one is dropped alone, and says whose it was.
func TestReaderAnySizeAnyChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 300_000
		var in bytes.Buffer
		var want []string
		var long int
		for range rapid.IntRange(1, 5).Draw(t, "lines") {
			n := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(readSize-100, readSize+100), rapid.IntRange(limit-200, limit+200), rapid.IntRange(2*limit, 5*limit)).Draw(t, "length")
			line := note(strings.Repeat("y", n))
			in.WriteString(line + "\n")
			if len(line) > limit {
				long++
			} else {
				want = append(want, line)
			}
		}
		chunk := rapid.SampledFrom([]int{1 << 20, 65536, 4097}).Draw(t, "chunk")
		r := NewReader(&chunks{in.Bytes(), chunk}, &ReaderOptions{MaxLine: limit})
		var got []string
		for {
			m, err := r.Next()
			var tooLong *LineTooLongError
			if errors.As(err, &tooLong) {
				long--
				if tooLong.Method != "x" {
					t.Fatalf("the dropped line's method is %q", tooLong.Method)
				}
				continue
			}
			if err != nil {
				break
			}
			got = append(got, string(m.Raw))
		}
		if long != 0 || len(got) != len(want) {
			t.Fatalf("%d lines too many dropped, %d of %d read", -long, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("line %d differs", i)
			}
		}
	})
}

type chunks struct {
	b []byte
	n int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.b)
	c.b = c.b[n:]
	return n, nil
}

func TestTooLongSaysWhose(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"x":"` + strings.Repeat("z", 500) + `"}}` + "\n" + note("next")
	lines, long := readAll(t, NewReader(strings.NewReader(in), &ReaderOptions{MaxLine: 100}))
	if len(long) != 1 || long[0].ID != `"a"` || long[0].Method != "session/prompt" || long[0].Limit != 100 {
		t.Errorf("got %+v", long)
	}
	if len(lines) != 1 {
		t.Errorf("the next line is lost: %q", lines)
	}
}

// An endless line costs bounded memory: the reader keeps no more than the limit.
func TestEndlessLineIsDropped(t *testing.T) {
	src := io.MultiReader(io.LimitReader(endless{}, 20<<20), strings.NewReader("\n"+note("after")+"\n"))
	lines, long := readAll(t, NewReader(src, &ReaderOptions{MaxLine: 1 << 20}))
	if len(long) != 1 || len(lines) != 1 || lines[0] != note("after") {
		t.Errorf("%d dropped, read %q", len(long), lines)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestBuffered(t *testing.T) {
	r := NewReader(strings.NewReader(note("1")+"\n"+note("2")+"\n{"), nil)
	for i, want := range []bool{true, false} {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if r.Buffered() != want {
			t.Errorf("after line %d: Buffered is %v", i+1, !want)
		}
	}
}

func TestWriterKeepsOrder(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	big := Scan([]byte(note(strings.Repeat("b", 2*readSize)))).Clone()
	w.Enqueue([]byte("1"))
	w.EnqueueMessage(big)
	w.EnqueueMessage(Scan([]byte(note("2"))))
	w.Enqueue([]byte("3"))
	if out.Len() != 0 {
		t.Error("queueing writes")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	w.Enqueue([]byte("4"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "1\n" + string(big.Raw) + "\n" + note("2") + "\n3\n4\n"; out.String() != want {
		t.Errorf("written: %.80q", out.String())
	}
	w.Enqueue([]byte("late"))
	if strings.Contains(out.String(), "late") {
		t.Error("a line was written after Close")
	}
}

// A flush that finds another one under way leaves its lines to that one, and
// FlushAsync never waits for a peer that does not read.
func TestWriterDoesNotWaitForSlowPeer(t *testing.T) {
	pr, pw := io.Pipe()
	w := NewWriter(pw, nil)
	for i := range 100 {
		w.Enqueue(fmt.Appendf(nil, "%d", i))
		w.FlushAsync()
	}
	got, err := readLines(pr, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got {
		if s != fmt.Sprint(i) {
			t.Fatalf("line %d is %q", i, s)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func readLines(r io.Reader, n int) ([]string, error) {
	var all []byte
	buf := make([]byte, 512)
	for bytes.Count(all, []byte("\n")) < n {
		k, err := r.Read(buf)
		if err != nil {
			return nil, err
		}
		all = append(all, buf[:k]...)
	}
	return strings.Split(strings.TrimSpace(string(all)), "\n"), nil
}

func TestWriterManyProducers(t *testing.T) {
	pr, pw := io.Pipe()
	w := NewWriter(pw, nil)
	var wg sync.WaitGroup
	const each = 200
	for p := range 4 {
		wg.Go(func() {
			for i := range each {
				w.Enqueue(fmt.Appendf(nil, "%d %d", p, i))
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
				w.Wait(64)
			}
		})
	}
	got, err := readLines(pr, 4*each)
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for _, line := range got {
		p, i, _ := strings.Cut(line, " ")
		if fmt.Sprint(next[p]) != i {
			t.Fatalf("producer %s: line %s came when %d was due", p, i, next[p])
		}
		next[p]++
	}
}

func TestWriterReportsTheError(t *testing.T) {
	pr, pw := io.Pipe()
	_ = pr.CloseWithError(io.ErrClosedPipe)
	w := NewWriter(pw, nil)
	w.Enqueue([]byte("x"))
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	w.Enqueue([]byte("y"))
	w.Wait(0)
	if err := w.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}
