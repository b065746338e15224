// SPDX-License-Identifier: Apache-2.0

package agent

import "os"

const openToRead = os.O_RDONLY
