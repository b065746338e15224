// SPDX-License-Identifier: Apache-2.0

package main

func tableV2() table {
	return table{
		version: 2, dir: "acp", name: "acp", page: "https://agentclientprotocol.com/protocol/v2/schema",
		names: map[string]string{
			"TextContent": "Text", "ImageContent": "Image", "AudioContent": "Audio", "EmbeddedResource": "Resource",
			"EmbeddedResourceResource": "ResourceContents", "Content": "ToolContent", "Terminal": "ToolTerminal",
			"UpdateSessionNotification":     "UpdateNotification",
			"SetSessionConfigOptionRequest": "SetConfigOptionRequest", "SetSessionConfigOptionResponse": "SetConfigOptionResponse",
			"RequestPermissionSubject": "PermissionSubject", "ToolCallPermissionSubject": "ToolCallSubject", "CommandPermissionSubject": "CommandSubject",
			"RequestPermissionOutcome": "PermissionOutcome", "CancelledPermissionOutcome": "CancelledOutcome", "SelectedPermissionOutcome": "SelectedOutcome",
			"AvailableCommandInput": "CommandInput", "Error": "ErrorDetail", "PlanUpdateContent": "Plan",
			"SessionConfigOption": "ConfigOption", "SessionConfigSelect": "SelectOption", "SessionConfigBoolean": "BooleanOption",
			"SessionConfigSelectOption": "SelectValue", "SessionConfigSelectGroup": "SelectGroup", "SessionConfigSelectOptions": "SelectValues",
			"SkillPromptCapabilities": "SkillCapability", "ElicitationPropertySchema": "PropertySchema", "AuthMethodTerminal": "TerminalAuth", "AuthMethodAgent": "AgentAuth",
		},
		variants: map[string]string{
			"SessionUpdate=user_message_chunk": "UserMessageChunk", "SessionUpdate=agent_message_chunk": "AgentMessageChunk",
			"SessionUpdate=agent_thought_chunk": "AgentThoughtChunk",
			"DiffChange=add":                    "DiffAdd", "DiffChange=delete": "DiffDelete", "DiffChange=modify": "DiffModify", "DiffChange=move": "DiffMove", "DiffChange=copy": "DiffCopy",
		},
		plain: map[string]string{"ToolCallUpdate": "ToolCall", "StateUpdate": "SessionState"},
		unions: map[string]unionNames{
			"ContentBlock":              {method: "BlockType", unknown: "UnknownBlock"},
			"SessionUpdate":             {method: "UpdateVariant", unknown: "UnknownUpdate", field: "Variant"},
			"ToolCallContent":           {method: "ContentType", unknown: "UnknownToolContent"},
			"DiffChange":                {method: "DiffOperation", unknown: "UnknownDiffChange"},
			"RequestPermissionSubject":  {method: "SubjectType", unknown: "UnknownSubject"},
			"RequestPermissionOutcome":  {method: "OutcomeKind", unknown: "UnknownOutcome"},
			"AvailableCommand":          {method: "EntryName", byHand: "ACP-A9 says more about its readers than the schema, and every entry has a name"},
			"AuthMethod":                {method: "AuthType", unknown: "UnknownAuth"},
			"PlanUpdateContent":         {method: "PlanType", unknown: "UnknownPlan"},
			"McpServer":                 {method: "ServerType", unknown: "UnknownMCPServer"},
			"ReplayFrom":                {method: "ReplayType", unknown: "UnknownReplay"},
			"BackgroundWork":            {method: "WorkType", unknown: "UnknownWork"},
			"SessionConfigOption":       {method: "OptionType", unknown: "UnknownOption"},
			"ElicitationPropertySchema": {method: "PropertyType", unknown: "UnknownProperty"},
			"MultiSelectItems":          {method: "ItemsType", unknown: "UnknownItems"},
		},
		same: map[string]string{
			"InitializeProxyRequest": "InitializeRequest", "InitializeProxyResponse": "InitializeResponse", "ForkSessionResponse": "NewSessionResponse",
		},
		raw: map[string]string{
			"RequestId":               "the id of a request is a text or a number, and keeps its spelling",
			"ErrorData":               "what it holds depends on the code, and anything is allowed",
			"ElicitationContentValue": "a text, number, truth value or list of texts that a form has asked for",
			"ProxySuccessorResponse":  "it is the result of another method",
			"ExtRequest":              "anything", "ExtResponse": "anything", "ExtNotification": "anything",
		},
		byHand: map[string]string{
			"ElicitationSchemaType":      "it has one value, which is written for the user",
			"TextResourceContents":       "it is a part of ResourceContents",
			"BlobResourceContents":       "it is a part of ResourceContents",
			"EmbeddedResourceResource":   "text and blob tell its variants apart, which are one thing to their users",
			"SessionConfigSelectOptions": "an array of values or one of groups; there is no tag",
		},
		merged: map[string]string{
			"AvailableCommandInput":         "all that is known is text, and whoever shows a command asks for the hint",
			"StateUpdate":                   "all members of all states are optional, and a state is to be asked for, not to be switched over",
			"SetSessionConfigOptionRequest": "the parameters of a method are one type",
			"CreateElicitationRequest":      "the parameters of a method are one type",
			"CreateElicitationResponse":     "the result of a method is one type",
			"MessageMcpResponse":            "the result of a method is one type",
		},
		check: map[string]bool{"AvailableCommandInput": true, "SetSessionConfigOptionRequest": true, "CreateElicitationRequest": true, "MessageMcpResponse": true},
		patches: map[string]bool{
			"UserMessage": true, "AgentMessage": true, "AgentThought": true, "ToolCallUpdate": true, "SessionInfoUpdate": true, "TerminalUpdate": true,
			"CompactionUpdate": true, "SubagentUpdate": true, "SessionMessage": true, "UsageUpdate.cost": true,
		},
		fields: map[string]string{"McpServerAcp.serverId": "ServerID"},
		fieldTypes: map[string]fieldType{
			"ElicitationSchema.type":              {"", `object.Const("type", "object")`},
			"Error.code":                          {"int", `object.Must("code", &x.Code, object.Int[int])`},
			"Skill.path":                          {"string", `object.Path("path", &x.Path, IsAbsolutePath)`},
			"InitializeRequest.capabilities":      {"ClientCapabilities", `object.Always("capabilities", &x.Capabilities, object.Struct[ClientCapabilities])`},
			"InitializeResponse.capabilities":     {"AgentCapabilities", `object.Always("capabilities", &x.Capabilities, object.Struct[AgentCapabilities])`},
			"InitializeRequest.protocolVersion":   {"int", `object.Must("protocolVersion", &x.ProtocolVersion, readVersion)`},
			"InitializeResponse.protocolVersion":  {"int", `object.Must("protocolVersion", &x.ProtocolVersion, readVersion)`},
			"SetSessionConfigOptionRequest.value": {"json.RawMessage", `object.Must("value", &x.Value, object.Any)`},
		},
		methods: map[string]string{
			"SetSessionConfigOptionRequest": "MethodSetConfigOption", "CancelSessionNotification": "MethodCancel", "UpdateSessionNotification": "MethodUpdate",
			"MessageMcpRequest": "MethodMCPMessage", "MessageMcpNotification": "-", "InitializeProxyRequest": "MethodProxyInitialize",
			"ProxySuccessorRequest": "MethodProxySuccessor", "ProxySuccessorNotification": "-", "CancelRequestNotification": "-",
		},
		consts: map[string]string{
			"ToolKind": "ToolKind", "ToolCallStatus": "Tool", "Role": "Role", "IconTheme": "Theme", "DiffFileType": "DiffFile", "DiffPatchFormat": "DiffFormat",
			"PermissionOptionKind": "", "StringFormat": "Format", "LlmProtocol": "LLM", "AuthState": "Auth", "SessionConfigOptionCategory": "Category",
			"SessionStatus": "Session", "PlanEntryPriority": "Priority", "PlanEntryStatus": "Plan", "NoticeSeverity": "Notice", "CompactionStatus": "Compaction",
			"SystemPromptMode": "SystemPrompt", "SessionArchiveFilter": "Archived",
			"StateUpdate.state": "State", "StateUpdate.stopReason": "Stop", "CreateElicitationRequest.mode": "Elicit", "CreateElicitationResponse.action": "Elicitation",
			"SetSessionConfigOptionRequest.type": "Value",
		},
		docs: docsV2(),
	}
}
