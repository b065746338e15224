// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/conform"
	"github.com/skillgraft/skillgraft/mcpskill"
)

// ConformMCP checks a server of skills and writes the report.
func ConformMCP(ctx context.Context, o MCPUseOptions, filters []string, format string, std Streams) error {
	if !slices.Contains(conform.Formats(), format) {
		return Usagef("there is no format %q: choose one of %s", format, strings.Join(conform.Formats(), ", "))
	}
	if _, err := conform.Select(conform.MCPChecks(), filters...); err != nil {
		return Usagef("%w", err)
	}
	connected := false
	err := o.with(ctx, func(origin *mcpskill.Origin) error {
		connected = true
		var done func(conform.Result)
		if conform.Format(format) == conform.Text {
			done = func(r conform.Result) {
				var b strings.Builder
				r.Text(&b)
				_, _ = io.WriteString(std.Out, b.String())
			}
		}
		report, err := conform.RunMCP(ctx, origin, filters, done)
		if err != nil {
			return err
		}
		if done != nil {
			_, err = io.WriteString(std.Out, report.Summary())
		} else {
			err = report.Write(std.Out, conform.Format(format))
		}
		if err == nil && report.Count(conform.Fail) > 0 {
			return Silent(ExitFailure)
		}
		return err
	})
	if err != nil && !connected {
		return &ExitError{Status: ExitCannotCheck, Err: err}
	}
	return err
}
