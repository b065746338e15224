// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// updateScripts has the scripts under testdata written anew.
var updateScripts = flag.Bool("update", false, "write what came out into the scripts under testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
