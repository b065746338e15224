// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"github.com/skillgraft/skillgraft/acp/internal/object"
)

// ForkSessionResponse answers [ForkSessionRequest] with the new session. It is
// unstable, as forking is.
type ForkSessionResponse = NewSessionResponse

// ReplaysFromStart reports whether the request asks for the whole history.
func (r *ResumeSessionRequest) ReplaysFromStart() bool {
	_, ok := r.ReplayFrom.(*ReplayFromStart)
	return ok
}

// check holds the value against the type that the request says it has.
func (x *SetConfigOptionRequest) check() error {
	var err error
	switch x.Type {
	case ValueID:
		_, err = object.String(x.Value)
	case ValueBoolean:
		_, err = object.Bool(x.Value)
	}
	return object.At("value", err)
}
