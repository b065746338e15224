// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A dialect is what a version of the protocol does its own way: where
// capabilities stand, what a list's entry looks like, when a prompt is answered
// and how a user's message is told. All else is the stage's, for both. The
// methods have no state; those that take the stage are called with its lock held.
type dialect interface {
	// terms reads what an initialize response settles between this client and
	// this agent.
	terms(hello clientHello, result []byte) terms
	// advertise adds to that response what the client may use because of us.
	advertise(result []byte, t terms) []byte

	// opening says what session a request sets up.
	opening(method string, params []byte) opening
	// setupList is the list in the response of a setup, nil where there is none.
	setupList(result []byte) []byte
	// listsLater: an agent says what it has only after the setup. The names that
	// skills get before it has are not given for good.
	listsLater() bool

	// read is an entry of the agent's list as this client may see it, and its
	// type.
	read(tok []byte) (kind string, shown []byte)
	// asCommand is a skill entry of the agent as a command.
	asCommand(tok []byte) []byte
	// command is the entry of one of our skills for a client that knows none.
	command(name, description string, e *catalog.Entry) []byte

	// blocks says which skill blocks the client may send.
	blocks() acp.SkillSupport
	// cancelled answers a prompt that was cancelled before the agent got it.
	cancelled(id jsonrpc.ID) []byte
	// answered takes over what the agent's answer to a forwarded prompt says.
	answered(s *Stage, sess *session, p *sentPrompt, m jsonrpc.Message)

	// userMessage sends on the agent's report of a user message, with what the
	// client typed in it. sess is nil when nobody here knows the session.
	userMessage(s *Stage, sess *session, m jsonrpc.Message)

	// question is the params of a session/request_permission of ours. Options
	// are the same in both.
	question(session, title, text string, options []byte) []byte
	// server is the entry of a program among the servers of a session.
	server(name string, program ModelServer) []byte
}

// terms are what client and agent have agreed on, as far as it matters here.
type terms struct {
	agent       string           // its name
	clientSkill bool             // the client understands skill entries (ACP-C1)
	agentSkill  acp.SkillSupport // what the agent itself takes (ACP-C2)
	noSessions  bool
	servers     bool // the agent starts programs as servers of a session
}

// opening is what a request does to sessions.
type opening struct {
	kind    openingKind
	replays bool // the agent was asked to say the conversation again
}

type openingKind uint8

const (
	opensNothing openingKind = iota
	opensNew                 // a session whose id comes with the answer
	opensFork                // likewise, with another one's conversation
	opensKnown               // one whose id the client says
)

// dialectOf is the dialect that a client and an agent speak, nil when we do not:
// the version is the one that the agent answers with. One that the client has
// not asked for is another stage's to translate, or the client's to refuse.
func dialectOf(asked, answered string) dialect {
	switch {
	case answered == "2":
		return v2{}
	case answered == "1" && asked == "1":
		return v1{}
	}
	return nil
}
