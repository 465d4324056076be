//! Members: what they get, what the leader gets back, and what is recorded.

use kumite_fake_model::Act;
use kumite_formats::contest::MemberKind;
use serde_json::{Value, json};

use crate::stage::{Stage, call, member, say, team};

fn plain(name: &str) -> kumite_formats::contest::Member {
    member(name, MemberKind::Plain)
}

/// The tool results in the last request.
fn results(stage: &Stage) -> Vec<String> {
    let bodies = stage.bodies();
    let messages = bodies.last().unwrap()["messages"]
        .as_array()
        .unwrap()
        .clone();
    let results = messages
        .into_iter()
        .filter(|message| message["role"] == "tool");
    results
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn several_members_answer_in_the_order_of_their_calls() {
    let stage = Stage::new(&[
        (
            "go",
            vec![
                Act::All(vec![
                    call("b", "pears"),
                    call("a", "apples"),
                    call("a", "plums"),
                ]),
                say("fruit salad"),
            ],
        ),
        (
            "pears",
            vec![Act::Slow {
                ms: 50,
                times: Some(1),
            }],
        ),
        ("apples", vec![say("red ones")]),
        ("plums", vec![say("blue ones")]),
    ]);
    let handed = stage
        .submit(&team(vec![plain("a"), plain("b")]), "go")
        .unwrap();
    assert_eq!(handed.text, "fruit salad");
    assert_eq!(results(&stage), ["done.", "red ones", "blue ones"]);
    let members = handed.members.as_array().unwrap();
    let said = |member: &Value| format!("{}{}", member["agent_name"], member["content"]);
    let said: Vec<String> = members.iter().map(said).collect();
    assert_eq!(
        said,
        [r#""b""done.""#, r#""a""red ones""#, r#""a""blue ones""#]
    );
}

#[test]
fn a_record_has_the_shape_that_mixseeks_readers_know() {
    let stage = Stage::new(&[
        ("go", vec![call("a", "apples"), say("done")]),
        ("apples", vec![say("red ones")]),
    ]);
    let handed = stage.submit(&team(vec![plain("a")]), "go").unwrap();
    let mut record = handed.members[0].clone();
    let messages = record["all_messages"].take();
    let stamp = record["timestamp"].take();
    assert!(record["execution_time_ms"].take().is_u64());
    assert!(
        stamp.as_str().unwrap().parse::<jiff::Timestamp>().is_ok(),
        "{stamp}"
    );
    assert_eq!(
        record,
        json!({
            "agent_name": "a", "agent_type": "plain", "content": "red ones", "status": "SUCCESS",
            "error_message": null,
            "usage": {
                "input_tokens": 100, "cache_write_tokens": 0, "cache_read_tokens": 0,
                "output_tokens": 20, "input_audio_tokens": 0, "cache_audio_read_tokens": 0,
                "output_audio_tokens": 0, "details": {}, "requests": 1, "tool_calls": 0,
            },
            "timestamp": null, "execution_time_ms": null, "all_messages": null,
        })
    );
    let kinds = |messages: &Value| -> Vec<String> {
        let messages = messages.as_array().unwrap().iter();
        let kind = |message: &Value| {
            let parts = message["parts"].as_array().unwrap().iter();
            let parts: Vec<_> = parts
                .map(|part| part["part_kind"].as_str().unwrap())
                .collect();
            format!("{} {}", message["kind"].as_str().unwrap(), parts.join(" "))
        };
        messages.map(kind).collect()
    };
    assert_eq!(kinds(&messages), ["request user-prompt", "response text"]);
    assert_eq!(
        kinds(&handed.messages),
        [
            "request user-prompt",
            "response tool-call",
            "request tool-return",
            "response text"
        ]
    );
}

#[test]
fn a_member_that_fails_is_recorded_and_the_team_goes_on() {
    let stage = Stage::new(&[
        (
            "go",
            vec![
                Act::All(vec![call("a", "apples"), call("b", "pears")]),
                say("without apples"),
            ],
        ),
        ("apples", vec![Act::Auth { times: None }]),
        ("pears", vec![say("green ones")]),
    ]);
    let handed = stage
        .submit(&team(vec![plain("a"), plain("b")]), "go")
        .unwrap();
    assert_eq!(handed.text, "without apples");
    let (bad, good) = (&handed.members[0], &handed.members[1]);
    assert_eq!(
        (&bad["status"], &bad["content"]),
        (&json!("ERROR"), &json!(""))
    );
    assert!(
        bad["error_message"]
            .as_str()
            .unwrap()
            .contains("OPENAI_API_KEY"),
        "{bad}"
    );
    assert_eq!(
        (&good["status"], &good["error_message"]),
        (&json!("SUCCESS"), &Value::Null)
    );
    let told = &results(&stage)[0];
    assert!(told.starts_with("error: a could not do it: "), "{told}");
}

#[test]
fn a_member_is_asked_again_where_that_may_help() {
    let stage = Stage::new(&[
        ("go", vec![call("a", "apples"), say("done")]),
        (
            "apples",
            vec![
                Act::Rate {
                    retry_after_s: Some(0),
                    times: Some(2),
                },
                say("red ones"),
            ],
        ),
    ]);
    let handed = stage.submit(&team(vec![plain("a")]), "go").unwrap();
    assert_eq!(handed.members[0]["content"], "red ones");
    assert_eq!(stage.server.requests().len(), 5);
}

#[test]
fn a_member_that_says_nothing_has_failed() {
    let stage = Stage::new(&[
        ("go", vec![call("a", "apples"), say("done")]),
        ("apples", vec![say(" \n")]),
    ]);
    let handed = stage.submit(&team(vec![plain("a")]), "go").unwrap();
    assert_eq!(handed.members[0]["status"], "ERROR");
}

#[test]
fn a_call_of_nobody_is_answered_with_who_is_there() {
    let stage = Stage::new(&[("go", vec![call("nobody", "x"), say("alone then")])]);
    let handed = stage.submit(&team(vec![plain("a")]), "go").unwrap();
    assert_eq!(handed.text, "alone then");
    assert_eq!(handed.members, json!([]));
    let told = &results(&stage)[0];
    assert!(
        told.contains("delegate_to_nobody") && told.contains("delegate_to_a"),
        "{told}"
    );
}

#[test]
fn a_member_knows_its_instruction_and_its_task_and_nothing_else() {
    let stage = Stage::new(&[
        ("go", vec![call("a", "apples"), say("done")]),
        ("apples", vec![say("red ones")]),
    ]);
    let mut helper = plain("a");
    helper.system_instruction = Some("You know fruit.".to_owned());
    helper.system_prompt = Some("Be brief.".to_owned());
    helper.llm.temperature = Some(0.5);
    stage
        .submit(&team(vec![helper]), "go, this is secret")
        .unwrap();
    let body = &stage.bodies()[1];
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "You know fruit.\n\nBe brief."},
            {"role": "user", "content": "apples"},
        ])
    );
    assert_eq!(
        (&body["model"], &body["temperature"]),
        (&json!("helper"), &json!(0.5))
    );
    assert!(body.get("tools").is_none());
}
