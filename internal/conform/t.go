// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/skillgraft/skillgraft/skill"
)

// A T is a check that runs. As with testing.T, what ends a check ends it at once.
type T struct {
	check  Check
	opts   Options
	probe  probe
	places places

	wires   []*Wire
	seq     atomic.Int64
	cleanup []func()
	result  Result
}

// ended is what ends a check's function. It is thrown by Failf and Skipf and
// caught in do, and never leaves the package: a check is a straight line of steps,
// and each may be its last.
type ended struct{}

// do runs a check. Wires that it opened are closed when it is done.
func (t *T) do() (r Result) {
	start := time.Now()
	t.result = Result{Check: t.check, Verdict: Pass}
	defer func() {
		p := recover()
		for i := len(t.cleanup) - 1; i >= 0; i-- {
			t.cleanup[i]()
		}
		for _, w := range t.wires {
			w.close()
		}
		if _, ok := p.(ended); p != nil && !ok {
			panic(p)
		}
		t.addDeath()
		r = t.result
		r.Took = time.Since(start)
		if t.opts.record != nil {
			t.opts.record(t.check.ID, t.wires)
		}
	}()
	t.check.run(t)
	return r
}

// addDeath says how a peer ended that ended by itself while a check failed: that is
// most often why.
func (t *T) addDeath() {
	if t.result.Verdict == Pass {
		return
	}
	for _, w := range t.wires {
		if w.gone && w.how != "" {
			t.result.Reason += " (" + w.name + " ended: " + skill.Sanitize(w.how) + ")"
			return
		}
	}
}

// Failf says that the rule is broken, and ends the check. Frames are the messages
// that show it.
func (t *T) Failf(frames []Frame, format string, args ...any) {
	v := Fail
	if t.check.Should {
		v = Warn
	}
	t.end(v, frames, fmt.Sprintf(format, args...))
}

// Warnf says that advice is not followed, and ends the check.
func (t *T) Warnf(frames []Frame, format string, args ...any) {
	t.end(Warn, frames, fmt.Sprintf(format, args...))
}

// Skipf says why the check does not apply, and ends it.
func (t *T) Skipf(format string, args ...any) {
	t.end(NotApplicable, nil, fmt.Sprintf(format, args...))
}

func (t *T) end(v Verdict, frames []Frame, reason string) {
	t.result.Verdict, t.result.Reason = v, skill.Sanitize(reason)
	for _, f := range frames {
		if f.wire != nil {
			t.result.Evidence = append(t.result.Evidence, f.line())
		}
	}
	panic(ended{})
}

// pause waits for what might still come.
func (t *T) pause() { time.Sleep(t.opts.Quiet) }
