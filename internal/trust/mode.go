// SPDX-License-Identifier: Apache-2.0

package trust

import "fmt"

// A Mode is how it is decided whether a workspace is trusted.
type Mode uint8

const (
	// Ask trusts what is in the store, and has the user asked about the rest
	// when it matters.
	Ask Mode = iota
	// Always trusts every workspace, whatever the store says.
	Always
	// Never trusts none.
	Never
)

// String returns "ask", "always" or "never".
func (m Mode) String() string {
	switch m {
	case Always:
		return "always"
	case Never:
		return "never"
	}
	return "ask"
}

// MarshalText implements [encoding.TextMarshaler].
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Mode) UnmarshalText(text []byte) error {
	for _, known := range []Mode{Ask, Always, Never} {
		if string(text) == known.String() {
			*m = known
			return nil
		}
	}
	return fmt.Errorf("it is ask, always or never")
}
