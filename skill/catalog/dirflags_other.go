// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package catalog

import "os"

const dirFlags = os.O_RDONLY
