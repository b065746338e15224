// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// retried makes a request until it does, or another attempt would do no better. Once a
// piece of a reply was shown there is no other attempt: it would say it again.
func retried(ctx context.Context, o Options, emit func(Delta), once func(ctx context.Context, emit func(Delta)) (*Reply, error)) (*Reply, error) {
	if emit == nil {
		emit = func(Delta) {}
	}
	shown := false
	show := func(d Delta) {
		shown = true
		emit(d)
	}
	wait := o.FirstWait
	for attempt := 1; ; attempt++ {
		reply, err := once(ctx, show)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return reply, ctx.Err()
		}
		var e *Error
		if !errors.As(err, &e) || !e.again() || shown || attempt >= o.Attempts {
			return reply, err
		}
		pause := wait + time.Duration(rand.Int64N(int64(wait)/4+1)) // so that not all come again at once
		if e.After > 0 {
			pause = e.After
		}
		emit(Delta{DeltaWait, fmt.Sprintf("%s; attempt %d of %d follows in %s", e.what(), attempt+1, o.Attempts, pause.Round(100*time.Millisecond))})
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		wait = min(2*wait, longestWait)
	}
}
