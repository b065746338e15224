// SPDX-License-Identifier: Apache-2.0

package acp

import "github.com/skillgraft/skillgraft/acp/internal/object"

// ProtocolVersion is what a peer has to ask for or to answer with.
const ProtocolVersion = 2

// readVersion reads the number of a version, which 16 bits can hold.
func readVersion(tok []byte) (int, error) {
	v, err := object.Int[uint16](tok)
	return int(v), err
}
