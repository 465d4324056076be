//! Which act answers which conversation, in every API.

use std::io::{Read, Write};

use kumite_fake_model::{Act, By, Rule, Script, Server};
use serde_json::{Value, json};

use crate::requests::{APIS, Api, ChatMessage};
use crate::wire::{connect, post, request_text, until};

fn say(text: &str) -> Act {
    Act::Say {
        text: text.to_owned(),
    }
}

fn run(command: &str) -> Act {
    Act::Run {
        command: command.to_owned(),
    }
}

fn rule(when: &str, acts: Vec<Act>) -> Rule {
    Rule {
        when: when.to_owned(),
        acts,
        ..Rule::default()
    }
}

fn last_by(server: &Server) -> By {
    server.requests().pop().unwrap().by
}

#[test]
fn a_prompt_goes_through_its_acts_and_the_newest_prompt_wins() {
    let script = Script {
        rules: vec![
            rule("alpha", vec![run("one"), run("two"), say("alpha is done")]),
            rule("beta", vec![run("three")]),
        ],
        ..Script::default()
    };
    let server = Server::start(script).unwrap();
    let mut lines = vec![ChatMessage::User("do alpha")];
    let called = [ChatMessage::Called, ChatMessage::Gave("alpha beta")];
    let steps: [(&[ChatMessage<'_>], By); 6] = [
        (&[], By::Rule { rule: 0, act: 0 }),
        (&called, By::Rule { rule: 0, act: 1 }),
        (&called, By::Rule { rule: 0, act: 2 }),
        (
            &[
                ChatMessage::Said("alpha is done"),
                ChatMessage::User("now beta"),
            ],
            By::Rule { rule: 1, act: 0 },
        ),
        (&called, By::Done),
        (
            &[
                ChatMessage::Said("done."),
                ChatMessage::User("something else"),
            ],
            By::Done,
        ),
    ];
    for (more, by) in steps {
        lines.extend(more);
        for api in APIS {
            for stream in [false, true] {
                api.ask(&server, stream, &lines);
                assert_eq!(last_by(&server), by, "{api:?} {lines:?}");
            }
        }
    }
}

#[test]
fn a_prompt_after_broken_work_goes_on_with_it() {
    let script = Script {
        rules: vec![rule("alpha", vec![run("1"), run("2")])],
        ..Script::default()
    };
    let server = Server::start(script).unwrap();
    let stand_in =
        ChatMessage::Said("[The previous response was interrupted before it completed.]");
    let begun = [
        ChatMessage::User("alpha"),
        ChatMessage::Called,
        ChatMessage::Gave(""),
    ];
    for api in APIS {
        for between in [
            &[][..],
            &[stand_in],
            &[ChatMessage::Said("No response requested.")],
        ] {
            let lines = [&begun, between, &[ChatMessage::User("go on")]].concat();
            api.ask(&server, true, &lines);
            assert_eq!(
                last_by(&server),
                By::Rule { rule: 0, act: 1 },
                "{api:?} {between:?}"
            );
        }
    }
}

#[test]
fn every_tool_act_calls_what_the_program_offers() {
    let write = Act::Write {
        path: "a/b.md".to_owned(),
        content: "text\n".to_owned(),
    };
    let read = Act::Read {
        path: "/c.md".to_owned(),
    };
    let raw = Act::Tool {
        name: "Task".to_owned(),
        input: json!({"x": [1]}),
    };
    let script = Script::always(vec![Act::All(vec![write, read, run("ls"), raw])]);
    let server = Server::start(script).unwrap();
    let claude = json!({
        "tools": [{"name": "Write"}, {"name": "Read"}, {"name": "Bash"}, {"name": "Task"}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "system", "content": " - Primary working directory: /no/such dir\n - more"},
        ],
    });
    let answer = post(&server, "/v1/messages", &claude).json();
    let calls: Vec<(&str, &Value)> = answer["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| (block["name"].as_str().unwrap(), &block["input"]))
        .collect();
    let expected = [
        (
            "Write",
            json!({"file_path": "/no/such dir/a/b.md", "content": "text\n"}),
        ),
        ("Read", json!({"file_path": "/c.md"})),
        (
            "Bash",
            json!({"command": "ls", "description": "Run the scripted command"}),
        ),
        ("Task", json!({"x": [1]})),
    ];
    assert_eq!(
        calls,
        expected.each_ref().map(|(name, input)| (*name, input))
    );
}

#[test]
fn the_working_directory_is_found_in_the_words_of_each_program() {
    let write = Act::Write {
        path: "b.md".to_owned(),
        content: "text".to_owned(),
    };
    let server = Server::start(Script::always(vec![write])).unwrap();
    let gemini = json!({
        "tools": [{"functionDeclarations": [{"name": "write_file"}]}],
        "contents": [{"role": "user", "parts": [
            {"text": "<session_context>\n- **Workspace Directories:**\n  - /no/g\n- **More"},
            {"text": "go"},
        ]}],
    });
    let answer = post(&server, "/v1beta/models/m:generateContent", &gemini).json();
    let call = &answer["candidates"][0]["content"]["parts"][0]["functionCall"];
    assert_eq!(call["args"]["file_path"], "/no/g/b.md");

    let opencode = json!({
        "tools": [{"type": "function", "function": {"name": "write"}}],
        "messages": [
            {"role": "system", "content": "<env>\n  Working directory: /no/o\n  Platform: linux"},
            {"role": "user", "content": "\"go\""},
        ],
    });
    let answer = post(&server, "/v1/chat/completions", &opencode).json();
    let call = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
    let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments["filePath"], "/no/o/b.md");
}

#[test]
fn housekeeping_gets_an_answer_and_uses_up_no_act() {
    let limit = Act::Limit {
        resets_in_s: None,
        times: Some(1),
    };
    let server = Server::start(Script::always(vec![limit])).unwrap();
    for api in APIS {
        let answer = api.ask_with(&server, true, &[ChatMessage::User("make a title")], &[]);
        assert_eq!(answer.status, 200);
        assert_eq!(last_by(&server), By::Housekeeping);
    }
    assert_eq!(
        Api::Chat
            .ask(&server, false, &[ChatMessage::User("go")])
            .status,
        429
    );
    assert_eq!(
        Api::Chat
            .ask(&server, false, &[ChatMessage::User("go")])
            .status,
        200
    );
}

#[test]
fn housekeeping_that_wants_json_gets_what_fits_its_schema() {
    let server = Server::start(Script::default()).unwrap();
    let schema = json!({
        "type": "OBJECT",
        "properties": {
            "reasoning": {"type": "STRING"},
            "next_speaker": {"type": "STRING", "enum": ["user", "model"]},
        },
    });
    let fits = |text: &Value| {
        let value: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
        assert_eq!(value, json!({"reasoning": "ok", "next_speaker": "user"}));
    };
    let mut body = Api::Gemini.body(false, &[ChatMessage::User("who speaks next?")], &[]);
    body["generationConfig"] = json!({"responseJsonSchema": schema});
    let answer = post(&server, Api::Gemini.path(false), &body).json();
    fits(&answer["candidates"][0]["content"]["parts"][0]["text"]);

    let mut body = Api::Anthropic.body(false, &[ChatMessage::User("x")], &[]);
    body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    fits(&post(&server, "/v1/messages", &body).json()["content"][0]["text"]);

    let mut body = Api::Chat.body(false, &[ChatMessage::User("x")], &[]);
    body["response_format"] = json!({"type": "json_schema", "json_schema": {"schema": schema}});
    let answer = post(&server, "/v1/chat/completions", &body).json();
    fits(&answer["choices"][0]["message"]["content"]);

    let mut body = Api::Responses.body(false, &[ChatMessage::User("x")], &[]);
    body["text"] = json!({"format": {"type": "json_schema", "schema": schema}});
    let answer = post(&server, "/v1/responses", &body).json();
    fits(&answer["output"][0]["content"][0]["text"]);
}

#[test]
fn a_role_is_told_by_what_stands_beside_the_prompt() {
    let beside = |beside: &str, acts: Vec<Act>| Rule {
        beside: beside.to_owned(),
        acts,
        ..Rule::default()
    };
    let result = |value: Value| Act::Result { value };
    let script = Script {
        rules: vec![
            beside(
                "should_continue",
                vec![result(json!({"should_continue": true}))],
            ),
            beside("evaluator_comment", vec![result(json!({"score": 7}))]),
            beside("You are a member", vec![say("I did it")]),
        ],
        without_tools: true,
        ..Script::default()
    };
    let server = Server::start(script).unwrap();
    let schema = |field: &str| json!({"type": "object", "properties": {field: {}}});
    let go = [ChatMessage::User("go")];

    let mut judge = Api::Chat.body(false, &go, &[]);
    let function = json!({"name": "final_result", "parameters": schema("should_continue")});
    judge["tools"] = json!([{"type": "function", "function": function}]);
    let answer = post(&server, Api::Chat.path(false), &judge).json();
    let call = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!(call["name"], "final_result");
    assert_eq!(call["arguments"], "{\"should_continue\":true}");

    let mut evaluator = Api::Ollama.body(false, &go, &[]);
    evaluator["format"] = schema("evaluator_comment");
    let answer = post(&server, Api::Ollama.path(false), &evaluator).json();
    assert_eq!(answer["message"]["content"], "{\"score\":7}");

    let mut member = Api::Anthropic.body(false, &go, &[]);
    member["system"] = json!("You are a member of a team.");
    let answer = post(&server, Api::Anthropic.path(false), &member).json();
    assert_eq!(answer["content"][0]["text"], "I did it");
}

#[test]
fn any_act_can_be_done_so_many_times_only() {
    let only = Act::Only {
        times: 2,
        act: Box::new(say("not yet")),
    };
    let server = Server::start(Script::always(vec![only, say("now")])).unwrap();
    let lines = [
        ChatMessage::User("go"),
        ChatMessage::Said("not yet"),
        ChatMessage::User("again"),
    ];
    let said: Vec<_> = (0..4)
        .map(|_| {
            let answer = Api::Chat.ask(&server, false, &lines).json();
            answer["choices"][0]["message"]["content"].clone()
        })
        .collect();
    assert_eq!(said, ["not yet", "not yet", "now", "now"]);
}

#[test]
fn a_delay_holds_every_answer_back_and_ends_with_the_server() {
    let script = Script {
        delay_ms: 3_600_000,
        ..Script::always(vec![say("late")])
    };
    let server = Server::start(script).unwrap();
    let mut conn = connect(&server);
    let body = Api::Chat
        .body(false, &[ChatMessage::User("go")], &["x"])
        .to_string();
    conn.write_all(request_text("POST", Api::Chat.path(false), "", &body).as_bytes())
        .unwrap();
    until("the request is seen", || !server.requests().is_empty());
    drop(server);
    let mut answer = Vec::new();
    let _ = conn.read_to_end(&mut answer);
    assert!(answer.is_empty());
}

#[test]
fn requests_are_remembered() {
    let server = Server::start(Script::always(vec![say("hello")])).unwrap();
    let prompt = "組".repeat(300);
    Api::Anthropic.ask(&server, false, &[ChatMessage::User(&prompt)]);
    let seen = server.requests();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (seen[0].method.as_str(), seen[0].path.as_str()),
        ("POST", "/v1/messages")
    );
    assert_eq!(seen[0].model, "fake-model");
    assert_eq!(seen[0].prompt, format!("{}...", "組".repeat(200)));
    assert_eq!(seen[0].tools, ["Bash", "Read", "Write"]);
    assert_eq!(seen[0].by, By::Rule { rule: 0, act: 0 });
}

#[test]
fn a_new_script_begins_to_count_anew() {
    let overload = Act::Overload { times: Some(1) };
    let script = Script::always(vec![overload, say("hello")]);
    let server = Server::start(script.clone()).unwrap();
    let ask = || {
        Api::Anthropic
            .ask(&server, false, &[ChatMessage::User("go")])
            .status
    };
    assert_eq!([ask(), ask()], [529, 200]);
    server.set(script);
    assert_eq!([ask(), ask()], [529, 200]);
}
