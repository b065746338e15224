// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
)

// OpenLog returns a logger for warnings on w and, when file is not empty, for
// everything in that file, which is appended to. The file is readable for its
// owner only: what it says about sessions is nobody else's business.
func OpenLog(w io.Writer, file string) (log *slog.Logger, closeLog func(), err error) {
	handler := slog.Handler(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if file == "" {
		return slog.New(handler), func() {}, nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("the log cannot be written: %w; choose another file for --log", err)
	}
	all := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(slog.NewMultiHandler(handler, all)), func() { _ = f.Close() }, nil
}
