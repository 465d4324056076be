//! Requests as the programs make them, one function per API.

use kumite_fake_model::Server;
use serde_json::{Value, json};

use crate::wire::{Response, post};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
    Ollama,
}

pub const APIS: [Api; 5] = [
    Api::Anthropic,
    Api::Chat,
    Api::Responses,
    Api::Gemini,
    Api::Ollama,
];

/// A message of a conversation.
#[derive(Debug, Clone, Copy)]
pub enum ChatMessage<'a> {
    User(&'a str),
    Said(&'a str),
    /// A tool was called.
    Called,
    /// The result of the tool.
    Gave(&'a str),
}

impl Api {
    pub fn ask(self, server: &Server, stream: bool, lines: &[ChatMessage<'_>]) -> Response {
        self.ask_with(server, stream, lines, &["Bash", "Read", "Write"])
    }

    pub fn ask_with(
        self,
        server: &Server,
        stream: bool,
        lines: &[ChatMessage<'_>],
        tools: &[&str],
    ) -> Response {
        post(server, self.path(stream), &self.body(stream, lines, tools))
    }

    pub fn path(self, stream: bool) -> &'static str {
        match (self, stream) {
            (Api::Anthropic, _) => "/v1/messages?beta=true",
            (Api::Chat, _) => "/v1/chat/completions",
            (Api::Responses, _) => "/v1/responses",
            (Api::Ollama, _) => "/api/chat",
            (Api::Gemini, false) => "/v1beta/models/fake-model:generateContent",
            (Api::Gemini, true) => "/v1beta/models/fake-model:streamGenerateContent?alt=sse",
        }
    }

    pub fn body(self, stream: bool, lines: &[ChatMessage<'_>], tools: &[&str]) -> Value {
        let lines: Vec<Value> = lines.iter().map(|line| self.line(*line)).collect();
        let tools: Vec<Value> = tools.iter().map(|name| self.tool(name)).collect();
        match self {
            Api::Anthropic | Api::Chat | Api::Ollama => {
                json!({"model": "fake-model", "stream": stream, "messages": lines, "tools": tools})
            }
            Api::Responses => {
                json!({"model": "fake-model", "stream": stream, "input": lines, "tools": tools})
            }
            Api::Gemini => json!({"contents": lines, "tools": [{"functionDeclarations": tools}]}),
        }
    }

    fn line(self, line: ChatMessage<'_>) -> Value {
        match (self, line) {
            (Api::Anthropic, ChatMessage::User(text)) => {
                let reminder = "<system-reminder>\nalpha beta\n</system-reminder>";
                let blocks = [reminder, text].map(|text| json!({"type": "text", "text": text}));
                json!({"role": "user", "content": blocks})
            }
            (Api::Anthropic, ChatMessage::Said(text)) => {
                json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
            }
            (Api::Anthropic, ChatMessage::Called) => {
                let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}});
                let text = json!({"type": "text", "text": "now"});
                json!({"role": "assistant", "content": [text, call]})
            }
            (Api::Anthropic, ChatMessage::Gave(text)) => {
                let result = json!({"type": "tool_result", "tool_use_id": "t", "content": text});
                json!({"role": "user", "content": [result]})
            }
            (Api::Chat | Api::Ollama, ChatMessage::User(text)) => {
                json!({"role": "user", "content": text})
            }
            (Api::Ollama, ChatMessage::Called) => {
                let call = json!({"function": {"name": "Bash", "arguments": {}}});
                json!({"role": "assistant", "content": "", "tool_calls": [call]})
            }
            (Api::Ollama, ChatMessage::Gave(text)) => {
                json!({"role": "tool", "tool_name": "Bash", "content": text})
            }
            (Api::Chat | Api::Ollama, ChatMessage::Said(text)) => {
                json!({"role": "assistant", "content": text})
            }
            (Api::Chat, ChatMessage::Called) => {
                let function = json!({"name": "Bash", "arguments": "{}"});
                let call = json!({"id": "t", "type": "function", "function": function});
                json!({"role": "assistant", "content": null, "tool_calls": [call]})
            }
            (Api::Chat, ChatMessage::Gave(text)) => {
                json!({"role": "tool", "tool_call_id": "t", "content": text})
            }
            (Api::Responses, ChatMessage::User(text)) => message("user", "input_text", text),
            (Api::Responses, ChatMessage::Said(text)) => message("assistant", "output_text", text),
            (Api::Responses, ChatMessage::Called) => {
                json!({"type": "function_call", "call_id": "t", "name": "x", "arguments": "{}"})
            }
            (Api::Responses, ChatMessage::Gave(text)) => {
                json!({"type": "function_call_output", "call_id": "t", "output": text})
            }
            (Api::Gemini, ChatMessage::User(text)) => {
                json!({"role": "user", "parts": [{"text": text}]})
            }
            (Api::Gemini, ChatMessage::Said(text)) => {
                json!({"role": "model", "parts": [{"text": text}]})
            }
            (Api::Gemini, ChatMessage::Called) => {
                let thought = json!({"text": "hm", "thought": true});
                let call = json!({"functionCall": {"id": "t", "name": "x", "args": {}}});
                json!({"role": "model", "parts": [thought, call]})
            }
            (Api::Gemini, ChatMessage::Gave(text)) => {
                let response = json!({"id": "t", "name": "x", "response": {"output": text}});
                json!({"role": "user", "parts": [{"functionResponse": response}]})
            }
        }
    }

    fn tool(self, name: &str) -> Value {
        match self {
            Api::Anthropic => json!({"name": name, "input_schema": {"type": "object"}}),
            Api::Chat | Api::Ollama => json!({"type": "function", "function": {"name": name}}),
            Api::Responses => json!({"type": "function", "name": name, "parameters": {}}),
            Api::Gemini => json!({"name": name}),
        }
    }
}

fn message(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}
