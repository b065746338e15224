// SPDX-License-Identifier: Apache-2.0

package skill

import "slices"

// A Rule explains one of the rules that findings name.
type Rule struct {
	// ID is the rule's id, such as "FMT-6".
	ID string `json:"id"`
	// Title is a few words, Text what the rule asks for, Why what it is good for.
	Title string `json:"title"`
	Text  string `json:"text"`
	Why   string `json:"why"`
	// Wrong and Right are examples: of a SKILL.md, of a directory or of messages.
	Wrong string `json:"wrong"`
	Right string `json:"right"`
}

// Rules returns all rules that findings and errors can name, by group and number: FMT the
// format, DSC discovery, ACT activation, ACP the protocol.
func Rules() []Rule {
	return slices.Concat(formatRules(), discoveryRules(), activationRules(), protocolRules())
}

// Explain returns the rule with this id.
func Explain(id string) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}
