//! The page of an agent, and the lines that it requests.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::served::{Answer, Served};
use crate::world::World;

const AGENT: &str = "agent-1700000000000-00000001";
const HOSTILE: &str = "<script>alert(1)</script>";

fn log(end: &str) -> String {
    format!(".kiro/specs/login/logs/{AGENT}.{end}")
}

fn said(number: u64) -> String {
    let text = format!("word {number} {HOSTILE}");
    format!(
        "{}\n",
        json!({"at_ms": number, "kind": "text", "text": text})
    )
}

/// An agent that has said `lines`, and about which nothing else is known.
fn talked(lines: u64) -> (World, Served) {
    let world = World::new();
    world.spec("login");
    let half = lines / 2;
    world.write(&log("1.jsonl"), &(1..=half).map(said).collect::<String>());
    world.write(
        &log("jsonl"),
        &(half + 1..=lines).map(said).collect::<String>(),
    );
    let served = world.serve();
    (world, served)
}

fn ask(served: &Served, rest: &str) -> Answer {
    served.get(&format!("/specs/login/agents/{AGENT}{rest}"))
}

/// The numbers of the lines in an answer; each must have the right text.
fn numbers(answer: &Answer) -> Vec<u64> {
    let html = answer.assert_status(200).text();
    assert!(!html.contains("<script>alert"), "{html}");
    let entries = html.split(" id=\"line-").skip(1);
    let number = |entry: &str| {
        let number: u64 = entry.split('"').next().unwrap().parse().unwrap();
        assert!(entry.contains(&format!("word {number} ")), "{entry}");
        number
    };
    entries.map(number).collect()
}

#[test]
fn the_page_of_an_agent_has_the_last_lines_and_all_others_can_be_asked_for() {
    let (_world, served) = talked(1000);
    let page = ask(&served, "");
    assert_eq!(numbers(&page), (801..=1000).collect::<Vec<_>>());
    assert!(page.text().contains("Lines 801–1,000 of 1,000"));
    assert_eq!(numbers(&ask(&served, "?from=3"))[..2], [3, 4]);
    let lines = |query: &str| numbers(&ask(&served, &format!("/lines?{query}")));
    assert_eq!(lines("from=499&count=4"), [499, 500, 501, 502]);
    assert_eq!(lines("before=502&count=3"), [499, 500, 501]);
    assert_eq!(lines("before=3"), [1, 2]);
    assert_eq!(lines("from=1001"), [0; 0]);
    assert_eq!(lines("from=1&count=100000").len(), 500, "never more");
    ask(&served, "/lines?from=x").assert_status(400);
    ask(&served, "/lines?from=-1").assert_status(400);
}

#[test]
fn a_word_is_found_anywhere_in_the_log() {
    let (_world, served) = talked(1000);
    let search = |query: &str| {
        ask(&served, &format!("/search?{query}"))
            .assert_status(200)
            .json()
    };
    assert_eq!(search("q=WORD+77+&from=1")["line"], 77);
    assert_eq!(search("q=word+77&from=78")["line"], 770);
    assert_eq!(search("q=word+77&from=700&back=true")["line"], 77);
    assert_eq!(
        search("kind=trouble&from=1"),
        json!({"line": null, "next": null})
    );
    let long = "x".repeat(300);
    ask(&served, &format!("/search?q={long}&from=1")).assert_status(400);
}

#[test]
fn the_raw_log_comes_whole_and_as_a_file() {
    let (world, served) = talked(10);
    let both = world.read(&log("1.jsonl")) + &world.read(&log("jsonl"));
    assert_eq!(
        ask(&served, "/raw").assert_status(200).text(),
        both,
        "there is only a transcript"
    );
    let big = "0123456789abcde\n".repeat(100_000);
    world.write(&log("1.log"), "older\n");
    world.write(&log("log"), &big);
    let raw = ask(&served, "/raw");
    assert_eq!(raw.assert_status(200).text(), format!("older\n{big}"));
    assert_eq!(
        raw.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let name = format!("attachment; filename=\"{AGENT}.log\"");
    assert_eq!(raw.header("content-disposition"), Some(&*name));
}

#[test]
fn whoever_is_no_agent_has_no_page() {
    let (_world, served) = talked(2);
    let paths = [
        (400, "/specs/login/agents/nobody"),
        (400, "/specs/login/agents/agent-1-2"),
        (400, "/specs/login/agents/..%2F..%2Fspec.json"),
        (
            400,
            "/specs/login/agents/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        ),
        (400, "/specs/LOGIN/agents/agent-1700000000000-00000001"),
        (404, "/specs/other/agents/agent-1700000000000-00000001"),
        (404, "/specs/login/agents/agent-1700000000000-00000002"),
    ];
    for (status, path) in paths {
        for end in ["", "/lines", "/search?from=1", "/raw"] {
            let answer = served.get(&format!("{path}{end}"));
            assert_eq!(answer.status, status, "{path}{end}: {answer:?}");
            let is_page = answer
                .header("content-type")
                .is_some_and(|it| it.starts_with("text/html"));
            assert!(
                !is_page || !answer.text().contains("<script>"),
                "{answer:?}"
            );
        }
    }
}

#[test]
fn a_log_that_leads_outside_is_not_shown() {
    let (world, served) = talked(2);
    for end in ["1.jsonl", "jsonl"] {
        fs::remove_file(world.path(&log(end))).unwrap();
    }
    world.write("secret", "a secret\n");
    symlink(world.path("secret"), world.path(&log("jsonl"))).unwrap();
    for end in ["", "/lines", "/search?q=secret&from=1", "/raw"] {
        let answer = ask(&served, end);
        answer.assert_status(404);
        assert!(!answer.text().contains("a secret"), "{end}: {answer:?}");
    }
}

#[test]
fn a_damaged_log_is_shown_as_it_is() {
    let world = World::new();
    world.spec("login");
    let bytes = b"\xff\xfe<b>bold</b>\n{\"at_ms\":1,\"kind\":\"te\n\n{\"at_ms\":2,\"kind\":\"text\",\"text\":\"good\"}\nhalf";
    let path = world.path(&log("jsonl"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    let served = world.serve();
    let html = ask(&served, "").assert_status(200).text();
    assert!(html.contains("Lines 1–5 of 5"), "{html}");
    assert!(
        html.contains("&lt;b&gt;bold") && !html.contains("<b>bold"),
        "{html}"
    );
    assert!(html.contains("good") && html.contains("half"), "{html}");
}
