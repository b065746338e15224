// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page says of each check what passes, in the words of the program.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "conform.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{KindAgent, KindClient, KindProxy, KindMCP} {
		for _, c := range Checks(kind) {
			if row := fmt.Sprintf("| `%s` | %s | %s |", c.ID, c.Rule, c.Title); !strings.Contains(string(page), row) {
				t.Errorf("docs/conform.md does not have the row\n%s", row)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	for _, tc := range []struct {
		filter string
		want   string // the first one found
		n      int    // how many, if it matters
	}{
		{"P4/unknown", "P4/unknown", 1},
		{"p4/UNKNOWN", "P4/unknown", 1},
		{"replay", "replay/start", 4},
		{"ACP-P4", "P4/unsupported", 7},
		{"ACP-C", "C2/shape", 0},
		{"CORE", "init/answer", 0},
		{"P", "", 0},
		{"ACP-P44", "", 0},
	} {
		got, err := Select(Checks(KindAgent), tc.filter)
		switch {
		case tc.want == "" && err == nil:
			t.Errorf("%s selects %d checks", tc.filter, len(got))
		case tc.want == "":
		case err != nil:
			t.Error(err)
		case got[0].ID != tc.want || tc.n > 0 && len(got) != tc.n:
			t.Errorf("%s selects %d checks from %s on", tc.filter, len(got), got[0].ID)
		}
	}
}
