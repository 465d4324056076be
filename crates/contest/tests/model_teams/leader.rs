//! The leader: its prompt, the end of a try, the cost.

use std::thread;
use std::time::Duration;

use kumite_contest::teams::model::Error;
use kumite_core::contest::{Failure, Used};
use kumite_fake_model::Act;
use kumite_formats::contest::{MemberKind, Price};
use serde_json::Value;

use crate::stage::{Stage, call, member, say, team};

fn texts(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter();
    let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
    parts
        .map(|part| format!("{}: {}", part["part_kind"], part["content"]))
        .collect()
}

/// The text of the system message of a request, if there is one.
fn system(body: &Value) -> Option<String> {
    let first = &body["messages"][0];
    (first["role"] == "system").then(|| first["content"].as_str().unwrap().to_owned())
}

#[test]
fn a_leader_alone_answers_by_itself() {
    let stage = Stage::new(&[("poem", vec![say("Roses are red.")])]);
    let handed = stage.submit(&team(Vec::new()), "Write a poem").unwrap();
    assert_eq!(handed.text, "Roses are red.");
    assert_eq!(handed.format, "md");
    assert_eq!(handed.flaw, None);
    assert_eq!(handed.members, Value::Array(Vec::new()));
    assert_eq!(
        texts(&handed.messages),
        [
            r#""user-prompt": "Write a poem""#,
            r#""text": "Roses are red.""#
        ]
    );
    assert_eq!(
        (handed.used.input_tokens, handed.used.output_tokens),
        (100, 20)
    );
    assert_eq!(stage.server.requests().len(), 1);
}

#[test]
fn the_instruction_is_built_in_replaced_or_left_out_and_the_prompt_is_added() {
    let helpers = || vec![member("a", MemberKind::Plain)];
    for (members, instruction, added, expected) in [
        (Vec::new(), None, None, "You take part in a contest"),
        (helpers(), None, None, "You lead a team"),
        (helpers(), Some("Be brief."), None, "Be brief."),
        (
            helpers(),
            Some("Be brief."),
            Some("In French."),
            "Be brief.\n\nIn French.",
        ),
        (helpers(), Some(""), Some("In French."), "In French."),
        (helpers(), Some(""), None, ""),
        (helpers(), Some(" \n"), None, ""),
    ] {
        let stage = Stage::new(&[("", vec![say("ok")])]);
        let mut team = team(members);
        team.leader.system_instruction = instruction.map(str::to_owned);
        team.leader.system_prompt = added.map(str::to_owned);
        stage.submit(&team, "go").unwrap();
        let told = system(&stage.bodies()[0]);
        match expected {
            "" => assert_eq!(told, None),
            words => assert!(
                told.clone().is_some_and(|told| told.starts_with(words)),
                "{told:?}"
            ),
        }
    }
}

#[test]
fn d3_every_round_begins_with_nothing_but_its_prompt() {
    let members = vec![member("a", MemberKind::Plain)];
    let stage = Stage::new(&[
        (
            "first",
            vec![call("a", "look into apples"), say("apples it is")],
        ),
        (
            "second",
            vec![call("a", "look into pears"), say("pears it is")],
        ),
        ("look into", vec![say("fruit")]),
    ]);
    let team = stage.team(&team(members)).unwrap();
    stage.submit_with(&team, "the first round").unwrap();
    let before = stage.bodies().len();
    let handed = stage.submit_with(&team, "the second round").unwrap();
    assert_eq!(handed.text, "pears it is");
    let bodies = stage.bodies();
    assert_eq!(bodies.len(), 6);
    for body in &bodies[before..] {
        let body = body.to_string();
        assert!(
            !body.contains("first") && !body.contains("apples"),
            "{body}"
        );
    }
    assert!(!handed.messages.to_string().contains("apples"));
    assert_eq!(handed.members.as_array().unwrap().len(), 1);
}

