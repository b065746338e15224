// SPDX-License-Identifier: Apache-2.0

package catalog

import "path/filepath"

// WorkspaceRoot returns the directory that stands for the whole workspace of a
// working directory, with links resolved: the root of the git repository that it is
// in, else the directory itself. It is what [Options.Trusted] is asked about for the
// first of [Options.Workspace]; the others stand for themselves.
func WorkspaceRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	_, top := climb(real)
	return top, nil
}
