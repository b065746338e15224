// SPDX-License-Identifier: Apache-2.0

// Package object reads and writes JSON objects member by member, so that a value
// which is read and sent on loses nothing. The types of acp and of acp/v1 stand
// on it.
//
// A type lists its members once, for both directions. What its fields cannot
// say is kept beside them: members that nobody knows, a null where a field is
// merely unset, an empty text where empty means unset. What a member forgives
// when it is malformed is as if it had not been sent, and is dropped.
package object