#[test]
fn a_first_call_that_fails_goes_back_at_once() {
    for (act, failure, retry_after_ms, words) in [
        (
            Act::Error {
                status: 500,
                message: "oops".to_owned(),
                times: None,
            },
            Failure::Passing,
            None,
            "oops",
        ),
        (
            Act::Rate {
                retry_after_s: Some(7),
                times: None,
            },
            Failure::Passing,
            Some(7000),
            "limited",
        ),
        (
            Act::Overload { times: None },
            Failure::Passing,
            None,
            "overloaded",
        ),
        (
            Act::Cut { times: None },
            Failure::Passing,
            None,
            "openai:lead",
        ),
        (
            Act::Auth { times: None },
            Failure::Lasting,
            None,
            "OPENAI_API_KEY",
        ),
        (
            Act::Error {
                status: 400,
                message: "bad".to_owned(),
                times: None,
            },
            Failure::Lasting,
            None,
            "bad",
        ),
        (
            Act::Garbage { times: None },
            Failure::Unusable,
            None,
            "no JSON",
        ),
    ] {
        let stage = Stage::new(&[("", vec![act.clone()])]);
        let missed = stage.submit(&team(Vec::new()), "go").unwrap_err();
        assert_eq!(missed.failed.failure, failure, "{act:?}: {missed:?}");
        assert_eq!(missed.failed.retry_after_ms, retry_after_ms, "{act:?}");
        assert!(missed.failed.why.contains(words), "{act:?}: {missed:?}");
        assert_eq!(missed.used, Used::default());
        assert_eq!(stage.server.requests().len(), 1, "{act:?}");
    }
}

#[test]
fn trouble_in_the_middle_is_tried_again_without_starting_over() {
    let trouble = |times| Act::Error {
        status: 500,
        message: "oops".to_owned(),
        times,
    };
    let rules = |times| {
        let lead = vec![call("a", "think"), trouble(times), say("done")];
        Stage::new(&[("go", lead), ("think", vec![say("thought")])])
    };
    let mut team = team(vec![member("a", MemberKind::Plain)]);
    let stage = rules(Some(1));
    let handed = stage.submit(&team, "go").unwrap();
    assert_eq!(handed.text, "done");
    assert_eq!(handed.members.as_array().unwrap().len(), 1);
    // The pause is not the team's time.
    assert_eq!(handed.used.waited_ms, 1000);
    assert_eq!(stage.server.requests().len(), 4);

    team.leader.llm.max_retries = 0;
    let stage = rules(None);
    let missed = stage.submit(&team, "go").unwrap_err();
    assert_eq!(missed.failed.failure, Failure::Passing);
    // The first call of the leader and the call of the member are paid for.
    assert_eq!(
        (missed.used.input_tokens, missed.used.output_tokens),
        (200, 40)
    );
    assert_eq!(stage.server.requests().len(), 3);
}

#[test]
fn a_wait_that_would_not_end_in_time_is_left_to_the_core() {
    let stage = Stage::new(&[
        (
            "go",
            vec![
                call("a", "think"),
                Act::Rate {
                    retry_after_s: Some(600),
                    times: None,
                },
            ],
        ),
        ("think", vec![say("thought")]),
    ]);
    let missed = stage
        .submit(&team(vec![member("a", MemberKind::Plain)]), "go")
        .unwrap_err();
    assert_eq!(missed.failed.failure, Failure::Passing);
    assert_eq!(missed.failed.retry_after_ms, Some(600_000));
}

#[test]
fn d9_no_submission_in_time_says_how_long_it_was_waited_for() {
    let mut stage = Stage::new(&[("", vec![Act::Hang { times: None }])]);
    stage.timeout = Duration::from_millis(200);
    let missed = stage.submit(&team(Vec::new()), "go").unwrap_err();
    assert_eq!(missed.failed.failure, Failure::TimedOut);
    assert!(
        missed.failed.why.contains("no submission within 0.2 s"),
        "{missed:?}"
    );
}

#[test]
fn a_member_that_takes_all_the_time_leaves_none_for_the_submission() {
    let mut stage = Stage::new(&[
        ("go", vec![call("a", "think"), say("too late")]),
        ("think", vec![Act::Hang { times: None }]),
    ]);
    stage.timeout = Duration::from_millis(300);
    let missed = stage
        .submit(&team(vec![member("a", MemberKind::Plain)]), "go")
        .unwrap_err();
    assert_eq!(missed.failed.failure, Failure::TimedOut);
    assert_eq!(missed.used.input_tokens, 100);
}

#[test]
fn one_slow_call_may_pass_while_there_is_time() {
    let stage = Stage::new(&[("", vec![Act::Hang { times: None }])]);
    let mut team = team(Vec::new());
    team.leader.llm.timeout_ms = 100;
    let missed = stage.submit(&team, "go").unwrap_err();
    assert_eq!(missed.failed.failure, Failure::Passing, "{missed:?}");
    team.leader.llm.timeout_ms = 0;
    let mut stage = stage;
    stage.timeout = Duration::from_millis(100);
    let missed = stage.submit(&team, "go").unwrap_err();
    assert_eq!(missed.failed.failure, Failure::TimedOut, "{missed:?}");
}

