// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package catalog_test

import "testing"

func fifo(*testing.T, *tree, string) bool   { return false }
func device(*testing.T, *tree, string) bool { return false }
