// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ClientSkill is the skill that a client under check is told to use.
const ClientSkill = "conform-skill"

// A scene is the agent that a client meets: what it advertises, and when it lists
// what. Lists are raw.
type scene struct {
	support string   // session.prompt.skill
	early   []string // lists before the setup response
	setup   string   // the list in it; empty means none
	late    []string // lists a while after it
	asks    bool     // for a permission, when there is a prompt
	odd     bool     // sends what the client cannot know

	// also is asked first about each message of the client; true means that it
	// has dealt with it. It may be nil.
	also func(w *Wire, f Frame) bool
}

const (
	supportInline = `{"inline":{}}`
	supportFirst  = `{}`
	supportNone   = `null`
)

// The lists of scenes.
const (
	otherEntry  = `{"type":"skill","name":"conform-other","description":"Another skill"}`
	goodEntry   = `{"type":"skill","name":"` + ClientSkill + `","description":"The skill to use","path":"/conform/SKILL.md"}`
	listGood    = `[` + otherEntry + `,` + goodEntry + `]`
	listOther   = `[` + otherEntry + `]`
	sceneID     = "conform-session"
	sceneAnswer = "Done."
)

// A stage is a client in a scene.
type stage struct {
	*Wire
	t    *T
	peer *ClientPeer
}

// play starts the client and lets it do what it was told to: until it has ended, or
// its prompt is worked off and nothing more comes. Then it is ended.
func (t *T) play(s scene) *stage {
	if t.opts.StartClient == nil {
		panic(&startFailure{errNoStarter})
	}
	peer, err := t.opts.StartClient(t.places.work)
	if err != nil {
		panic(&startFailure{err})
	}
	ended := false
	end := func() string { ended = true; return peer.End() }
	defer func() {
		if !ended {
			peer.End()
		}
	}()
	conn, err := peer.Accept(t.opts.Timeout)
	if err != nil {
		panic(&startFailure{&SetupError{err.Error()}})
	}
	st := &stage{t: t, peer: peer}
	st.Wire = t.open("client", &Peer{Stream: conn, End: func() string { return "" }}, nil, func(w *Wire, f Frame) { s.answer(t, w, f) })
	st.await(s)
	_ = st.out.Flush()
	st.Wire.close()
	end()
	return st
}

// await waits for the end of what the client has to do.
func (st *stage) await(s scene) {
	deadline := time.Now().Add(st.t.opts.Timeout)
	for time.Now().Before(deadline) {
		select {
		case <-st.peer.Done:
			return
		default:
		}
		if st.over() {
			return
		}
		if _, done := st.find(0, st.t.opts.Quiet, func(f Frame) bool { return f.Method == acp.MethodPrompt }); done {
			st.settle(deadline)
			return
		}
	}
}

// settle waits until the client is silent.
func (st *stage) settle(deadline time.Time) {
	for n := -1; n != st.mark() && time.Now().Before(deadline); {
		n = st.mark()
		select {
		case <-st.peer.Done:
			return
		case <-time.After(2 * st.t.opts.Quiet):
		}
	}
}

func listUpdate(list string) string {
	return update(`{"sessionUpdate":"available_commands_update","availableCommands":` + list + `}`)
}

func update(u string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + sceneID + `","update":` + u + `}}`
}

