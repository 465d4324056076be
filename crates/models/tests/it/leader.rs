//! A leader and its members.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use kumite_fake_model::Act;
use kumite_models::{
    Call, Cancel, Client, Exchange, Failure, Kind, Leader, Led, Member, MemberAnswer, MemberCall,
    Message, Options, Provider, Reply, Stop, TURNS_MAX, Usage, lead,
};
use serde_json::{Value, json};

use crate::stage::{model, say, server};

fn leader(provider: Provider, url: &str) -> Leader {
    let member = |name: &str| Member {
        tool_name: format!("delegate_to_{name}"),
        description: format!("Delegate task to {name}"),
    };
    Leader {
        model: model(provider, url),
        system: Some("You lead.".to_owned()),
        options: Options::default(),
        native: Vec::new(),
        members: vec![member("a"), member("b")],
        max_concurrent: 15,
    }
}

fn run(leader: &Leader, member: &(dyn Fn(MemberCall<'_>) -> MemberAnswer + Sync)) -> Led {
    let client = Client::new();
    lead(leader, "go", &|ask| client.ask(ask, &Cancel::new()), member)
}

fn call(name: &str, input: Value) -> Act {
    Act::Tool {
        name: format!("delegate_to_{name}"),
        input,
    }
}

fn well(text: String) -> MemberAnswer {
    MemberAnswer {
        text,
        is_error: false,
    }
}

#[test]
fn members_work_at_the_same_time_and_their_results_go_back() {
    for provider in Provider::ALL {
        let both = Act::All(vec![
            call("a", json!({"task": "dig"})),
            call("b", json!({"task": "build"})),
        ]);
        let server = server(vec![
            both,
            call("a", json!({"task": "polish"})),
            say("It stands."),
        ]);
        // Both members must be running, or this waits for ever.
        let together = Barrier::new(2);
        let led = run(&leader(provider, &server.url()), &|call| {
            if call.number < 2 {
                together.wait();
            }
            well(format!("{} by {}", call.task, call.member))
        });
        assert_eq!(led.answer, Ok("It stands.".to_owned()), "{provider}");
        assert_eq!(led.calls, 3);
        assert_eq!(led.usage.input_tokens, 300);
        let results: Vec<_> = led
            .conversation
            .turns
            .iter()
            .filter_map(results)
            .flatten()
            .collect();
        assert_eq!(results, ["dig by 0", "build by 1", "polish by 0"]);
        let offered = &server.requests()[0].tools;
        assert_eq!(offered, &["delegate_to_a", "delegate_to_b"]);
    }
}

fn results(turn: &Exchange) -> Option<Vec<String>> {
    match turn {
        Exchange::Sent {
            message: Message::Results(results),
            ..
        } => Some(results.iter().map(|result| result.text.clone()).collect()),
        _ => None,
    }
}

#[test]
fn a_leader_without_members_just_answers() {
    for provider in Provider::ALL {
        let server = server(vec![say("done alone")]);
        let alone = Leader {
            members: Vec::new(),
            ..leader(provider, &server.url())
        };
        let led = run(&alone, &|_| unreachable!("there are no members"));
        assert_eq!((led.answer, led.calls), (Ok("done alone".to_owned()), 0));
    }
}

#[test]
fn what_cannot_be_understood_is_told_to_the_model() {
    for provider in Provider::ALL {
        let wrong = Act::All(vec![
            call("nobody", json!({"task": "x"})),
            call("a", json!({"tasks": "x"})),
            call("a", json!({"task": 7})),
            call("b", json!({"task": " "})),
            call("b", json!({"task": "fail"})),
        ]);
        let server = server(vec![wrong, say("I see.")]);
        let led = run(&leader(provider, &server.url()), &|_| MemberAnswer {
            text: "it broke".to_owned(),
            is_error: true,
        });
        assert_eq!(led.answer, Ok("I see.".to_owned()));
        assert_eq!(led.calls, 1);
        let Exchange::Sent {
            message: Message::Results(results),
            ..
        } = &led.conversation.turns[2]
        else {
            panic!("no results: {:?}", led.conversation.turns)
        };
        assert!(results.iter().all(|result| result.is_error));
        let texts: Vec<_> = results.iter().map(|result| result.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "error: there is no tool \"delegate_to_nobody\"; there are: delegate_to_a, delegate_to_b",
                "error: delegate_to_a needs a non-empty text \"task\"",
                "error: delegate_to_a needs a non-empty text \"task\"",
                "error: delegate_to_b needs a non-empty text \"task\"",
                "it broke",
            ]
        );
    }
}

fn reply(calls: Vec<Call>) -> Reply {
    Reply {
        text: String::new(),
        calls,
        structured: None,
        usage: Usage {
            input_tokens: 10,
            ..Usage::default()
        },
        stop: Stop::Tools,
        model: "m".to_owned(),
        raw: None,
    }
}

fn calls(count: usize, task: &Value) -> Vec<Call> {
    let call = |index: usize| Call {
        id: index.to_string(),
        name: "delegate_to_a".to_owned(),
        input: json!({"task": task}),
    };
    (0..count).map(call).collect()
}

#[test]
fn a_leader_that_never_ends_is_stopped() {
    let asked = AtomicUsize::new(0);
    let ask = |_: &kumite_models::Ask| {
        asked.fetch_add(1, Ordering::Relaxed);
        Ok(reply(calls(1, &json!("more"))))
    };
    let led = lead(&leader(Provider::OpenAi, "http://x"), "go", &ask, &|_| {
        well("ok".to_owned())
    });
    let failure = led.answer.unwrap_err();
    assert_eq!(failure.kind, Kind::Endless);
    assert_eq!(
        failure.message,
        "openai:m still called members after 50 answers"
    );
    assert!(!failure.may_pass());
    assert_eq!((asked.into_inner(), led.calls), (TURNS_MAX, TURNS_MAX));
}

#[test]
fn no_more_members_work_at_a_time_than_may() {
    for max_concurrent in [0, 1, 3] {
        let leader = Leader {
            max_concurrent,
            ..leader(Provider::OpenAi, "http://x")
        };
        let answers = RefCell::new(vec![reply(Vec::new()), reply(calls(20, &json!("dig")))]);
        let ask = |_: &kumite_models::Ask| Ok(answers.borrow_mut().pop().unwrap());
        let (now, most) = (AtomicUsize::new(0), Mutex::new(0));
        let led = lead(&leader, "go", &ask, &|call| {
            let working = now.fetch_add(1, Ordering::SeqCst) + 1;
            {
                let mut most = most.lock().unwrap();
                *most = working.max(*most);
            }
            std::thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            well(call.number.to_string())
        });
        assert!(*most.lock().unwrap() <= max_concurrent.max(1));
        let in_order: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(results(&led.conversation.turns[2]), Some(in_order));
    }
}

#[test]
fn what_was_used_before_a_failure_is_known() {
    let failure = Failure {
        kind: Kind::TimedOut,
        message: "too late".to_owned(),
    };
    let answers = RefCell::new(vec![
        Err(failure.clone()),
        Ok(reply(calls(2, &json!("dig")))),
    ]);
    let ask = |_: &kumite_models::Ask| answers.borrow_mut().pop().unwrap();
    let led = lead(&leader(Provider::OpenAi, "http://x"), "go", &ask, &|_| {
        well("ok".to_owned())
    });
    assert_eq!(led.answer, Err(failure));
    assert_eq!((led.calls, led.usage.input_tokens), (2, 10));
}
