// SPDX-License-Identifier: Apache-2.0

// Command skillgraft gives every ACP agent real Agent Skills. Run
// "skillgraft help" for its commands.
package main

import (
	"context"
	"os"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func main() {
	os.Exit(cli.Execute(context.Background(), root(), os.Stderr))
}
