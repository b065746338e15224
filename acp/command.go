// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An AvailableCommand is one entry of a session's list: a *[Command], a
// *[Skill], or an *[UnknownCommand] of a type that this package does not know.
type AvailableCommand interface {
	// EntryName is the name, by which the entry is unique in its list.
	EntryName() string
	isAvailableCommand()
	json.Marshaler
}

// An UnknownCommand is an entry of a type that is not known here. It is sent on
// and not shown (ACP-A9).
type UnknownCommand struct {
	Type string
	Name string // empty when there is none
	Raw  json.RawMessage
}

// EntryName implements [AvailableCommand].
func (c *Command) EntryName() string { return c.Name }

// EntryName implements [AvailableCommand].
func (c *Skill) EntryName() string { return c.Name }

// EntryName implements [AvailableCommand].
func (c *UnknownCommand) EntryName() string { return c.Name }

func (*Command) isAvailableCommand()        {}
func (*Skill) isAvailableCommand()          {}
func (*UnknownCommand) isAvailableCommand() {}

// MarshalJSON implements [encoding/json.Marshaler]: the value as it was read.
func (c UnknownCommand) MarshalJSON() ([]byte, error) { return object.Encode(nil, c.Raw) }

// check sees to it that an input of text has a hint, which may be empty.
func (x *CommandInput) check() error {
	if x.Type == "text" && x.Hint == "" && x.Extra.Get("hint") == nil {
		return &FieldError{Path: "hint", Reason: "is missing"}
	}
	return nil
}

// AsCommand is the skill as a client sees it that does not know skills
// (ACP-A2): the same name and description, and no path.
func (c *Skill) AsCommand() *Command {
	return &Command{Name: c.Name, Description: c.Description, Meta: c.Meta}
}

// ReadAvailableCommand reads one entry of a list. An entry of a known type that
// lacks a name or a description, or has an empty one, is an error; a path or a
// _meta that is invalid is as if absent (ACP-A9).
func ReadAvailableCommand(tok []byte) (AvailableCommand, error) {
	tok = bytes.TrimSpace(tok)
	kind, err := object.Tag(tok, "type")
	if err != nil {
		return nil, err
	}
	switch kind {
	case "command":
		c := &Command{}
		if err := c.UnmarshalJSON(tok); err != nil {
			return nil, err
		}
		return c, checkNamed(c.Name, c.Description)
	case "skill":
		c := &Skill{}
		if err := c.UnmarshalJSON(tok); err != nil {
			return nil, err
		}
		return c, checkNamed(c.Name, c.Description)
	}
	name, _ := rawjson.GetString(tok, "name")
	return &UnknownCommand{Type: kind, Name: name, Raw: bytes.Clone(tok)}, nil
}

func checkNamed(name, description string) error {
	switch {
	case name == "":
		return &FieldError{Path: "name", Reason: "is empty"}
	case strings.TrimSpace(description) == "":
		return &FieldError{Path: "description", Reason: "is empty"}
	}
	return nil
}

// ReadCommands reads the array of a session's available commands. Entries that
// are malformed are left out, one error each, and cost no other entry (ACP-A9).
// err is set when the whole is no array.
func ReadCommands(tok []byte) (list []AvailableCommand, dropped []error, err error) {
	tok = bytes.TrimSpace(tok)
	if !rawjson.IsArray(tok) || !rawjson.Valid(tok) {
		return nil, nil, object.Expected("an array of available commands")
	}
	list = []AvailableCommand{}
	for i, e := range rawjson.Elements(tok) {
		c, err := ReadAvailableCommand(e.Value)
		if err != nil {
			dropped = append(dropped, object.AtIndex(i, err))
			continue
		}
		list = append(list, c)
	}
	return list, dropped, nil
}

// EncodeCommands writes a list as a JSON array.
func EncodeCommands(list []AvailableCommand) ([]byte, error) { return object.EncodeList(nil, list) }

// IsAbsolutePath reports whether a path is absolute on some platform. The
// peer's machine need not be of our kind.
func IsAbsolutePath(path string) bool {
	if strings.ContainsRune(path, 0) || path == "" {
		return false
	}
	if path[0] == '/' || strings.HasPrefix(path, `\\`) {
		return true
	}
	drive := path[0] | 0x20
	return len(path) >= 3 && drive >= 'a' && drive <= 'z' && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
