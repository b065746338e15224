// SPDX-License-Identifier: Apache-2.0

package skill

import "strings"

// splitTools cuts an allowed-tools text into entries at blanks and commas outside
// parentheses (FMT-9): "Bash(git add *)" is one entry. comma tells whether a comma
// separated anything, which the format does not provide for.
func splitTools(s string) (tools []string, comma bool) {
	depth, start := 0, -1
	end := func(i int) {
		if start >= 0 {
			tools = append(tools, s[start:i])
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case depth == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			end(i)
			continue
		case depth == 0 && r == ',':
			comma = true
			end(i)
			continue
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		}
		if start < 0 {
			start = i
		}
	}
	end(len(s))
	return tools, comma
}

// toolsOf reads allowed-tools in the three forms that are met: text, list, comma list.
func toolsOf(v *Value) []string {
	switch {
	case v.IsNull():
		return nil
	case v.Kind == Scalar:
		tools, _ := splitTools(v.Text)
		return tools
	case v.Kind == Sequence:
		var tools []string
		for _, it := range v.Items {
			if t := strings.TrimSpace(it.Text); it.Kind == Scalar && t != "" {
				tools = append(tools, t)
			}
		}
		return tools
	}
	return nil
}
