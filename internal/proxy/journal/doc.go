// SPDX-License-Identifier: Apache-2.0

// Package journal keeps what the client really sent, so that echoes and
// replays can show it again, also after the proxy was restarted (PXY-5,
// ACP-P6).
//
// The agent got instructions in place of a skill block, so what it reports and
// what it replays is not what the user wrote. Of each such prompt the journal
// has a [Record]: the client's blocks as they were, and hashes of what the
// agent got instead. Which record belongs to a message of the agent is not
// decided here; the journal only remembers, in order.
//
// # On disk
//
// One file a session, named by a hash, since session ids are the agent's text
// and may be anything. A file holds JSON lines and only grows:
//
//	{"op":"prompt","id":"…","messageId":"","title":"…","sentTitle":"…","sent":[…],"nonces":[…],"blocks":[…]}
//	{"op":"confirm","id":"…","messageId":"…"}
//	{"op":"void","id":"…"}
//
// Each line is written at once, under an exclusive lock of the file, so several
// proxies can share a session. A line that was cut by a crash is ignored, and
// removed by the next write; lines that mean nothing are skipped. What a crash
// of the machine may cost is the newest records: there is no fsync, because a
// prompt should not wait for a disk, and a missing record only means that a
// replay shows what the agent replays.
//
// Files have mode 0600, directories made here 0700. A file that is a symbolic
// link, is not regular or belongs to somebody else is refused.
package journal
