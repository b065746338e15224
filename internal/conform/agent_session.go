// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// CORE-SES: sessions are opened, listed, closed and deleted.
func sessionChecks() []Check {
	return []Check{
		{ID: "session/new", Rule: "CORE-SES", Title: "opens sessions, each with an id of its own", needs: needSession, run: sessionNew},
		{ID: "session/list", Rule: "CORE-SES", Title: "answers session/list with sessions that have an id and a directory", needs: needSession, run: sessionList},
		{ID: "session/listed", Rule: "CORE-SES", Title: "lists a session that had a prompt", Should: true, Answer: true, needs: needSession, run: sessionListed},
		{ID: "session/close", Rule: "CORE-SES", Title: "closes a session, and takes no prompt for it then", needs: needSession, run: sessionClose},
		{ID: "session/close-unknown", Rule: "CORE-SES", Title: "says yes to closing a session that is not open", Should: true, needs: needSession, run: sessionCloseUnknown},
		{ID: "session/silent", Rule: "CORE-SES", Title: "sends nothing for a session after it was closed", needs: needSession, run: sessionSilent},
		{ID: "session/delete", Rule: "CORE-SES", Title: "cannot resume a session that was deleted", needs: needSession, run: sessionDelete},
	}
}

func sessionNew(t *T) {
	d := t.connect(knowsSkills)
	seen := map[string]Frame{}
	for range 2 {
		req := d.request(acp.MethodNewSession, "{"+d.setupParams()+"}")
		f, ok := d.response(req)
		switch {
		case !ok:
			t.Failf([]Frame{req}, "session/new is not answered within %v", t.opts.Timeout)
		case f.ErrorValue() != nil:
			t.Failf([]Frame{req, f}, "session/new is refused")
		case f.SessionID == "":
			t.Failf([]Frame{req, f}, "the answer to session/new has no sessionId")
		}
		if first, twice := seen[f.SessionID]; twice {
			t.Failf([]Frame{first, f}, "two sessions have the same id")
		}
		seen[f.SessionID] = f
	}
}

func sessionList(t *T) {
	d := t.connect(plainClient)
	d.chat()
	req := d.request(acp.MethodListSessions, `{}`)
	f, ok := d.response(req)
	list := rawjson.Get(f.Result(), "sessions")
	switch {
	case !ok:
		t.Failf([]Frame{req}, "session/list is not answered within %v", t.opts.Timeout)
	case !rawjson.IsArray(list):
		t.Failf([]Frame{req, f}, "session/list is answered with an array of sessions: it belongs to session")
	}
	for _, e := range rawjson.Elements(list) {
		id, _ := rawjson.GetString(e.Value, "sessionId")
		cwd, _ := rawjson.GetString(e.Value, "cwd")
		if id == "" || !acp.IsAbsolutePath(cwd) {
			t.Failf([]Frame{f}, "a listed session has a sessionId and an absolute cwd")
		}
	}
}

func sessionListed(t *T) {
	c := t.connect(plainClient).chat()
	req, _ := c.tell(textBlock(plainText))
	c.mustIdle(req)
	f := c.must(acp.MethodListSessions, `{}`)
	for _, e := range rawjson.Elements(rawjson.Get(f.Result(), "sessions")) {
		if id, _ := rawjson.GetString(e.Value, "sessionId"); id == c.id {
			return
		}
	}
	if rawjson.IsString(rawjson.Get(f.Result(), "nextCursor")) {
		t.Skipf("the list has more pages")
	}
	t.Failf([]Frame{f}, "the session %s had a prompt, and is not listed", quote(c.id))
}

func (c *chat) close() Frame {
	req := c.request(acp.MethodCloseSession, `{"sessionId":`+quote(c.id)+`}`)
	f, ok := c.response(req)
	switch {
	case !ok:
		c.t.Failf([]Frame{req}, "session/close is not answered within %v", c.t.opts.Timeout)
	case f.ErrorValue() != nil:
		c.t.Failf([]Frame{req, f}, "closing an open session is refused")
	}
	return f
}

func sessionClose(t *T) {
	c := t.connect(plainClient).chat()
	closed := c.close()
	req, f := c.say(textBlock("Say OK."))
	if f.ErrorValue() == nil {
		t.Failf([]Frame{closed, req, f}, "a prompt to a session that was closed is accepted")
	}
}

func sessionCloseUnknown(t *T) {
	d := t.connect(plainClient)
	req := d.request(acp.MethodCloseSession, `{"sessionId":"`+noSuchSession+`"}`)
	f, ok := d.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "session/close is not answered within %v", t.opts.Timeout)
	case f.ErrorValue() != nil:
		t.Failf([]Frame{req, f}, "what is not open is closed: session/close should succeed")
	}
}

func sessionSilent(t *T) {
	c := t.connect(knowsSkills).chat()
	c.tell(textBlock("Say OK."))
	closed := c.request(acp.MethodCloseSession, `{"sessionId":`+quote(c.id)+`}`)
	f, ok := c.response(closed)
	if !ok || f.ErrorValue() != nil {
		t.Skipf("the session cannot be closed, see session/close")
	}
	c.sync()
	for _, late := range c.since(f.n) {
		if late.update(c.id) != nil {
			t.Failf([]Frame{closed, f, late}, "an update comes for a session after it was closed")
		}
	}
}

func sessionDelete(t *T) {
	if !t.probe.del {
		t.Skipf("the agent does not advertise session.delete")
	}
	d := t.connect(plainClient)
	c := d.chat()
	req, _ := c.tell(textBlock("Say OK."))
	c.mustIdle(req)
	c.must(acp.MethodDeleteSession, `{"sessionId":`+quote(c.id)+`}`)
	_, _, resp, ok := c.resume(d, false)
	switch {
	case !ok:
		t.Failf(nil, "session/resume is not answered within %v", t.opts.Timeout)
	case resp.ErrorValue() == nil:
		t.Failf([]Frame{resp}, "a session that was deleted can be resumed")
	}
}