#[test]
fn a_cancel_ends_a_leader_and_its_members_at_once() {
    let sleeper = kumite_formats::contest::Command {
        argv: ["sleep", "600"].map(str::to_owned).to_vec(),
        timeout_ms: 600_000,
    };
    let members = || {
        vec![
            member("model", MemberKind::Plain),
            member("program", MemberKind::Command(sleeper.clone())),
        ]
    };
    let both = Act::All(vec![call("model", "think"), call("program", "sleep")]);
    for (acts, requests) in [
        (vec![Act::Hang { times: None }], 1),
        (vec![both, say("never")], 2),
        (vec![call("program", "sleep"), say("never")], 1),
    ] {
        let stage = Stage::new(&[("go", acts), ("think", vec![Act::Hang { times: None }])]);
        let team = stage.team(&team(members())).unwrap();
        thread::scope(|scope| {
            let trying = scope.spawn(|| stage.submit_with(&team, "go"));
            while stage.server.requests().len() < requests {
                thread::yield_now();
            }
            stage.cancel.cancel();
            let missed = trying.join().unwrap().unwrap_err();
            assert!(missed.failed.why.contains("cancelled"), "{missed:?}");
        });
    }
}

#[test]
fn a_leader_that_never_ends_is_stopped() {
    let acts = vec![call("nobody", "go on"); 60];
    let stage = Stage::new(&[("", acts)]);
    let missed = stage
        .submit(&team(vec![member("a", MemberKind::Plain)]), "go")
        .unwrap_err();
    assert_eq!(missed.failed.failure, Failure::Unusable);
    assert_eq!(missed.used.input_tokens, 5000);
}

#[test]
fn d14_a_team_is_charged_what_leader_and_members_used() {
    let mut stage = Stage::new(&[
        (
            "go",
            vec![
                Act::All(vec![call("a", "think"), call("b", "think")]),
                say("done"),
            ],
        ),
        ("think", vec![say("thought")]),
    ]);
    let price = |input, output| Price { input, output };
    stage
        .prices
        .insert("openai:lead".to_owned(), price(2.5, 10.0));
    stage
        .prices
        .insert("openai:helper".to_owned(), price(0.15, 0.6));
    let mut free = member("b", MemberKind::Plain);
    free.llm.model = "openai:unpriced".to_owned();
    let team = team(vec![member("a", MemberKind::Plain), free]);
    let used = stage.submit(&team, "go").unwrap().used;
    // Four calls of 100 and 20 tokens; two of them by the leader.
    assert_eq!((used.input_tokens, used.output_tokens), (400, 80));
    assert_eq!(used.micros, 2 * (250 + 200) + (15 + 12));
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is() {
    let mut stage = Stage::new(&[]);
    stage.env = vec![("OPENAI_API_KEY", "")];
    let error = |stage: &Stage, members: Vec<kumite_formats::contest::Member>| {
        let mut team = team(members);
        team.leader.llm.model = "anthropic:lead".to_owned();
        let made: Result<_, Error> = stage.team(&team);
        kumite_project::spec_file::sentence(&made.map(|_| ()).unwrap_err())
    };
    let said = error(&stage, vec![member("a", MemberKind::Plain)]);
    assert!(
        said.starts_with("member a cannot be asked: ") && said.contains("OPENAI_API_KEY"),
        "{said}"
    );
    stage.env = vec![("ANTHROPIC_API_KEY", "")];
    let said = error(&stage, Vec::new());
    assert!(
        said.starts_with("leader: ") && said.contains("ANTHROPIC_API_KEY"),
        "{said}"
    );
    stage.env = Vec::new();
    for kind in [
        MemberKind::WebSearch { max_results: None },
        MemberKind::CodeExecution,
    ] {
        let said = error(&stage, vec![member("a", kind)]);
        assert!(
            said.contains("openai:helper cannot do") && said.contains("openai-responses"),
            "{said}"
        );
    }
    let mut unknown = member("a", MemberKind::Plain);
    unknown.llm.model = "anthropc:x".to_owned();
    let said = error(&stage, vec![unknown]);
    assert!(said.contains("did you mean anthropic"), "{said}");
    assert!(stage.server.requests().is_empty());
}
