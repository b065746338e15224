// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bytes"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The client: CORE, ACP-C1 and ACP-U. All run the client with the same command; the
// first one says whether it does what it has to.
func clientChecks() []Check {
	uses := func(id, rule, title, why string, s scene) Check {
		return Check{ID: id, Rule: rule, Title: title, run: func(t *T) { t.play(s).mustInvoke(s, why) }}
	}
	never := func(id, rule, title string, s scene) Check {
		return Check{ID: id, Rule: rule, Title: title, run: func(t *T) { t.play(s).judge(s) }}
	}
	good := scene{support: supportInline, setup: listGood}
	return []Check{
		uses("U1/block", "ACP-U1", "invokes a skill by a block that names it", "which the setup response lists", good),
		{ID: "client/first", Rule: "CORE-INIT", Title: "begins with initialize, for version 2 or higher", run: clientFirst},
		{ID: "client/clean", Rule: "CORE-WIRE", Title: "writes nothing but messages, with an id of its own for each request", run: clientClean},
		{ID: "client/order", Rule: "CORE-SES", Title: "sends prompts to a session that was opened", run: clientOrder},
		{ID: "client/unknown", Rule: "CORE-ERR", Title: "answers unknown methods with -32601, and lives with unknown updates", run: clientUnknown},
		{ID: "client/permission", Rule: "CORE-PRO", Title: "answers a question for a permission with one of its options, or cancelled", run: clientPermission},
		{ID: "C1/advertised", Rule: "ACP-C1", Title: "advertises session.commands.skill as an object, if it sends skill blocks", run: clientCapability},
		uses("U1/first", "ACP-U1", "puts a skill in front when the agent takes it there only", "which an agent without inline lists", scene{support: supportFirst, setup: listGood}),
		never("U1/unadvertised", "ACP-U1", "sends no block to an agent that lists skills and does not take them", scene{support: supportNone, setup: listGood}),
		never("U1/not-object", "ACP-U1", "takes true for no capability", scene{support: `true`, setup: listGood}),
		never("U1/command", "ACP-U1", "sends no block for a command", scene{support: supportInline, setup: `[` + otherEntry + `,{"type":"command","name":"` + ClientSkill + `","description":"A command"}]`}),
		never("U2/unknown", "ACP-U2", "does not take an entry of unknown type for a skill", scene{support: supportInline, setup: `[` + otherEntry + `,{"type":"_conform","name":"` + ClientSkill + `","description":"Something else"}]`}),
		never("U1/gone", "ACP-U1", "sends no block for a skill that left the list", scene{support: supportInline, early: []string{listGood, listOther}}),
		uses("U4/early", "ACP-U4", "takes a list that comes before the setup response", "which a list before the setup response has", scene{support: supportInline, early: []string{listGood}}),
		uses("U4/late", "ACP-U4", "takes a list that comes after the setup response", "which a list after the setup response has", scene{support: supportInline, late: []string{listGood}}),
		uses("U4/again", "ACP-U4", "takes the last list when several come", "which the last of several lists has", scene{support: supportInline, early: []string{listOther, listGood}}),
		uses("U4/response", "ACP-U4", "takes the setup response's list for newer than one before it", "which the setup response lists, and a list before it does not", scene{support: supportInline, early: []string{listOther}, setup: listGood}),
		uses("A9/neighbours", "ACP-A9", "drops malformed entries of a list, and keeps the good ones", "which stands among malformed entries", scene{support: supportInline, setup: listMalformed}),
		uses("A9/path", "ACP-A9", "keeps an entry whose path is no string", "whose entry has a path that is no string", scene{support: supportInline, setup: `[` + strings.Replace(goodEntry, `"/conform/SKILL.md"`, `7`, 1) + `]`}),
		never("A9/no-description", "ACP-A9", "drops an entry without a description", scene{support: supportInline, setup: `[` + otherEntry + `,{"type":"skill","name":"` + ClientSkill + `"}]`}),
		{ID: "U3/escape", Rule: "ACP-U3", Title: "shows names and descriptions without control characters", run: clientEscapes},
	}
}

const listMalformed = `[7,null,{},{"type":"skill"},{"type":"skill","name":9,"description":"d"},{"type":"skill","description":"d"},{"type":7,"name":"x","description":"d"},` + goodEntry + `]`

func clientFirst(t *T) {
	st := t.play(scene{support: supportInline, setup: listGood})
	frames := st.since(0)
	if len(frames) == 0 {
		t.Failf(nil, "the client says nothing")
	}
	f := frames[0]
	version := string(rawjson.Get(f.Params(), "protocolVersion"))
	switch {
	case f.Method != acp.MethodInitialize || f.Kind != jsonrpc.Request:
		t.Failf([]Frame{f}, "the client does not begin with initialize")
	case version == "1":
		t.Failf([]Frame{f}, "the client asks for version 1, and skills exist in version 2 only (ACP-C4)")
	case len(version) == 0 || strings.Trim(version, "0123456789") != "" || version == "0":
		t.Failf([]Frame{f}, "protocolVersion is no version")
	}
}

