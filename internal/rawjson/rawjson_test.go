// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// jsontextAccepts is the judgement of the library, in the mode in which text
// that is not UTF-8 and names that come twice are none of its business.
func jsontextAccepts(b []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadValue(); err != nil {
		return false
	}
	_, err := d.ReadToken()
	return err != nil && err.Error() == "EOF"
}

func FuzzValidAgreesWithJsontext(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `{"a":[1,2.5e-3,true]}`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", `[1,]`, `{"a":}`, `01`, `-`, `1.`, `1e`, `"a`, "\"\x01\"",
		`"12345678\n90123456\"7890"`, " {\"k\" : [ { } , \"\\u12x4\" ] }\r\n", `tru`, `{"a":1 "b":2}`, `nul`, `"\x"`, `1e400`, `12345678901234567890`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := Valid(b), jsontextAccepts(b); got != want {
			t.Fatalf("Valid(%q) = %v, jsontext says %v", b, got, want)
		}
	})
}

func FuzzTextAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`"plain"`, `"a\nb\/\\\"\b\f\r\t"`, `"\u0041\ud83d\ude00\ud83d\ud800x"`, `"\u2028"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want string
		if len(b) == 0 || b[0] != '"' || b[len(b)-1] != '"' || json.Unmarshal(b, &want) != nil {
			return
		}
		if got := string(bytes.ToValidUTF8(Text(b), []byte("\ufffd"))); got != string(bytes.ToValidUTF8([]byte(want), []byte("\ufffd"))) && bytes.Equal(bytes.ToValidUTF8(b, nil), b) {
			t.Fatalf("Text(%q) = %q, want %q", b, got, want)
		}
		if again, ok := String(Quote(want)); !ok || again != want {
			t.Fatalf("Quote(%q) reads back as %q", want, again)
		}
	})
}

func TestDepthIsBounded(t *testing.T) {
	at := func(n int) []byte {
		return append(bytes.Repeat([]byte("["), n), bytes.Repeat([]byte("]"), n)...)
	}
	if !Valid(at(MaxDepth)) {
		t.Errorf("%d arrays inside one another are refused", MaxDepth)
	}
	if Valid(at(MaxDepth + 1)) {
		t.Errorf("%d arrays inside one another are accepted", MaxDepth+1)
	}
}

func TestSetKeepsEverythingElse(t *testing.T) {
	tests := []struct {
		name, obj, want string
		path            []string
	}{
		{"replaced in place", `{ "a":1e400, "b" : {"c":2} , "d":3 }`, `{ "a":1e400, "b" : {"c":true} , "d":3 }`, []string{"b", "c"}},
		{"added", `{"a":1}`, `{"a":1,"b":{"c":true}}`, []string{"b", "c"}},
		{"added to an empty one", `{ }`, `{ "b":true}`, []string{"b"}},
		{"null on the way", `{"b":null}`, `{"b":{"c":true}}`, []string{"b", "c"}},
		{"escaped name", `{"\u0062":1}`, `{"\u0062":true}`, []string{"b"}},
		{"no object", `null`, `{"b":true}`, []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Set([]byte(tt.obj), []byte("true"), tt.path...)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	for _, tt := range []struct{ obj, want string }{
		{`{"a":1,"x":2,"b":3}`, `{"a":1,"b":3}`},
		{`{"x":2, "b":3}`, `{"b":3}`},
		{`{"a":1, "x":2}`, `{"a":1}`},
		{`{"x":2}`, `{}`},
		{`{"a":1}`, `{"a":1}`},
	} {
		if got := string(Delete([]byte(tt.obj), "x")); got != tt.want {
			t.Errorf("Delete(%s) = %s, want %s", tt.obj, got, tt.want)
		}
	}
}

func TestSetThenGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.Int()).Draw(t, "object")
		obj, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		key := rapid.String().Draw(t, "key")
		out := Set(obj, []byte("[1]"), key)
		if !Valid(out) || string(Get(out, key)) != "[1]" {
			t.Fatalf("Set(%s, %q) = %s", obj, key, out)
		}
		var back map[string]json.RawMessage
		if err := json.Unmarshal(Delete(out, key), &back); err != nil {
			t.Fatal(err)
		}
		delete(m, key)
		if len(back) != len(m) {
			t.Fatalf("Delete left %v of %v", back, m)
		}
	})
}

func TestElementsAndMembers(t *testing.T) {
	arr := []byte(` [1, "two" ,{"a":[]},null]`)[1:]
	var got []string
	for i, e := range Elements(arr) {
		if string(arr[e.At:e.At+len(e.Value)]) != string(e.Value) || i != len(got) {
			t.Errorf("element %d is misplaced", i)
		}
		got = append(got, string(e.Value))
		if i == 2 {
			break
		}
	}
	if len(got) != 3 || got[2] != `{"a":[]}` {
		t.Errorf("got %q", got)
	}
	if name, dup := HasDuplicate([]byte(`{"a":1,"\u0061":2}`)); !dup || name != "a" {
		t.Errorf("duplicate not found: %q %v", name, dup)
	}
	if _, dup := HasDuplicate([]byte(`{"a":{"a":1}}`)); dup {
		t.Error("names of two objects are held to be one")
	}
}
