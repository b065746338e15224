// SPDX-License-Identifier: Apache-2.0

package typetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A recorded message of a real agent or its client. testdata/recorded has one of
// each shape that was seen, with names and paths taken out.
type recorded struct {
	From   string          `json:"from"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func readRecorded(t testing.TB) map[string][]recorded {
	t.Helper()
	files, err := filepath.Glob("testdata/recorded/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	out := map[string][]recorded{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var r recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out[file] = append(out[file], r)
		}
	}
	return out
}

// payloads are the types of methods' parameters and results, by their
// definitions.
type payloads struct {
	params, results map[string]Value
	failure         Value
}

func readPayloads(t testing.TB, suite Suite) payloads {
	p := payloads{map[string]Value{}, map[string]Value{}, suite.Types()["Error"]}
	types := suite.Types()
	for name, def := range readSamples(t, suite.Schema...).defs {
		method, _ := def.(map[string]any)["x-method"].(string)
		switch v := types[name]; {
		case method == "" || v == nil:
		case strings.HasSuffix(name, "Response"):
			p.results[method] = v
		default:
			p.params[method] = v
		}
	}
	return p
}

// fresh is another value of the same type.
func fresh(v Value) Value { return reflect.New(reflect.TypeOf(v).Elem()).Interface().(Value) }

// find is the value that a recorded message is read into, and its text; nil for
// what is not the protocol's.
func (p payloads) find(r recorded) (Value, []byte) {
	switch {
	case r.Params != nil && p.params[r.Method] != nil:
		return fresh(p.params[r.Method]), r.Params
	case r.Result != nil && p.results[r.Method] != nil:
		return fresh(p.results[r.Method]), r.Result
	case r.Error != nil:
		return fresh(p.failure), r.Error
	}
	return nil, nil
}

// Recorded checks that what real agents and their clients sent is read and written again,
// and nothing is lost.
func (suite Suite) Recorded(t *testing.T) {
	p := readPayloads(t, suite)
	for file, messages := range readRecorded(t) {
		known := 0
		for _, r := range messages {
			v, in := p.find(r)
			if v == nil {
				if r.Method == "x/unknown" {
					continue // sent to see what the agent says
				}
				if !strings.HasPrefix(r.Method, "_") && !strings.HasPrefix(r.Method, "$/") {
					t.Errorf("%s: %s is not known", file, r.Method)
				}
				continue
			}
			known++
			if err := v.UnmarshalJSON(in); err != nil {
				if r.From == "client" {
					continue // the recording client also sent what it must not
				}
				t.Errorf("%s: %s: %v: %s", file, r.Method, err, in)
				continue
			}
			out, err := v.MarshalJSON()
			if err != nil {
				t.Errorf("%s: %s: %v", file, r.Method, err)
				continue
			}
			if a, b := canonical(t, in), canonical(t, out); a != b {
				t.Errorf("%s: %s\nread  %s\nwrote %s", file, r.Method, a, b)
			}
		}
		if known < suite.Messages {
			t.Errorf("%s: only %d messages", file, known)
		}
	}
}

// Fuzz checks that a mutated message that can be read is written as it was, save for what the
// schema forgives: nothing is made up, and what is written is read as the same.
func (suite Suite) Fuzz(f *testing.F) {
	p := readPayloads(f, suite)
	for _, messages := range readRecorded(f) {
		for _, r := range messages {
			if v, in := p.find(r); v != nil {
				f.Add(r.Method, r.Params == nil, []byte(in))
			}
		}
	}
	f.Fuzz(func(t *testing.T, method string, result bool, in []byte) {
		v := p.params[method]
		if result {
			v = p.results[method]
		}
		if v == nil {
			return
		}
		v = fresh(v)
		if v.UnmarshalJSON(in) != nil {
			return
		}
		out, err := v.MarshalJSON()
		if err != nil {
			t.Fatalf("%s: %q was read and cannot be written: %v", method, in, err)
		}
		again := fresh(v)
		if err := again.UnmarshalJSON(out); err != nil {
			t.Fatalf("%s: %q became %q: %v", method, in, out, err)
		}
		twice, err := again.MarshalJSON()
		if err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("%s: %q, then %q, %v", method, out, twice, err)
		}
		if bytes.Equal(bytes.ToValidUTF8(in, nil), in) && json.Valid(in) && !bytes.Contains(in, []byte(`\u`)) {
			if why := madeUp(parse(t, in), parse(t, out)); why != "" {
				t.Fatalf("%s: %q became %q: %s", method, in, out, why)
			}
		}
	})
}

func parse(t *testing.T, text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// madeUp says what stands in out and not in in. Capabilities that were not there
// are written as empty, which says the same.
func madeUp(in, out any) string {
	switch out := out.(type) {
	case map[string]any:
		in, ok := in.(map[string]any)
		if !ok {
			return "an object"
		}
		for k, v := range out {
			old, there := in[k]
			if m, ok := v.(map[string]any); ok && k == "capabilities" && len(m) == 0 {
				continue
			}
			if l, ok := v.([]any); ok && len(l) == 0 && there {
				continue // a required list that was wrong is empty
			}
			if !there {
				return "a member " + k
			}
			if why := madeUp(old, v); why != "" {
				return k + ": " + why
			}
		}
	case []any:
		in, ok := in.([]any)
		if !ok || len(out) > len(in) {
			return "a list"
		}
		at := 0
		for _, v := range out {
			for at < len(in) && madeUp(in[at], v) != "" {
				at++ // it was malformed and left out
			}
			if at == len(in) {
				return "an element"
			}
			at++
		}
	case json.Number:
		n, ok := in.(json.Number)
		if !ok {
			return "a number"
		}
		if a, errA := n.Float64(); errA == nil {
			if b, errB := out.Float64(); errB != nil || a != b {
				return "the number " + out.String()
			}
		}
	default:
		if in != out {
			return "another value"
		}
	}
	return ""
}
