// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"crypto/sha256"
	"maps"
	"strings"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// woven is a list as a client was given it, with what its names mean. It is
// immutable, and sessions that have come to the same list the same way share it:
// a hundred of them with a thousand skills cost what one does.
type woven struct {
	list     []byte // a JSON array on one line
	hash     listHash
	entries  map[string]*entry // skills, by the client's name
	aliases  map[string]string // a command's name at the client, and the agent's
	names    acpskill.Names
	ownFiles map[string]string // the agent's name of a skill, and its file when it was last seen
}

// nothing is what a session has before its first list.
var nothing = &woven{}

// listHash tells one list from another.
type listHash [sha256.Size]byte

func hashList(list []byte) listHash { return sha256.Sum256(list) }

// wovenKey is all that a list depends on, within one negotiated connection.
type wovenKey struct {
	before *woven // which names were given, and what was the agent's own
	disk   *catalog.Snapshot
	agent  listHash
	roots  string
	remote *remoteSet
}

// maxWoven is how many lists are remembered for sessions to share.
const maxWoven = 32

// merge weaves the session's skills into the agent's list.
func (s *Stage) merge(sess *session) *woven {
	var disk *catalog.Snapshot
	if sess.watch != nil {
		disk = sess.watch.cat.Snapshot()
	}
	key := wovenKey{sess.list(), disk, sess.agentHash, strings.Join(sess.roots.additional, "\x00"), sess.remote.set}
	w := s.weaves[key]
	if w == nil {
		w = s.newWeaver(sess).weave(sess.agent, disk)
		if len(s.weaves) >= maxWoven {
			clear(s.weaves)
		}
		s.weaves[key] = w
		key.before = w // the same again changes nothing: names stay given
		s.weaves[key] = w
	}
	sess.woven = w
	return w
}

// list is the list that the client has, never nil.
func (sess *session) list() *woven {
	if sess.woven == nil {
		return nothing
	}
	return sess.woven
}

// weaver makes a woven from the one before it.
type weaver struct {
	woven
	profile     *profile.Profile
	dialect     dialect
	clientSkill bool
	home        string
	additional  []string
	remote      map[*catalog.Entry]*remoteSkill
	remotes     []*catalog.Entry
}

func (s *Stage) newWeaver(sess *session) *weaver {
	before := sess.list()
	w := &weaver{profile: s.conn.profile, dialect: s.conn.dialect, clientSkill: s.conn.clientSkill, home: s.opts.Catalog.Home, additional: sess.roots.additional}
	w.remote, w.remotes = sess.remote.set.parts()
	w.names, w.ownFiles = before.names.Clone(), maps.Clone(before.ownFiles)
	if w.ownFiles == nil {
		w.ownFiles = map[string]string{}
	}
	w.entries, w.aliases = map[string]*entry{}, map[string]string{}
	return w
}

// weave makes the list. The agent's own commands keep their bytes, and all
// entries their order; ours follow.
func (w *weaver) weave(agent [][]byte, disk *catalog.Snapshot) *woven {
	var all []*catalog.Entry
	if disk != nil {
		all = disk.All()
	}
	offers := w.offers(agent, all)
	// What is served comes last, and is never taken for a skill of the agent (MCP-7).
	all = append(all[:len(all):len(all)], w.remotes...)
	var tokens [][]byte
	if w.clientSkill {
		tokens = w.skills(offers, all)
	} else {
		tokens = w.commands(offers, all)
	}
	w.list = rawjson.Array(tokens)
	w.hash = hashList(w.list)
	return &w.woven
}
