// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDir is where the user's store is kept: skillgraft under $XDG_CONFIG_HOME
// when that is an absolute path, else under ~/.config, on macOS under
// ~/Library/Application Support and on Windows under %AppData%. It makes
// nothing. The error says what to set when there is no home directory.
func DefaultDir() (string, error) {
	// The XDG rules want a relative value to be ignored.
	base := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		var err error
		if base, err = configHome(runtime.GOOS); err != nil {
			return "", fmt.Errorf("trust: no place for the list of trusted workspaces: %w; set XDG_CONFIG_HOME to a directory", err)
		}
	}
	return filepath.Join(base, "skillgraft"), nil
}

func configHome(goos string) (string, error) {
	if goos == "windows" || goos == "darwin" {
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(home) {
		return "", fmt.Errorf("the home directory %q is no absolute path", home)
	}
	return filepath.Join(home, ".config"), nil
}
