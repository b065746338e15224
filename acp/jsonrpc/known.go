// SPDX-License-Identifier: Apache-2.0

package jsonrpc

// known is string(text) without a copy for the words that come by the million:
// a conversion inside a switch does not allocate.
func known(text []byte) string {
	switch string(text) {
	case "session/update":
		return "session/update"
	case "session/prompt":
		return "session/prompt"
	case "$/cancel_request":
		return "$/cancel_request"
	case "session/request_permission":
		return "session/request_permission"
	case "agent_message_chunk":
		return "agent_message_chunk"
	case "agent_thought_chunk":
		return "agent_thought_chunk"
	case "user_message_chunk":
		return "user_message_chunk"
	case "user_message":
		return "user_message"
	case "agent_message":
		return "agent_message"
	case "state_update":
		return "state_update"
	case "tool_call_update":
		return "tool_call_update"
	case "tool_call_content_chunk":
		return "tool_call_content_chunk"
	case "terminal_output_chunk":
		return "terminal_output_chunk"
	case "usage_update":
		return "usage_update"
	case "tool_call":
		return "tool_call"
	}
	return string(text)
}
