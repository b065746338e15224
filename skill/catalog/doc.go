// SPDX-License-Identifier: Apache-2.0

// Package catalog finds the skills of a workspace and a user, decides which one a name
// means, and keeps that up to date while files change.
//
//	Options --> roots --> walk (beneath, bounded) --> merge --> [Snapshot]
//	                                                               ^
//	[Store] -- one watcher, one head cache -- [Catalog] -- rescan -+
//
// # Where skills are looked for
//
// Scopes in order of precedence (DSC-1): the workspace, the user, extra roots, built in.
// The workspace is the first directory of [Options.Workspace] and each of its ancestors up
// to and including the git root, nearest first, then the other directories in their
// order. Without a git root only the directory itself is looked at: there is no other sign of
// where a project ends, and a parent such as /tmp may belong to somebody else. In each
// directory the client folders are tried in order, by default .agents/skills and
// .claude/skills. The user's own folders stay the user's also for a workspace in or above
// the home directory.
//
// Under a root a skill may lie several levels deep; a skill's own directory is not searched
// further, and dot-directories and node_modules are not entered (DSC-2).
//
// # Which one a name means
//
// The first in order of precedence has the bare name. Another file of that name stays
// reachable under a qualified one such as "user:tdd" or "<directory>:tdd" ([Entry.ID]), unless its
// SKILL.md is identical, in which case it is a copy of the first and no entry (DSC-4). A
// file reached by several ways is one skill (DSC-3).
//
// # Links
//
// In the user's and extra roots links are followed. In the workspace they are followed when
// the target lies in one of the workspace's directories, or the workspace is trusted
// (DSC-5): whoever can write to a repository could otherwise show a user's private file as
// a skill. The check that counts is made when the file is opened: by [os.Root], or on Linux
// by the kernel, which is told to follow no link on the way.
package catalog
