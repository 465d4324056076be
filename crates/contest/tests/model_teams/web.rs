//! Members that read the web.

use kumite_fake_model::Act;
use kumite_formats::contest::{Member, MemberKind};
use serde_json::{Value, json};

use crate::stage::{Stage, call, member, page, say, team};

fn fetcher(model: &str, max_uses: Option<u32>, allowed: &[&str], blocked: &[&str]) -> Member {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut helper = member(
        "web",
        MemberKind::WebFetch {
            max_uses,
            allowed_domains: list(allowed),
            blocked_domains: list(blocked),
        },
    );
    helper.llm.model = model.to_owned();
    helper
}

fn fetch(url: &str) -> Act {
    Act::Tool {
        name: "fetch".to_owned(),
        input: json!({"url": url}),
    }
}

/// What its tool told the member, call by call, and its record.
fn fetched(
    helper: Member,
    calls: Vec<Act>,
    env: &[(&'static str, &'static str)],
) -> (Vec<String>, Value) {
    let read = vec![Act::All(calls), say("I have read it")];
    let mut stage = Stage::new(&[
        ("go", vec![call("web", "read"), say("done")]),
        ("read", read),
    ]);
    stage.env = env.to_vec();
    let handed = stage.submit(&team(vec![helper]), "go").unwrap();
    let body = &stage.bodies()[2];
    let messages = body["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    let results = results.map(|message| message["content"].as_str().unwrap().to_owned());
    (results.collect(), handed.members[0].clone())
}

const PRIVATE: &[(&str, &str)] = &[("KUMITE_FETCH_PRIVATE", "1")];

#[test]
fn a_member_whose_provider_cannot_fetch_has_us_fetch() {
    let url = page("<html><script>no()</script><h1>Fruit</h1><p>Apples &amp; pears</p></html>");
    let helper = fetcher("openai:helper", Some(2), &[], &[]);
    let odd = Act::Tool {
        name: "fetch".to_owned(),
        input: json!({"link": "x"}),
    };
    let other = Act::Tool {
        name: "search".to_owned(),
        input: json!({}),
    };
    let calls = vec![fetch(&url), odd, other, fetch(&url), fetch(&url)];
    let (told, record) = fetched(helper, calls, PRIVATE);
    assert_eq!(told[0], "Fruit\n\nApples & pears");
    assert!(told[1].contains("needs a text \"url\""), "{told:?}");
    assert!(told[2].contains("no tool \"search\""), "{told:?}");
    assert_eq!(told[3], told[0]);
    assert!(
        told[4].contains("all 2 of this task are used up"),
        "{told:?}"
    );
    assert_eq!(record["content"], "I have read it");
    assert_eq!(record["agent_type"], "web_fetch");
    assert_eq!(
        (&record["usage"]["requests"], &record["usage"]["tool_calls"]),
        (&json!(2), &json!(5))
    );
}

#[test]
fn a_member_reaches_nothing_that_is_inside_or_not_listed() {
    let url = page("secret");
    let helper = || fetcher("openai:helper", None, &[], &[]);
    let (told, _) = fetched(helper(), vec![fetch(&url)], &[]);
    assert!(
        told[0].contains("127.0.0.1, which is no public address"),
        "{told:?}"
    );
    let (told, _) = fetched(
        helper(),
        vec![fetch(&url)],
        &[("KUMITE_FETCH_PRIVATE", "0")],
    );
    assert!(told[0].contains("no public address"), "{told:?}");
    let listed = fetcher("openai:helper", None, &["example.com"], &[]);
    let (told, _) = fetched(listed, vec![fetch(&url)], PRIVATE);
    assert!(
        told[0].contains("not among the domains that may be fetched: example.com"),
        "{told:?}"
    );
    let blocked = fetcher("openai:helper", None, &[], &["127.0.0.1"]);
    let (told, _) = fetched(blocked, vec![fetch(&url)], PRIVATE);
    assert!(told[0].contains("is blocked"), "{told:?}");
}

/// The tools that the member's request offers.
fn tools(helper: Member) -> Value {
    let name = helper.name.clone();
    let stage = Stage::new(&[
        ("go", vec![call(&name, "read"), say("done")]),
        ("read", vec![say("ok")]),
    ]);
    let handed = stage.submit(&team(vec![helper]), "go").unwrap();
    assert_eq!(handed.members[0]["status"], "SUCCESS", "{}", handed.members);
    stage.bodies()[1]["tools"].clone()
}

#[test]
fn a_provider_fetches_itself_where_it_keeps_to_the_settings() {
    let ours = |tools: &Value| tools.to_string().contains("\"fetch\"");
    for (model, max_uses, allowed, blocked, is_ours) in [
        ("anthropic:m", None, &[][..], &[][..], false),
        ("anthropic:m", Some(3), &["example.com"], &[], false),
        ("anthropic:m", None, &[], &["example.com"], false),
        (
            "anthropic:m",
            None,
            &["example.com"],
            &["a.example.com"],
            true,
        ),
        ("google-gla:m", None, &[], &[], false),
        ("google-gla:m", Some(3), &[], &[], true),
        ("google-gla:m", None, &[], &["example.com"], true),
        ("openai-responses:m", None, &[], &[], true),
    ] {
        let offered = tools(fetcher(model, max_uses, allowed, blocked));
        assert_eq!(
            ours(&offered),
            is_ours,
            "{model} {max_uses:?} {allowed:?} {blocked:?}: {offered}"
        );
    }
    let offered = tools(fetcher("anthropic:m", Some(3), &["example.com"], &[]));
    assert_eq!(offered[0]["max_uses"], 3);
    assert_eq!(offered[0]["allowed_domains"], json!(["example.com"]));
}

#[test]
fn search_and_code_are_the_providers_own() {
    let with = |kind: MemberKind| {
        let mut helper = member("web", kind);
        helper.llm.model = "anthropic:m".to_owned();
        helper
    };
    let searching = with(MemberKind::WebSearch {
        max_results: Some(7),
    });
    let offered = tools(searching.clone()).to_string();
    assert!(offered.contains("web_search"), "{offered}");
    let offered = tools(with(MemberKind::CodeExecution)).to_string();
    assert!(offered.contains("code_execution"), "{offered}");

    let stage = Stage::new(&[("go", vec![call("web", "read"), say("done")])]);
    stage.submit(&team(vec![searching]), "go").unwrap();
    let system = stage.bodies()[1]["system"].to_string();
    assert!(system.contains("no more than 7 results"), "{system}");
}
