// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func TestScanKinds(t *testing.T) {
	tests := []struct {
		line    string
		kind    Kind
		id      ID
		method  string
		session string
		variant string
		code    int
	}{
		{`{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/"}}`, Request, "0", "session/new", "", "", 0},
		{`{"jsonrpc":"2.0","id":"7","method":"x","params":{"sessionId":"s"}}`, Request, `"7"`, "x", "s", "", 0},
		{` { "method" : "session/update" , "params" : { "update" : { "x":1, "sessionUpdate":"notice" } , "sessionId" : "s\u0031" } , "jsonrpc" : "2.0" } `, Notification, "", "session/update", "s1", "notice", 0},
		{`{"jsonrpc":"2.0","\u006dethod":"x"}`, Notification, "", "x", "", "", 0},
		{`{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s"}}`, Response, "7", "", "s", "", 0},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, Response, "null", "", "", "", 0},
		{`{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}`, Request, "12345678901234567890", "x", "", "", 0},
		{`{"jsonrpc":"2.0","method":"x","params":[{"sessionId":"no"}]}`, Notification, "", "x", "", "", 0},
		{`{"jsonrpc":"2.0","method":"x","params":{"sessionId":7,"update":[]}}`, Notification, "", "x", "", "", 0},

		{`{"jsonrpc":"2.0","id":1.5,"method":"x"}`, Invalid, "", "x", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1e2,"method":"x"}`, Invalid, "", "x", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":null,"method":"x"}`, Invalid, "", "x", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, Invalid, "", "", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":{},"method":"x"}`, Invalid, "", "x", "", "", CodeInvalidRequest},
		{`{"level":"info","id":1}`, Invalid, "1", "", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"1.0","id":1,"method":"x"}`, Invalid, "1", "x", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, Invalid, "1", "", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"x","result":1}`, Invalid, "1", "x", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, Invalid, "1", "", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1}`, Invalid, "1", "", "", "", CodeInvalidRequest},
		{`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, Invalid, "", "", "", "", CodeInvalidRequest},
		{`"ready"`, Invalid, "", "", "", "", CodeInvalidRequest},
		{`Loading...`, Invalid, "", "", "", "", CodeParse},
		{`{"jsonrpc":"2.0","id":1,"method":"x"`, Invalid, "", "x", "", "", CodeParse},
		{`{"jsonrpc":"2.0","id":1,"method":"x"} x`, Invalid, "", "x", "", "", CodeParse},

		// A name that stands twice is read one way by us and another by them.
		{`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, Invalid, "1", "b", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"}`, Invalid, "1", "b", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, Invalid, "", "a", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":2}`, Invalid, "1", "a", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"sessionId":"s","session\u0049d":"t"}}`, Invalid, "1", "a", "t", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"a","params":{"update":{},"update":{}}}`, Invalid, "", "a", "", "", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"a","params":{"update":{"sessionUpdate":"a","sessionUpdate":"b"}}}`, Invalid, "", "a", "", "b", CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"`, Invalid, "", "b", "", "", CodeParse},
	}
	for _, tt := range tests {
		m := Scan([]byte(tt.line))
		if m.Kind != tt.kind || m.ID != tt.id || m.Method != tt.method || m.SessionID != tt.session || m.Variant != tt.variant {
			t.Errorf("%s\n got %v id=%s method=%q session=%q variant=%q", tt.line, m.Kind, m.ID, m.Method, m.SessionID, m.Variant)
		}
		switch {
		case tt.code == 0 && m.Problem != nil, tt.code != 0 && (m.Problem == nil || m.Problem.Code != tt.code):
			t.Errorf("%s\n problem: %v, want code %d", tt.line, m.Problem, tt.code)
		}
	}
}

func TestPayloadSpans(t *testing.T) {
	m := Scan([]byte(`{"params": {"n":1e400} ,"jsonrpc":"2.0","method":"x","id":3}`))
	if got := string(m.Params()); got != `{"n":1e400}` {
		t.Errorf("params: %s", got)
	}
	if m.Result() != nil || m.ErrorValue() != nil {
		t.Error("there is neither a result nor an error")
	}
	n := m.WithParams([]byte(`[]`))
	if got := string(n.Raw); got != `{"params": [] ,"jsonrpc":"2.0","method":"x","id":3}` {
		t.Errorf("WithParams: %s", got)
	}
	r := Scan([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`))
	if got := string(r.ErrorValue()); got != `{"code":1,"message":"m"}` {
		t.Errorf("error: %s", got)
	}
}

