// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
)

// Options are the choices of [Open]. A nil pointer means the zero value.
type Options struct {
	// Env reads the environment; nil means [os.Getenv].
	Env func(string) string
	// Window overrides the number of tokens that a model takes; 0 means what is known
	// or assumed of it.
	Window int
	// Attempts is how often a request is made at most; 0 means 5.
	Attempts int
	// FirstWait is the time before the second attempt, which doubles with each further
	// one; 0 means one second. A server that says when to come again is believed, up
	// to a minute.
	FirstWait time.Duration
	// Silence is how long a server may say nothing before it is given up; 0 means five
	// minutes.
	Silence time.Duration
}

const (
	defaultAttempts  = 5
	defaultFirstWait = time.Second
	defaultSilence   = 5 * time.Minute
	longestWait      = time.Minute
)

func (o *Options) filled() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Env == nil {
		out.Env = os.Getenv
	}
	if out.Attempts <= 0 {
		out.Attempts = defaultAttempts
	}
	if out.FirstWait <= 0 {
		out.FirstWait = defaultFirstWait
	}
	if out.Silence <= 0 {
		out.Silence = defaultSilence
	}
	return out
}

// Kinds of specs.
const (
	KindAnthropic = "anthropic"
	KindOpenAI    = "openai"
)

// DefaultSpec is the model of those who have a key and name no model, empty without a key.
// A key of Chat Completions says nothing about which server and which of its models.
func DefaultSpec(env func(string) string) string {
	if env("ANTHROPIC_API_KEY") == "" {
		return ""
	}
	return KindAnthropic + ":" + string(anthropic.ModelClaudeSonnet5_5)
}

// A SpecError says what is wrong with a spec.
type SpecError struct{ Spec, Reason string }

func (e *SpecError) Error() string {
	return fmt.Sprintf("the model %q cannot be used: %s", e.Spec, e.Reason)
}

// Open makes a model of its spec:
//
//	anthropic:NAME   Anthropic Messages. ANTHROPIC_API_KEY has the key,
//	                 ANTHROPIC_BASE_URL another address.
//	openai:NAME      OpenAI Chat Completions. OPENAI_API_KEY has the key,
//	                 OPENAI_BASE_URL another address, such as that of a local server,
//	                 which then needs no key.
//
// It connects to nothing. The error is a *[SpecError].
func Open(spec string, opts *Options) (Model, error) {
	o := opts.filled()
	kind, name, _ := strings.Cut(spec, ":")
	if kind != KindAnthropic && kind != KindOpenAI {
		return nil, &SpecError{spec, "it has to be anthropic:NAME or openai:NAME"}
	}
	if name == "" {
		return nil, &SpecError{spec, "a model's name has to follow, as in " + kind + ":NAME"}
	}
	if kind == KindAnthropic {
		return newAnthropic(spec, name, o)
	}
	return newOpenAI(spec, name, o)
}
