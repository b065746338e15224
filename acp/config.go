// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// SelectValues are what a [SelectOption] has to choose from: values, or groups
// of them when Groups is set.
type SelectValues struct {
	Values []SelectValue
	Groups []SelectGroup
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (x *SelectValues) UnmarshalJSON(data []byte) error {
	data = object.Trim(data)
	*x = SelectValues{}
	grouped := false
	for _, e := range rawjson.Elements(data) {
		grouped = rawjson.Get(e.Value, "groupId") != nil
		break
	}
	var err error
	if grouped {
		x.Groups, err = object.ReadList(data, object.Struct[SelectGroup], false)
	} else {
		x.Values, err = object.ReadList(data, object.Struct[SelectValue], false)
	}
	return err
}

// MarshalJSON implements [encoding/json.Marshaler].
func (x SelectValues) MarshalJSON() ([]byte, error) {
	if x.Groups != nil {
		return object.EncodeList(nil, x.Groups)
	}
	return object.EncodeList(nil, x.Values)
}
