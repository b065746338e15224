// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
)

// A Model is a language model. It is safe for concurrent use.
type Model interface {
	// Spec is the model's name, as [Open] takes it.
	Spec() string
	// Window is how many tokens a request and its reply may have together. It is
	// an assumption where the server does not say.
	Window() int
	// Generate asks the model. emit, which may be nil, is called with each piece as it
	// comes, from this goroutine. The error is ctx's when that has ended, and an
	// *[Error] otherwise; with an error the reply is what had come until then, or nil.
	Generate(ctx context.Context, r *Request, emit func(Delta)) (*Reply, error)
	// Close gives up idle connections.
	Close()
}

// A Request is what a model is asked.
type Request struct {
	System   string
	Messages []Message // the first one is the user's
	Tools    []Tool
}

// Roles of messages.
const (
	User      = "user"
	Assistant = "assistant"
)

// A Message is one message of a conversation. Results of tools are parts of the
// user's messages.
type Message struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// Types of parts.
const (
	Text    = "text"
	Image   = "image"
	Thought = "thought"
	Call    = "call"   // the model calls a tool
	Result  = "result" // what the call gave
)

// A Part is a piece of a message.
type Part struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"` // Text, Thought, Result

	MimeType string `json:"mimeType,omitempty"` // Image
	Data     string `json:"data,omitempty"`     // Image: base64

	ID    string          `json:"id,omitempty"`    // Call, Result: of the call
	Name  string          `json:"name,omitempty"`  // Call: of the tool
	Input json.RawMessage `json:"input,omitempty"` // Call: an object, unless the model was at fault; then a string
	Error bool            `json:"error,omitempty"` // Result

	Signature string `json:"signature,omitempty"` // Thought: the server's, by which it knows its own
}

// A Tool is one that the model may call.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // JSON Schema of the arguments: an object
}

// Kinds of deltas.
const (
	DeltaText = iota
	DeltaThought
	DeltaWait // nothing of the reply: says in words that and why it takes longer
)

// A Delta is a piece of a reply.
type Delta struct {
	Kind int
	Text string
}

// Reasons why a reply ends.
const (
	StopEnd       = "end"
	StopCalls     = "calls" // the model waits for the results of its calls
	StopMaxTokens = "max_tokens"
	StopRefusal   = "refusal"
)

// A Reply is what the model answered.
type Reply struct {
	Message Message
	Stop    string
	Usage   Usage
}

// Usage is what a request cost, in tokens. Zero means that the server did not say.
type Usage struct {
	Input       int // all of it, the cached ones too
	Output      int
	CachedRead  int
	CachedWrite int
}

// Calls are the tool calls of a message.
func (m Message) Calls() []Part {
	var out []Part
	for _, p := range m.Parts {
		if p.Type == Call {
			out = append(out, p)
		}
	}
	return out
}

// TextPart is a part of text.
func TextPart(text string) Part { return Part{Type: Text, Text: text} }

// ResultPart is the result of a call.
func ResultPart(callID, text string, failed bool) Part {
	return Part{Type: Result, ID: callID, Text: text, Error: failed}
}
