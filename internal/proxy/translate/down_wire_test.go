// SPDX-License-Identifier: Apache-2.0

package translate_test

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/proxy/translate"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The flag is shared by the tests of this package, whichever file has it.
func init() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write what was received into the scripts under testdata")
	}
}

// TestDownWire plays the scripts testdata/down-*.txtar. A script is a txtar
// archive of prose and a file "script":
//
//	client> LINE   the client sends the line
//	agent> LINE    the agent sends the line
//	client< LINE   the client then gets exactly this line
//	agent< LINE    the agent then gets exactly this line
//	active, transparent, undecided   the state of the Down
//
// Both sides' lines stand in the order in which they were queued. OWN1 and so on
// are ids that the Down has made up. Whatever the client gets has to fit version
// 1's schema, and whatever the agent gets version 2's; a "!" in front of ">" says
// that the line is malformed on purpose and passes through unchecked.
func TestDownWire(t *testing.T) {
	defer goleak.VerifyNone(t)
	files, err := filepath.Glob("testdata/down-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "down-"), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ar.Files {
				if ar.Files[i].Name == "script" {
					ar.Files[i].Data = []byte(newDownPlayer(t).play(string(ar.Files[i].Data)))
				}
			}
			if flag.Lookup("update").Value.String() == "true" && !t.Failed() {
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type downPlayer struct {
	t     testing.TB
	down  *translate.Down
	got   []string // lines of the script that were received
	check downChecker
	own   map[string]string
}

func newDownPlayer(t testing.TB) *downPlayer {
	p := &downPlayer{t: t, own: map[string]string{}, check: newDownChecker()}
	take := func(side string) func(jsonrpc.Message) {
		return func(m jsonrpc.Message) {
			line := string(m.Raw)
			p.got = append(p.got, side+"< "+p.shown(line))
			if err := p.check.produced(side, []byte(line)); err != nil {
				p.t.Errorf("the %s gets %s: %v", side, line, err)
			}
		}
	}
	p.down = translate.NewDown(&translate.DownOptions{
		ToClient: take("client"), ToAgent: take("agent"),
		Log: slog.New(slog.NewTextHandler(downTestLog{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return p
}

type downTestLog struct{ t testing.TB }

func (l downTestLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", bytes.TrimSpace(b))
	return len(b), nil
}

var downOwn = regexp.MustCompile(`skillgraft-[A-Z2-7]{26}`)

func (p *downPlayer) shown(line string) string {
	return downOwn.ReplaceAllStringFunc(line, func(id string) string {
		if p.own[id] == "" {
			p.own[id] = fmt.Sprintf("OWN%d", len(p.own)+1)
		}
		return p.own[id]
	})
}

func (p *downPlayer) play(script string) string {
	update := flag.Lookup("update").Value.String() == "true"
	var out, want []string
	where := "the start"
	settle := func() {
		if !update {
			if a, b := strings.Join(p.got, "\n"), strings.Join(want, "\n"); a != b {
				p.t.Fatalf("after %s\ncame\n%s\nwant\n%s", where, a, b)
			}
		}
		out = append(out, p.got...)
		p.got, want = nil, nil
	}
	for n, line := range strings.Split(script, "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "client<" || verb == "agent<" {
			want = append(want, line)
			continue
		}
		settle()
		out = append(out, line)
		where = fmt.Sprintf("script line %d: %s", n+1, line)
		for id, name := range p.own {
			rest = strings.ReplaceAll(rest, name, id)
		}
		switch verb {
		case "client>", "client!>":
			p.check.loose = verb == "client!>"
			p.check.sent("client", []byte(rest))
			p.down.FromClient(jsonrpc.Scan([]byte(rest)))
		case "agent>", "agent!>":
			p.check.loose = verb == "agent!>"
			p.check.sent("agent", []byte(rest))
			p.down.FromAgent(jsonrpc.Scan([]byte(rest)))
		case "active", "transparent", "undecided":
			if p.down.Active() != (verb == "active") {
				p.t.Fatalf("%s: Active is %v", where, p.down.Active())
			}
			p.check.active = verb == "active"
		case "", "#":
		default:
			p.t.Fatalf("%s: unknown directive", where)
		}
	}
	settle()
	return strings.Join(out, "\n")
}

// downChecker holds what the Down produces against the schemas, which are
// stricter than the types: lists of values are closed in version 1.
type downChecker struct {
	schemas map[string]*downSchema
	methods map[string]string // of requests that were sent or produced, by who asks and id
	active  bool
	loose   bool
}

func newDownChecker() downChecker {
	return downChecker{schemas: downSchemas(), methods: map[string]string{}}
}

func (c *downChecker) sent(side string, line []byte) {
	if m := jsonrpc.Scan(line); m.Kind == jsonrpc.Request {
		c.methods["sent "+side+string(m.ID.Plain())] = m.Method
	}
}

// produced checks a line that a side gets.
func (c *downChecker) produced(side string, line []byte) error {
	m := jsonrpc.Scan(line)
	if m.Kind == jsonrpc.Invalid {
		return fmt.Errorf("no message: %s", m.Problem.Message)
	}
	if bytes.ContainsAny(line, "\n\r") {
		return fmt.Errorf("more than one line")
	}
	if !c.active || c.loose {
		return nil
	}
	schema, suffix, value, method := c.schemas["v1"], "Request", m.Params(), m.Method
	if side == "agent" {
		schema = c.schemas["v2"]
	}
	switch {
	case m.Kind == jsonrpc.Notification:
		suffix = "Notification"
	case m.Kind == jsonrpc.Response:
		if m.ErrorValue() != nil {
			return nil
		}
		suffix, value, method = "Response", m.Result(), c.methods["sent "+side+string(m.ID.Plain())]
	}
	if value == nil {
		value = []byte("{}")
	}
	if err := schema.validate(method, suffix, value); err != nil {
		return err
	}
	if m.Method == "session/update" {
		_, err := v1.ReadSessionUpdate(rawjson.Get(value, "update"))
		return err
	}
	if m.Method == "session/request_permission" {
		return new(v1.RequestPermissionRequest).UnmarshalJSON(value)
	}
	if m.Method == "session/set_config_option" {
		return new(acp.SetConfigOptionRequest).UnmarshalJSON(value)
	}
	return nil
}

type downSchema struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	file     string
	names    map[string]string // by method and suffix
	compiled map[string]*jsonschema.Schema
}

var downSchemas = sync.OnceValue(func() map[string]*downSchema {
	out := map[string]*downSchema{}
	for _, version := range []string{"v1", "v2"} {
		file := "../../schemagen/schema/" + version + ".json"
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			panic(err)
		}
		s := &downSchema{compiler: jsonschema.NewCompiler(), file: version + ".json", names: map[string]string{}, compiled: map[string]*jsonschema.Schema{}}
		if err := s.compiler.AddResource(s.file, doc); err != nil {
			panic(err)
		}
		for def := range rawjson.Members(rawjson.Get(data, "$defs")) {
			method, ok := rawjson.GetString(def.Value, "x-method")
			for _, suffix := range []string{"Request", "Notification", "Response"} {
				if ok && strings.HasSuffix(string(def.Key), suffix) {
					s.names[method+" "+suffix] = string(def.Key)
				}
			}
		}
		out[version] = s
	}
	return out
})

// validate checks the parameters or the result of a method. What the version does
// not know has no shape.
func (s *downSchema) validate(method, suffix string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.names[method+" "+suffix]
	if name == "" {
		if strings.HasPrefix(method, "_") || method == "session/set_model" {
			return nil
		}
		return fmt.Errorf("%s has no %s %q", s.file, strings.ToLower(suffix), method)
	}
	schema := s.compiled[name]
	if schema == nil {
		var err error
		if schema, err = s.compiler.Compile(s.file + "#/$defs/" + name); err != nil {
			return err
		}
		s.compiled[name] = schema
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
