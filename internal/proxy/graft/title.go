// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// title pairs what a prompt reads like to its author with what the agent got of
// it: agents make a session's title from the latter.
type title struct {
	shown  string   // one line
	sent   []string // heads without white space: of the whole, and of parts
	nonces []string // of our tags in it
}

// maxTitles is how many prompts of a session are remembered for its title, which
// agents make from the first ones.
const maxTitles = 64

func (sess *session) addTitle(r journal.Record) {
	if len(sess.titles) < maxTitles {
		sess.titles = append(sess.titles, titleFrom(r))
	}
}

func titleFrom(r journal.Record) title {
	t := title{shown: r.Title, sent: strings.Split(r.SentTitle, partEnd)}
	for _, n := range r.Nonces {
		t.nonces = append(t.nonces, n.Nonce)
	}
	return t
}

// titleOf is how a prompt reads: its texts, and for a skill its name.
func titleOf(blocks [][]byte) string {
	var parts []string
	size := 0
	for _, b := range blocks {
		if text, ok := blockBytes(b); ok {
			parts = append(parts, head(text, 4*journal.MaxTitle))
		} else if kind, _ := rawjson.GetString(b, "type"); kind == "skill" {
			name, _ := rawjson.GetString(b, "name")
			parts = append(parts, name)
		}
		if n := len(parts); n > 0 {
			size += len(parts[n-1])
		}
		if size > 4*journal.MaxTitle {
			break
		}
	}
	return truncate(strings.Join(strings.Fields(strings.Join(parts, " ")), " "), journal.MaxTitle)
}

const (
	// partEnd stands between the heads in a record's SentTitle, which has no
	// white space otherwise.
	partEnd = "\n"
	// maxPart is how many runes of a part are kept, and maxParts how many parts.
	maxPart, maxParts = 400, 8
	// The first two heads are of the whole, with and without tags. minPart is how
	// long a title must be to be told by a part alone: a shorter
	// one may be in the agent's own words.
	minPart = 16
)

// sentTitle is what an agent may make a title from, without white space: the
// head of the text that it got, and those of its blocks, with and without tags.
func sentTitle(blocks [][]byte) string {
	var whole, bare strings.Builder
	var parts []string
	for _, tok := range blocks {
		b, ok := blockBytes(tok)
		if !ok {
			continue
		}
		text := head(b, 8*maxPart)
		whole.WriteString(withoutSpace(text))
		bare.WriteString(withoutSpace(tags.ReplaceAllString(text, "")))
		for _, part := range []string{text, tags.ReplaceAllString(text, "")} {
			if part = truncate(withoutSpace(part), maxPart); part != "" && len(parts) < maxParts && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	heads := []string{truncate(whole.String(), maxPart), truncate(bare.String(), maxPart)}
	return strings.Join(append(heads, parts...), partEnd)
}

var tags = regexp.MustCompile(`<[^>]*>`)

// head is the start of a text, whole runes of it.
func head(text []byte, bytes int) string {
	if len(text) <= bytes {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:bytes]), "")
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func truncate(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes])
	}
	return s
}

// forkMark is what an agent puts behind the title of a fork.
const forkMark = " (fork)"

// rename is a title without our text in it. A title that an agent made in its
// own words stays.
func rename(given string, titles []title) string {
	bare, suffix := given, ""
	for strings.HasSuffix(bare, forkMark) {
		bare, suffix = strings.TrimSuffix(bare, forkMark), suffix+forkMark
	}
	cut := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(bare, " "), "..."), "… ")
	key := withoutSpace(cut)
	for _, t := range titles {
		if !derived(key, t) {
			continue
		}
		shown := t.shown
		if length := len([]rune(bare)); len([]rune(shown)) > max(length, 1) {
			shown = truncate(shown, max(length-1, 1)) + "…"
		}
		return shown + suffix
	}
	return given
}

