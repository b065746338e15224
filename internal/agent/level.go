// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"

	"github.com/skillgraft/skillgraft/acp"
)

// A Level is where the agent takes skill blocks (ACP-C2).
type Level uint8

const (
	// LevelInline takes any number of them at any place (ACP-P3).
	LevelInline Level = iota
	// LevelFirst takes one, which stands first (ACP-P2).
	LevelFirst
	// LevelNone offers no skills, as an agent that knows nothing of them.
	LevelNone
)

// String returns "inline", "skill" or "none".
func (l Level) String() string {
	switch l {
	case LevelInline:
		return "inline"
	case LevelFirst:
		return "skill"
	}
	return "none"
}

// MarshalText implements [encoding.TextMarshaler].
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler], so that a flag can be of
// this type.
func (l *Level) UnmarshalText(text []byte) error {
	for _, known := range []Level{LevelInline, LevelFirst, LevelNone} {
		if known.String() == string(text) {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("%q is no level of skill support; use inline, skill or none", text)
}

func (l Level) support() acp.SkillSupport {
	return acp.SkillSupport{Skill: l != LevelNone, Inline: l == LevelInline}
}
