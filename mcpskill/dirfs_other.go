// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package mcpskill

const openFlags = 0