// answer is the agent. It runs on the goroutine that reads, so what it sends stands
// where it belongs.
func (s scene) answer(t *T, w *Wire, f Frame) {
	result := func(r string) { w.send(string(jsonrpc.EncodeResult(f.ID, []byte(r)))) }
	switch {
	case s.also != nil && s.also(w, f):
	case f.Kind == jsonrpc.Invalid:
		w.send(string(jsonrpc.EncodeError(f.ID, f.Problem)))
	case f.Kind == jsonrpc.Response && f.ID == permissionID:
		s.finish(w)
	case f.Kind != jsonrpc.Request:
	case f.Method == acp.MethodInitialize:
		result(`{"protocolVersion":2,"info":{"name":"conform-agent","version":"1"},"capabilities":{"session":{"prompt":{"skill":` + s.support + `}}}}`)
	case f.Method == acp.MethodNewSession:
		for _, l := range s.early {
			w.send(listUpdate(l))
		}
		list := ""
		if s.setup != "" {
			list = `,"availableCommands":` + s.setup
		}
		if s.odd {
			s.sendOdd(w)
		}
		result(`{"sessionId":"` + sceneID + `"` + list + `}`)
		if len(s.late) > 0 {
			t.pause()
		}
		for _, l := range s.late {
			w.send(listUpdate(l))
		}
	case f.Method == acp.MethodPrompt:
		s.prompt(w, f, result)
	case f.Method == acp.MethodCloseSession, strings.HasPrefix(f.Method, "auth/"):
		result(`{}`)
	case f.Method == acp.MethodListSessions:
		result(`{"sessions":[]}`)
	default:
		w.send(string(jsonrpc.EncodeError(f.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the checker has no such method"))))
	}
}

const (
	permissionID = jsonrpc.ID(`"conform-permission"`)
	oddID        = jsonrpc.ID(`"conform-odd"`)
)

// sendOdd sends what a client must live with: it is not there to be understood.
func (s scene) sendOdd(w *Wire) {
	w.send(`{"jsonrpc":"2.0","method":"_conform/unknown","params":{"a":1}}`)
	w.send(update(`{"sessionUpdate":"_conform_unknown","value":[1,2]}`))
	w.send(string(jsonrpc.EncodeRequest(oddID, "_conform/unknown", []byte(`{}`))))
}

// prompt lets a prompt in, whatever it has: what is wrong with it is judged later.
func (s scene) prompt(w *Wire, f Frame, result func(string)) {
	result(`{"messageId":"conform-u1"}`)
	content := rawjson.Get(f.Params(), "prompt")
	if !rawjson.IsArray(content) {
		content = []byte("[]")
	}
	w.send(update(`{"sessionUpdate":"user_message","messageId":"conform-u1","content":` + string(content) + `}`))
	w.send(update(`{"sessionUpdate":"state_update","state":"running"}`))
	if s.asks {
		w.send(string(jsonrpc.EncodeRequest(permissionID, acp.MethodRequestPermission, []byte(
			`{"sessionId":"`+sceneID+`","title":"May it go on?","subject":{"type":"command","command":"true","cwd":"/"},"options":[`+
				`{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`))))
		return
	}
	s.finish(w)
}

func (s scene) finish(w *Wire) {
	w.send(update(`{"sessionUpdate":"agent_message_chunk","messageId":"conform-a1","content":` + textBlock(sceneAnswer) + `}`))
	w.send(update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`))
}

// prompts are the prompts that the client sent.
func (st *stage) prompts() []Frame {
	var out []Frame
	for _, f := range st.since(0) {
		if !f.Sent && f.Kind == jsonrpc.Request && f.Method == acp.MethodPrompt {
			out = append(out, f)
		}
	}
	return out
}

// current is the list that counts at a place: the last one, wherever it came (ACP-U4).
func (st *stage) current(at int) (listing, bool) {
	var last listing
	have := false
	for _, f := range st.since(0)[:at] {
		if l, ok := listingOf(f, sceneID); ok && f.Sent {
			last, have = l, true
		}
	}
	return last, have
}

// resolve is ACP-P1 for a list, read as ACP-A9 says.
func (l listing) resolve(name string) acp.Resolution {
	for _, e := range l.entries {
		_, named := rawjson.GetString(e.raw, "name")
		_, described := rawjson.GetString(e.raw, "description")
		switch {
		case !named || !described || e.name() != name:
		case e.kind() == "skill":
			return acp.Resolution{State: acp.SkillInvocable}
		case e.kind() == "command":
			return acp.Resolution{State: acp.SkillIsCommand}
		}
	}
	return acp.Resolution{}
}

// judge is ACP-U1 for every prompt that the client sent.
func (st *stage) judge(s scene) {
	support := supportOf([]byte(`{"session":{"prompt":{"skill":` + s.support + `}}}`))
	for _, f := range st.prompts() {
		list, _ := st.current(f.n)
		_, err := acp.CheckPrompt(rawjson.Get(f.Params(), "prompt"), support, list.resolve)
		if err != nil {
			st.t.Failf([]Frame{list.frame, f}, "the client sends a prompt that the agent does not allow: %v", err)
		}
	}
}

// mustInvoke checks that the client found the skill, and sent what is allowed.
func (st *stage) mustInvoke(s scene, why string) {
	st.judge(s)
	for _, f := range st.prompts() {
		for _, b := range rawjson.Elements(rawjson.Get(f.Params(), "prompt")) {
			if kind, _ := rawjson.GetString(b.Value, "type"); kind == "skill" {
				if name, _ := rawjson.GetString(b.Value, "name"); name == ClientSkill {
					return
				}
			}
		}
	}
	list, _ := st.current(st.mark())
	st.t.Failf(append([]Frame{list.frame}, st.prompts()...), "the client does not invoke the skill %s, %s%s", ClientSkill, why, st.lastWords())
}

// lastWords is the end of what the client has shown.
func (st *stage) lastWords() string {
	lines := strings.Split(strings.TrimSpace(string(st.peer.Output())), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Sprintf(" (it last said: %.200s)", last)
	}
	return ""
}
