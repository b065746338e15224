// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDir is where the user's journals are kept: skillgraft/journal under
// $XDG_STATE_HOME when that is an absolute path, else under ~/.local/state, on
// macOS under ~/Library/Application Support and on Windows under %LocalAppData%.
// It makes nothing. The error says what to set when there is no home directory.
func DefaultDir() (string, error) {
	// The XDG rules want a relative value to be ignored.
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		var err error
		if base, err = stateHome(runtime.GOOS); err != nil {
			return "", fmt.Errorf("journal: no place for the journal: %w; set XDG_STATE_HOME to a directory, or go without one (--no-journal)", err)
		}
	}
	return filepath.Join(base, "skillgraft", "journal"), nil
}

func stateHome(goos string) (string, error) {
	switch goos {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%, which does not roam
	case "darwin":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(home) {
		return "", fmt.Errorf("the home directory %q is no absolute path", home)
	}
	return filepath.Join(home, ".local", "state"), nil
}
