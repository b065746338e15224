// SPDX-License-Identifier: Apache-2.0

package conform

import "testing"

func TestCorrectProxy(t *testing.T) {
	opts := quick()
	opts.StartProxy = startFakeProxy("none")
	for _, r := range check(t, KindProxy, opts, Checks(KindProxy)).Results {
		if r.Verdict != Pass {
			t.Errorf("%s %s: %s %v", r.Verdict, r.Check.ID, r.Reason, r.Evidence)
		}
	}
}

// Each rule has a broken proxy, which is found, and of which nothing else is said.
func TestBrokenProxies(t *testing.T) {
	for _, c := range faults(KindProxy) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			opts := quick()
			opts.StartProxy = startFakeProxy(c.ID)
			mustFindOnly(t, c, check(t, KindProxy, opts, Checks(KindProxy)))
		})
	}
}
