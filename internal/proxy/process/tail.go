// SPDX-License-Identifier: Apache-2.0

package process

import (
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/skill"
)

// A tail keeps the last bytes of a stream.
type tail struct {
	mu   sync.Mutex
	max  int
	buf  []byte
	lost bool // something before buf is gone
}

func newTail(limit int) *tail {
	if limit <= 0 {
		limit = defaultTail
	}
	return &tail{max: limit}
}

// copy reads r to its end, keeps the tail and passes everything on to w. It goes
// on without w after an error, since an agent must not block because nobody
// wants its log.
func (t *tail) copy(r io.Reader, w io.Writer) {
	buf := make([]byte, 8192)
	for {
		n, err := r.Read(buf)
		t.add(buf[:n])
		if n > 0 && w != nil {
			if _, werr := w.Write(buf[:n]); werr != nil {
				w = nil
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.lost = true
	}
}

// Colours and cursor movements are taken out as a whole; of what is not one of
// these, [skill.Sanitize] removes the control characters only.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])`)

// text is the tail as lines that can be shown anywhere: no control characters,
// no empty lines, and no cut line at the beginning unless it is the only one.
func (t *tail) text() string {
	t.mu.Lock()
	s, cut := string(t.buf), t.lost
	t.mu.Unlock()
	var lines []string
	for i, line := range strings.FieldsFunc(escapes.ReplaceAllString(s, ""), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = skill.Sanitize(line)
		if line == "" || cut && i == 0 && strings.ContainsAny(strings.TrimRight(s, "\r\n"), "\r\n") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