func clientClean(t *T) {
	st := t.play(scene{support: supportInline, setup: listGood, odd: true})
	seen := map[jsonrpc.ID]Frame{}
	asked := map[jsonrpc.ID]bool{}
	for _, f := range st.since(0) {
		switch {
		case f.Sent && f.Kind == jsonrpc.Request:
			asked[f.ID] = true
		case f.Sent:
		case f.Kind == jsonrpc.Invalid:
			t.Failf([]Frame{f}, "the client writes what is no message: %s", f.Problem.Message)
		case f.Kind == jsonrpc.Response && !asked[f.ID]:
			t.Failf([]Frame{f}, "the client answers what was not asked, or twice")
		case f.Kind == jsonrpc.Response:
			delete(asked, f.ID)
		case f.Kind == jsonrpc.Request:
			if first, twice := seen[f.ID]; twice {
				t.Failf([]Frame{first, f}, "two requests have the same id")
			}
			seen[f.ID] = f
		}
	}
}

func clientOrder(t *T) {
	st := t.play(scene{support: supportInline, setup: listGood})
	opened := false
	for _, f := range st.since(0) {
		opened = opened || f.Sent && f.SessionID == sceneID && f.Result() != nil
		if f.Sent || f.Method != acp.MethodPrompt {
			continue
		}
		if !opened || f.SessionID != sceneID {
			t.Failf([]Frame{f}, "a prompt comes for a session that was not opened")
		}
		if !rawjson.IsArray(rawjson.Get(f.Params(), "prompt")) {
			t.Failf([]Frame{f}, "a prompt is an array of content blocks")
		}
	}
	if len(st.prompts()) == 0 {
		t.Skipf("the client sends no prompt, see U1/block")
	}
}

func clientUnknown(t *T) {
	s := scene{support: supportInline, setup: listGood, odd: true}
	st := t.play(s)
	var asked, answer Frame
	for _, f := range st.since(0) {
		switch {
		case f.Sent && f.ID == oddID:
			asked = f
		case !f.Sent && f.ID == oddID && f.Kind == jsonrpc.Response:
			answer = f
		}
	}
	if answer.errorCode() != jsonrpc.CodeMethodNotFound {
		t.Failf([]Frame{asked, answer}, "an unknown request is answered with the error -32601")
	}
	if len(st.prompts()) == 0 {
		t.Failf([]Frame{asked}, "the client does not go on after messages that it does not know%s", st.lastWords())
	}
}

func clientPermission(t *T) {
	st := t.play(scene{support: supportInline, setup: listGood, asks: true})
	if len(st.prompts()) == 0 {
		t.Skipf("the client sends no prompt, see U1/block")
	}
	var asked Frame
	for _, f := range st.since(0) {
		if f.ID != permissionID {
			continue
		}
		if f.Sent {
			asked = f
			continue
		}
		outcome, _ := rawjson.GetString(f.Result(), "outcome", "outcome")
		option, _ := rawjson.GetString(f.Result(), "outcome", "optionId")
		if outcome == "cancelled" || outcome == "selected" && (option == "yes" || option == "no") {
			return
		}
		t.Failf([]Frame{asked, f}, "the answer is {\"outcome\":{\"outcome\":\"selected\",\"optionId\":one of those offered}} or cancelled")
	}
	t.Failf([]Frame{asked}, "a question for a permission is not answered")
}

func clientCapability(t *T) {
	st := t.play(scene{support: supportInline, setup: listGood})
	sends := false
	for _, f := range st.prompts() {
		for _, b := range rawjson.Elements(rawjson.Get(f.Params(), "prompt")) {
			kind, _ := rawjson.GetString(b.Value, "type")
			sends = sends || kind == "skill"
		}
	}
	frames := st.since(0)
	if len(frames) == 0 {
		t.Skipf("the client says nothing, see client/first")
	}
	v := rawjson.Get(frames[0].Params(), "capabilities", "session", "commands", "skill")
	switch {
	case rawjson.IsObject(v):
	case v != nil && string(v) != "null":
		t.Failf(frames[:1], "capabilities.session.commands.skill is %s: what is supported is an object", v)
	case sends:
		t.Failf(append(frames[:1:1], st.prompts()...), "the client sends skill blocks, and did not say that it understands skills")
	default:
		t.Skipf("the client does not say that it understands skills")
	}
}

// clientEscapes: the names and descriptions have a sequence that makes a terminal do
// things. Whether the client shows them is its choice, and so is how.
func clientEscapes(t *T) {
	const mark = `\u001b]0;CONFORM\u0007\u202eCONFORM`
	hostile := `{"type":"skill","name":"conform-hostile` + mark + `","description":"` + mark + `","path":"/` + mark + `/SKILL.md"}`
	st := t.play(scene{support: supportInline, setup: `[` + hostile + `]`}) // so it has to say what there is
	out := st.peer.Output()
	for _, bad := range []string{"\x1b]0;CONFORM", "\u202eCONFORM"} {
		if bytes.Contains(out, []byte(bad)) {
			list, _ := st.current(st.mark())
			t.Failf([]Frame{list.frame}, "the client shows the control characters of a name or a description: %q stands in its output", bad)
		}
	}
}
