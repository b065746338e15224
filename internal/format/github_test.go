// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// The documented form of workflow commands: what ends a property or the command is
// escaped, in properties also the colon and the comma.
func TestAnnotation(t *testing.T) {
	for _, tc := range []struct {
		f    skill.Finding
		want string
	}{
		{
			skill.Finding{Rule: "FMT-6", File: "a/SKILL.md", Line: 3, Column: 14, Message: "is empty; say: what, and 100 % when"},
			"::error file=a/SKILL.md,line=3,col=14,title=FMT-6::is empty; say: what, and 100 %25 when\n",
		},
		{
			skill.Finding{Rule: "FMT-1", Severity: skill.Warning, File: "a,b:c%/SKILL.md", Message: "x"},
			"::warning file=a%2Cb%3Ac%25/SKILL.md,title=FMT-1::x\n",
		},
		{
			skill.Finding{Rule: "FMT-3", Severity: skill.Info, File: "a/SKILL.md", Line: 1, Message: "two\r\nlines"},
			"::notice file=a/SKILL.md,line=1,title=FMT-3::two%0D%0Alines\n",
		},
	} {
		got := annotation(tc.f)
		if got != tc.want {
			t.Errorf("got  %swant %s", got, tc.want)
		}
		if strings.Count(got, "\n") != 1 {
			t.Errorf("more than a line: %q", got)
		}
	}
}
