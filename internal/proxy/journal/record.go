// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A Record is one prompt whose blocks the agent did not get as the client sent
// them.
type Record struct {
	// ID names the record within its session; see [NewID].
	ID string
	// MessageID is the agent's id of the message, empty until it is known.
	MessageID string
	// Inherited says that the record came with a fork. The agent may have given
	// the message another id there.
	Inherited bool
	// Blocks is the raw JSON array of the client's content blocks, byte for
	// byte but for two things: a line feed between tokens comes back as a
	// blank, and long binary values as what [Unblob] fills in.
	Blocks []byte
	// Sent has an entry for each block that the agent got, in order.
	Sent []Sent
	// Nonces tells the tags in the text that the agent got from tags that
	// somebody else wrote.
	Nonces []Nonce
	// Bodies has, for each skill that went in the agent's own form to one whose
	// replay shows the skill's instructions, the HashText of a line of them.
	Bodies []string
	// Title is how the prompt reads to a person, at most 512 runes of it.
	Title string
	// SentTitle is the head of the text that the agent got, all white space
	// removed, at most 1024 runes: agents cut and collapse the titles that
	// they derive.
	SentTitle string
}

// The most that a [Record] keeps of its titles, in runes. More is cut.
const (
	MaxTitle     = 512
	MaxSentTitle = 4096
)

// A Sent is one block as the agent got it.
type Sent struct {
	Text bool   // a text block
	Hash string // HashText of the text, HashBytes of any other block's raw JSON
}

// A Nonce ties the nonce of a tag to the client's block that the tag stands
// for.
type Nonce struct {
	Nonce string
	Block int // index in the client's blocks, from 0
}

// NewID returns a random id for a record.
func NewID() string { return rand.Text() }

// HashText is the hash of a text without the white space around it, as agents
// trim and add line ends at will. It is SHA-256 in hex.
func HashText(s string) string { return HashBytes([]byte(strings.TrimSpace(s))) }

// HashBytes is the SHA-256 of b in hex.
func HashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
