// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"time"
)

// The types of records.
const (
	recordSession = "session" // the first one: what the session is
	recordTitle   = "title"
	recordConfig  = "config"  // an option was set
	recordUser    = "user"    // a message of the user, as it was sent
	recordSkill   = "skill"   // a skill came into the context, with this content
	recordBegin   = "begin"   // the client was told of the user's message
	recordVoid    = "void"    // it was not, and the message is none
	recordAgent   = "agent"   // a piece of a message of the agent
	recordThought = "thought" // a piece of a thought
	recordUpdate  = "update"  // another update that a replay has
	recordModel   = "model"   // a message of the model's conversation beside the user's
	recordCompact = "compact" // the conversation was replaced by this one
	recordEnd     = "end"     // a turn is over
)

// historyVersion is the version of the records. Readers skip types that they do
// not know, so it changes only when an old type means something else.
const historyVersion = 1

// A record is one line of a session's file.
type record struct {
	Type string    `json:"type"`
	At   time.Time `json:"at"`

	Version     int             `json:"version,omitempty"`     // session
	SessionID   string          `json:"sessionId,omitempty"`   // session
	Cwd         string          `json:"cwd,omitempty"`         // session
	Title       string          `json:"title,omitempty"`       // title
	Option      string          `json:"option,omitempty"`      // config
	Value       string          `json:"value,omitempty"`       // config
	MessageID   string          `json:"messageId,omitempty"`   // user, agent, thought
	Content     json.RawMessage `json:"content,omitempty"`     // user: content blocks; update: the update; model: the message; compact: messages
	Text        string          `json:"text,omitempty"`        // agent, thought; skill: as the model was given it
	Skill       string          `json:"skill,omitempty"`       // skill: its key
	Name        string          `json:"name,omitempty"`        // skill: in the session
	Hash        string          `json:"hash,omitempty"`        // skill
	ByModel     bool            `json:"byModel,omitempty"`     // skill: and not by the user
	Trusted     bool            `json:"trusted,omitempty"`     // skill: its workspace was
	Stop        string          `json:"stop,omitempty"`        // end
	Error       string          `json:"error,omitempty"`       // end
	Interrupted bool            `json:"interrupted,omitempty"` // end: by the end of the process
}