func TestEncodedMessagesScan(t *testing.T) {
	for _, tt := range []struct {
		line []byte
		kind Kind
	}{
		{EncodeRequest(`"a\"b"`, "x\n", []byte(`{}`)), Request},
		{EncodeRequest(`1`, "x", nil), Request},
		{EncodeNotification("x", nil), Notification},
		{EncodeResult("1", nil), Response},
		{EncodeError("", Errorf(CodeParse, "bad \"%s\"", "x")), Response},
		{EncodeError("1", &Error{Code: 1, Message: "m", Data: []byte(`[1]`)}), Response},
	} {
		if m := Scan(tt.line); m.Kind != tt.kind {
			t.Errorf("%s is %v: %v", tt.line, m.Kind, m.Problem)
		}
	}
}

// FuzzScanAgreesWithJsontext: a line is a message only if the library reads the
// same envelope from it.
func FuzzScanAgreesWithJsontext(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}`,
		`{"jsonrpc":"2.0","id":"\u0031","result":{"sessionId":"s"}}`, `{"jsonrpc":"2.0","method":"a","\u006dethod":"b"}`,
		`{"params":{},"jsonrpc":"2.0","method":"a","id":-5}`, `[{}]`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := Scan(line)
		env, valid := envelopeByJsontext(line)
		if !valid && (m.Kind != Invalid || m.Problem.Code != CodeParse) {
			t.Fatalf("%q is no JSON, and scanned as %v %v", line, m.Kind, m.Problem)
		}
		if valid && m.Kind == Invalid && m.Problem.Code == CodeParse {
			t.Fatalf("%q is JSON, and refused: %v", line, m.Problem)
		}
		if m.Kind == Invalid {
			return
		}
		if len(env["method"]) > 1 || len(env["id"]) > 1 || len(env["params"]) > 1 {
			t.Fatalf("%q has a name twice, and scanned as %v", line, m.Kind)
		}
		// Bytes that are not UTF-8 stay as they are here, and become U+FFFD in
		// most readers: neither is the name of a method that anybody acts on.
		if utf8.ValidString(m.Method) && m.Method != "" && m.Method != text(env["method"][0]) && !strings.Contains(m.Method, "\ufffd") {
			t.Fatalf("%q: method %q", line, m.Method)
		}
		if m.ID != "" && string(m.ID) != string(env["id"][0]) {
			t.Fatalf("%q: id %s", line, m.ID)
		}
	})
}

// FuzzScanDependsOnTheLineAlone: what a scanner keeps of earlier lines saves time
// and changes nothing.
func FuzzScanDependsOnTheLineAlone(f *testing.F) {
	update := func(rest string) []byte {
		return []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + rest)
	}
	one, two := update(`{"type":"text","text":"a"}}}}`), update(`{"type":"text","text":"b c"}}}}`)
	for _, b := range [][]byte{
		one, update(`{"type":"text","text":""}}}}`), update(`{"type":"text","text":"\n"}}}}`), update(`{"type":"text","text":"a\"}}}}`), update(`{"type":"text","text":"a\\"}}}}`),
		update(`{"type":"text","text":"a","b":"c"}}}}`), update("{\"type\":\"text\",\"text\":\"\x01\"}}}}"), update(`{"type":"text","a":"a"}}}}`),
		update(`{"type":"text"},"sessionUpdate":"x"}}}`), update(`{},"a":{}},"sessionId":"t"}}`), update(`{}},"x":1},"method":"y"}`), update(`{}}}`), update(`7}},"id":1}`), update(`{}}} x`),
		[]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}}}`),
		[]byte(`{"jsonrpc":"2.0","result":{"update":{"sessionUpdate":"z","content":{}}},"id":1}`),
	} {
		f.Add(one, two, b)
		f.Add(one, b, two)
		f.Add(b, b, one)
	}
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var s scanner
		var got Message
		for _, line := range [][]byte{a, b, c, c, b, a} {
			s.scan(&got, line)
			if want := Scan(line); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q, then %q, then %q\n%q is %+v\nand alone %+v", a, b, c, line, got, want)
			}
		}
	})
}

// A stream of chunks is what the scanner is quick at; this holds that it is.
func TestStreamedTextIsAlike(t *testing.T) {
	var s scanner
	var m Message
	for i, text := range []string{"a", "b", "", `c \u00e9\\`, "d"} {
		s.scan(&m, []byte(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+text+`"},"messageId":"m"}},"jsonrpc":"2.0"}`))
		if i > 0 && !bytes.HasSuffix(s.alike.head, []byte(`"text":"`)) {
			t.Errorf("after line %d what is alike is %q and %q", i, s.alike.head, s.alike.tail)
		}
		if want := `"text":"` + text + `"},"messageId":"m"}}`; !bytes.HasSuffix(m.Params(), []byte(want)) {
			t.Errorf("the params are %s", m.Params())
		}
	}
}

