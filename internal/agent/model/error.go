// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/skill"
)

// A Reason says what sort of failure an [Error] is.
type Reason uint8

// The reasons.
const (
	Refused     Reason = iota // the server does not take the request
	NoKey                     // it does not take the key, or there is none
	NotFound                  // it does not know the model, or the address
	TooLong                   // the conversation does not fit into the model
	Overloaded                // it has too much to do, or the account's limit is reached
	Broken                    // it failed
	Unreachable               // there is no connection
	Lost                      // the connection ended in the middle
	Silent                    // it said nothing for too long
	Garbled                   // what it says is not the protocol
)

// An Error is why a model gave no reply.
type Error struct {
	Reason Reason
	Status int           // of HTTP; 0 for none
	Spec   string        // the model
	Said   string        // the server's words on one line, without keys; may be empty
	Advice string        // what to do
	After  time.Duration // when the server wants to be asked again; 0: not said
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", skill.Sanitize(e.Spec), e.what())
	if e.Said != "" {
		fmt.Fprintf(&b, " (it says: %s)", e.Said)
	}
	if e.Advice != "" {
		b.WriteString(". " + e.Advice)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) what() string {
	status := ""
	if e.Status != 0 {
		status = fmt.Sprintf(" with status %d", e.Status)
	}
	switch e.Reason {
	case NoKey:
		return "the server does not take the key" + status
	case NotFound:
		return "the server knows no such model or address" + status
	case TooLong:
		return "the conversation has become too long for the model"
	case Overloaded:
		return "the server has too much to do, or a limit of the account is reached" + status
	case Broken:
		return "the server failed" + status
	case Unreachable:
		return "the server cannot be reached"
	case Lost:
		return "the connection was lost in the middle of the answer"
	case Silent:
		return "the server has said nothing for too long"
	case Garbled:
		return "what the server says is not the expected protocol"
	}
	return "the server does not take the request" + status
}

// again reports whether another attempt may do.
func (e *Error) again() bool {
	switch e.Reason {
	case Overloaded, Broken, Unreachable, Lost:
		return true
	}
	return false
}

// maxSaid is how many characters of a server's words are shown.
const maxSaid = 300

// failures makes errors of what a server does. It knows the names of the
// variables, and the key, so that no error has it.
type failures struct {
	spec, keyVar, baseVar, base, key string
	local                            bool // the address is one of the user's
}

func (f *failures) make(reason Reason, status int, said string, err error) *Error {
	return &Error{Reason: reason, Status: status, Spec: f.spec, Said: f.clean(said), Advice: f.advice(reason), Err: err}
}

// clean is a server's words, fit to be shown.
func (f *failures) clean(said string) string {
	if f.key != "" {
		said = strings.ReplaceAll(said, f.key, "[key]")
	}
	said = strings.Trim(skill.Sanitize(said), " .")
	if r := []rune(said); len(r) > maxSaid {
		said = string(r[:maxSaid-1]) + "…"
	}
	return said
}

func (f *failures) advice(reason Reason) string {
	switch reason {
	case NoKey:
		if f.key == "" {
			return "Set " + f.keyVar + " to a key and start again"
		}
		return "Set " + f.keyVar + " to one that is valid and start again"
	case NotFound:
		return "Check the model's name and " + f.baseVar + ", which is " + f.clean(f.base)
	case TooLong:
		return "Begin a new session, or shorten what the prompt brings along"
	case Overloaded:
		return "Wait a little and send the prompt again, or choose another model"
	case Broken:
		return "Send the prompt again; if it stays so, choose another model"
	case Unreachable:
		if f.local {
			return "See whether the server at " + f.clean(f.base) + " runs and whether " + f.baseVar + " is right, and send the prompt again"
		}
		return "Check the network, or " + f.baseVar + " if a proxy is in use, and send the prompt again"
	case Lost:
		return "What came is kept: send a prompt such as \"go on\""
	case Silent:
		return "Send the prompt again, or choose another model"
	case Garbled:
		return "Check whether " + f.baseVar + " leads to the right server; it is " + f.clean(f.base)
	}
	return "Check the model's name, and what the prompt brings along, such as images"
}

// status is the failure that a status code stands for.
func (f *failures) status(resp *http.Response, said string) *Error {
	code := resp.StatusCode
	reason := Refused
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusPaymentRequired:
		reason = NoKey
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code >= 300 && code < 400:
		reason = NotFound
	case code == http.StatusRequestEntityTooLarge || code == http.StatusBadRequest && aboutLength(said):
		reason = TooLong
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || code == statusOverloaded || code == http.StatusRequestTimeout:
		reason = Overloaded
	case code >= 500:
		reason = Broken
	}
	e := f.make(reason, code, said, nil)
	e.After = retryAfter(resp.Header)
	return e
}

// statusOverloaded is Anthropic's.
const statusOverloaded = 529

// aboutLength reports whether a refusal is about the request's length. Servers have
// their own words for it, and no code in common.
func aboutLength(said string) bool {
	said = strings.ToLower(said)
	for _, words := range []string{"too long", "context length", "context_length", "context window", "maximum context", "context size", "too many tokens"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longestWait)
}

// words are a server's own in the body of an error: the message where there is
// one, else the start of the text.
func words(body io.Reader) string {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10)) // what could be read is better than nothing
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(raw, &said) == nil {
		if s := message(said.Error); s != "" {
			return s
		}
		if said.Message != "" {
			return said.Message
		}
	}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")) {
		return "" // a page for people to look at
	}
	return string(raw)
}

// message reads an error member: a text, or an object with one.
func message(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &object)
	return object.Message
}
