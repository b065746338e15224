// SPDX-License-Identifier: Apache-2.0

package main

func tableV1() table {
	return table{
		version: 1, dir: "acp/v1", name: "v1", page: "https://agentclientprotocol.com/protocol/v1/schema",
		names: map[string]string{
			"TextContent": "Text", "ImageContent": "Image", "AudioContent": "Audio", "EmbeddedResource": "Resource",
			"EmbeddedResourceResource": "ResourceContents", "Content": "ToolContent", "Terminal": "ToolTerminal", "SessionNotification": "UpdateNotification",
			"SetSessionConfigOptionRequest": "SetConfigOptionRequest", "SetSessionConfigOptionResponse": "SetConfigOptionResponse",
			"SetSessionModeRequest":    "SetModeRequest",
			"RequestPermissionOutcome": "PermissionOutcome", "SelectedPermissionOutcome": "SelectedOutcome",
			"UnstructuredCommandInput": "CommandInput", "Error": "ErrorDetail", "PlanUpdateContent": "PlanContent",
			"SessionConfigOption": "ConfigOption", "SessionConfigSelect": "SelectOption", "SessionConfigBoolean": "BooleanOption",
			"SessionConfigSelectOption": "SelectValue", "SessionConfigSelectGroup": "SelectGroup", "SessionConfigSelectOptions": "SelectValues",
			"ElicitationPropertySchema": "PropertySchema", "AuthMethodTerminal": "TerminalAuth", "AuthMethodAgent": "AgentAuth",
		},
		variants: map[string]string{
			"SessionUpdate=user_message_chunk": "UserMessageChunk", "SessionUpdate=agent_message_chunk": "AgentMessageChunk",
			"SessionUpdate=agent_thought_chunk":  "AgentThoughtChunk",
			"RequestPermissionOutcome=cancelled": "CancelledOutcome",
		},
		plain: map[string]string{"ToolCallUpdate": "ToolCallChange"},
		unions: map[string]unionNames{
			"ContentBlock":              {method: "BlockType", unknown: "UnknownBlock"},
			"SessionUpdate":             {method: "UpdateVariant", unknown: "UnknownUpdate", field: "Variant"},
			"ToolCallContent":           {method: "ContentType", unknown: "UnknownToolContent"},
			"RequestPermissionOutcome":  {method: "OutcomeKind", unknown: "UnknownOutcome"},
			"AuthMethod":                {method: "AuthType", unknown: "UnknownAuth"},
			"PlanUpdateContent":         {method: "PlanType", unknown: "UnknownPlan"},
			"McpServer":                 {method: "ServerType", unknown: "UnknownMCPServer"},
			"SessionConfigOption":       {method: "OptionType", unknown: "UnknownOption"},
			"ElicitationPropertySchema": {method: "PropertyType", unknown: "UnknownProperty"},
			"MultiSelectItems":          {method: "ItemsType", unknown: "UnknownItems"},
		},
		same: map[string]string{
			"InitializeProxyRequest": "InitializeRequest", "InitializeProxyResponse": "InitializeResponse", "AvailableCommandInput": "UnstructuredCommandInput",
		},
		raw: map[string]string{
			"RequestId":               "the id of a request is a text or a number, and keeps its spelling",
			"ElicitationContentValue": "a text, number, truth value or list of texts that a form has asked for",
			"ProxySuccessorResponse":  "it is the result of another method",
			"ExtRequest":              "anything", "ExtResponse": "anything", "ExtNotification": "anything",
		},
		byHand: map[string]string{
			"ElicitationSchemaType":      "it has one value",
			"TextResourceContents":       "it is a part of ResourceContents",
			"BlobResourceContents":       "it is a part of ResourceContents",
			"EmbeddedResourceResource":   "text and blob tell its variants apart, which are one thing to their users",
			"SessionConfigSelectOptions": "an array of values or one of groups; there is no tag",
		},
		merged: map[string]string{
			"StateUpdate":                   "all members of all states are optional, and a state is to be asked for, not to be switched over",
			"SetSessionConfigOptionRequest": "the parameters of a method are one type",
			"CreateElicitationRequest":      "the parameters of a method are one type",
			"CreateElicitationResponse":     "the result of a method is one type",
			"MessageMcpResponse":            "the result of a method is one type",
		},
		check: map[string]bool{"SetSessionConfigOptionRequest": true, "CreateElicitationRequest": true, "MessageMcpResponse": true},
		patches: map[string]bool{
			"ToolCallUpdate": true, "SessionInfoUpdate": true, "CompactionUpdate": true, "SubagentUpdate": true, "SessionMessage": true, "UsageUpdate.cost": true,
		},
		fieldTypes: map[string]fieldType{
			"Error.code":                          {"int", `object.Must("code", &x.Code, object.Int[int])`},
			"ElicitationSchema.type":              {"string", `object.Soft("type", &x.Type, object.String)`},
			"InitializeRequest.protocolVersion":   {"int", `object.Must("protocolVersion", &x.ProtocolVersion, readVersion)`},
			"InitializeResponse.protocolVersion":  {"int", `object.Must("protocolVersion", &x.ProtocolVersion, readVersion)`},
			"SetSessionConfigOptionRequest.value": {"json.RawMessage", `object.Must("value", &x.Value, object.Any)`},
			"Diff.oldText":                        {"*string", `object.SoftPtr("oldText", &x.OldText, object.String)`},
		},
		methods: map[string]string{
			"SetSessionConfigOptionRequest": "MethodSetConfigOption", "SetSessionModeRequest": "MethodSetMode", "SessionNotification": "MethodUpdate",
			"MessageMcpRequest": "MethodMCPMessage", "MessageMcpNotification": "-", "InitializeProxyRequest": "MethodProxyInitialize",
			"ProxySuccessorRequest": "MethodProxySuccessor", "ProxySuccessorNotification": "-", "CancelRequestNotification": "-",
		},
		consts: map[string]string{
			"ToolKind": "ToolKind", "ToolCallStatus": "Tool", "Role": "Role", "PermissionOptionKind": "", "StringFormat": "Format", "LlmProtocol": "LLM",
			"AuthState": "Auth", "SessionConfigOptionCategory": "Category", "SessionStatus": "Session", "PlanEntryPriority": "Priority", "PlanEntryStatus": "Plan",
			"NoticeSeverity": "Notice", "CompactionStatus": "Compaction", "SystemPromptMode": "SystemPrompt", "SessionArchiveFilter": "Archived", "StopReason": "Stop",
			"StateUpdate.state": "State", "CreateElicitationRequest.mode": "Elicit", "CreateElicitationResponse.action": "Elicitation",
		},
		docs: docsV1(), sharedDocs: docsV2(),
	}
}