func envelopeByJsontext(line []byte) (map[string][]jsontext.Value, bool) {
	opts := []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
	d := jsontext.NewDecoder(bytes.NewReader(line), opts...)
	v, err := d.ReadValue()
	if err != nil {
		return nil, false
	}
	v = v.Clone()
	if _, err := d.ReadToken(); err == nil || err.Error() != "EOF" {
		return nil, false
	}
	env := make(map[string][]jsontext.Value)
	if v.Kind() != '{' {
		return env, true
	}
	d = jsontext.NewDecoder(bytes.NewReader(v), opts...)
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		val, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		env[key] = append(env[key], val.Clone())
	}
	return env, true
}

func text(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil && len(b) == 0 {
		return ""
	}
	return string(b)
}

// BenchmarkScanUpdate/alike is a stream of chunks, /walk a line that is like no
// other.
func BenchmarkScanUpdate(b *testing.B) {
	line := func(text string) []byte {
		return []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_abc123def456","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_agent_c42b9","content":{"type":"text","text":"` + text + `"}}}}`)
	}
	lines := [][]byte{line("Let me look."), line(" There")}
	run := func(b *testing.B, scan func(m *Message, line []byte)) {
		b.SetBytes(int64(len(lines[0])))
		b.ReportAllocs()
		var m Message
		for i := 0; b.Loop(); i++ {
			if scan(&m, lines[i%2]); m.Kind != Notification {
				b.Fatal(m.Problem)
			}
		}
	}
	b.Run("alike", func(b *testing.B) { run(b, new(scanner).scan) })
	b.Run("walk", func(b *testing.B) {
		var s scanner
		run(b, func(m *Message, line []byte) {
			s.alike.head = nil
			s.last = s.last[:0]
			s.scan(m, line)
		})
	})
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		answer, request ID
		want            bool
	}{
		{"7", "7", true}, {"7", `"7"`, false}, {"7", "8", false}, {"-0", "0", true}, {`"\u0061"`, `"a"`, true},
		{"9007199254740992", "9007199254740993", true}, {"9007199254740993", "9007199254740995", false},
		{`"9007199254740992"`, `"9007199254740993"`, false}, {"12345678901234567000", "12345678901234567890", true},
	} {
		if got := tt.answer.Answers(tt.request); got != tt.want {
			t.Errorf("%s answers %s: %v", tt.answer, tt.request, got)
		}
		want := tt.answer.Plain()
		if tt.want {
			want = tt.request
		}
		if got := AnswerKey(map[ID]int{tt.request: 1}, tt.answer); got != want {
			t.Errorf("%s is an answer under %s, not %s", tt.answer, got, want)
		}
	}
}
