// SPDX-License-Identifier: Apache-2.0

package translate

import "github.com/skillgraft/skillgraft/internal/rawjson"

// upYes reports whether version 1 says yes at path. Its markers are booleans in
// one place and objects in another, and agents mix them up.
func upYes(obj []byte, path ...string) bool {
	v := rawjson.Get(obj, path...)
	return rawjson.IsObject(v) || string(v) == "true"
}

// upMarker is version 2's yes for a capability of version 1.
func upMarker(obj []byte, path ...string) []byte {
	v := rawjson.Get(obj, path...)
	switch {
	case rawjson.IsObject(v):
		return v
	case string(v) == "true":
		return []byte("{}")
	}
	return nil
}

// upWithoutNulls is the object without those of the members that are null.
func upWithoutNulls(obj []byte, names ...string) []byte {
	for _, name := range names {
		if string(rawjson.Get(obj, name)) == "null" {
			obj = rawjson.Delete(obj, name)
		}
	}
	return obj
}
