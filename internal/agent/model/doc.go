// SPDX-License-Identifier: Apache-2.0

// Package model asks language models: Anthropic's through the official SDK, and
// every server of OpenAI's Chat Completions, local ones included.
//
//	Request --> Model.Generate --> Delta, Delta, ... --> Reply
//	               |
//	            retry (overload, server errors, no connection; never after a Delta)
//	               |
//	            transport (gives a silent connection up)
//
// A model is named by a spec, KIND:NAME (see [Open]). Keys come from the
// environment alone, and no error has one in it. What goes wrong is an [*Error],
// whose text says what happened and what to do.
package model
