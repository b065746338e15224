// SPDX-License-Identifier: Apache-2.0

package conform

import "testing"

func TestCorrectClient(t *testing.T) {
	opts := quick()
	opts.StartClient = startFakeClient("none")
	for _, r := range check(t, KindClient, opts, Checks(KindClient)).Results {
		if r.Verdict != Pass {
			t.Errorf("%s %s: %s %v", r.Verdict, r.Check.ID, r.Reason, r.Evidence)
		}
	}
}

// Each rule has a broken client, which is found, and of which nothing else is said.
func TestBrokenClients(t *testing.T) {
	for _, c := range faults(KindClient) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			opts := quick()
			opts.StartClient = startFakeClient(c.ID)
			mustFindOnly(t, c, check(t, KindClient, opts, Checks(KindClient)))
		})
	}
}
