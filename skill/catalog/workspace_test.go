// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// DSC-5: what a user is shown as the workspace is what a scan asks about.
func TestWorkspaceRootIsWhatTrustIsAskedAbout(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"repo/.git", "repo/a/b", "plain/a"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string]string{"repo": "repo", "repo/a/b": "repo", "plain/a": "plain/a"} {
		got, err := WorkspaceRoot(filepath.Join(dir, in))
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s: %q, %v; want %s", in, got, err, want)
		}
		var asked []string
		_, err = Scan(context.Background(), Options{Workspace: []string{filepath.Join(dir, in)}, Trusted: func(d string) bool {
			asked = append(asked, d)
			return false
		}})
		if err != nil || len(asked) != 1 || asked[0] != got {
			t.Errorf("%s: a scan asked about %q, %v; want %q alone", in, asked, err, got)
		}
	}
	if _, err := WorkspaceRoot(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that does not exist has a workspace")
	}
}