// derived reports whether a title was cut from what the agent got, and reaches
// into what the client did not send; or holds one of our tags.
func derived(key string, t title) bool {
	for _, n := range t.nonces {
		if strings.Contains(key, n) {
			return true
		}
	}
	if key == "" || strings.HasPrefix(withoutSpace(t.shown), key) {
		return false
	}
	for i, sent := range t.sent {
		switch {
		case sent == "" || i > 1 && len(key) < minPart && key != sent:
		case strings.HasPrefix(sent, key), len([]rune(sent)) >= maxPart && strings.HasPrefix(key, sent):
			return true
		}
	}
	// The start of a tag alone, as far as its nonce would be.
	return strings.HasPrefix(key, withoutSpace(tagOpen)) && len(t.nonces) > 0
}

// retitle puts the title in a session_info_update right.
func (s *Stage) retitle(sess *session, m jsonrpc.Message) jsonrpc.Message {
	given, ok := rawjson.GetString(m.Params(), "update", "title")
	if !ok {
		return m
	}
	shown := rename(given, sess.titles)
	if shown == given {
		return m
	}
	return m.WithParams(rawjson.Set(m.Params(), rawjson.Quote(shown), "update", "title"))
}

// retitleList puts the titles in the answer to session/list right. It reads the
// journal of each session that has one, beside the loop.
func (s *Stage) retitleList(m jsonrpc.Message) {
	sessions := rawjson.Get(m.Result(), "sessions")
	if isEmpty(sessions) {
		s.opts.ToClient(m)
		return
	}
	m = m.Clone()
	known := map[string][]title{}
	for id, sess := range s.sessions {
		known[id] = slices.Clone(sess.titles)
	}
	j := s.conn.journal
	s.aside(func() {
		s.scribe.wait()
		list := rawjson.Values(rawjson.Get(m.Result(), "sessions"))
		changed := false
		for i, tok := range list {
			id, _ := rawjson.GetString(tok, "sessionId")
			given, ok := rawjson.GetString(tok, "title")
			if !ok || id == "" {
				continue
			}
			titles := known[id]
			if titles == nil {
				titles = s.titlesOf(j, id)
			}
			if shown := rename(given, titles); shown != given {
				list[i] = rawjson.Set(tok, rawjson.Quote(shown), "title")
				changed = true
			}
		}
		if changed {
			m = m.WithResult(rawjson.Set(m.Result(), rawjson.Array(list), "sessions"))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opts.ToClient(m)
	})
}

func (s *Stage) titlesOf(j *journal.Journal, id string) (titles []title) {
	records, err := j.Load(id)
	if err != nil {
		s.opts.Log.Warn("the journal of a session cannot be read: its title is shown as the agent made it", "error", err)
	}
	for i, r := range records {
		if i == maxTitles {
			break
		}
		titles = append(titles, titleFrom(r))
	}
	return titles
}

// forkOnItsWay stands for a session that the agent replays before it answers the
// fork that makes it. With several forks under way it is the first of them that
// is known to hold anything.
func (s *Stage) forkOnItsWay() *session {
	for _, su := range s.setups {
		if su.kind != opensFork {
			continue
		}
		if su.fork == nil {
			su.fork = &session{}
		}
		if su.fork.past == nil {
			s.inherit(su, su.fork)
		}
		if su.fork.past != nil {
			return su.fork
		}
	}
	return &session{}
}

// forked gives a fork what is known of its parent: its messages and its title
// are those of the parent up to here.
func (s *Stage) forked(su *setup, sess *session) {
	s.inherit(su, sess)
	j, id, parent := sess.journal, sess.id, su.parent
	s.scribe.do("forking a session", func() error { return j.Fork(parent, id) })
}

func (s *Stage) inherit(su *setup, sess *session) {
	records := su.records
	if p := s.sessions[su.parent]; p != nil {
		sess.titles = slices.Clone(p.titles)
		if len(records) == 0 && p.past != nil { // kept without a journal
			records = slices.Clone(p.past.records)
		}
	}
	if sess.past == nil && len(records) > 0 {
		for i := range records {
			records[i].Inherited = true
		}
		sess.past = s.newReplay(records)
	}
}
