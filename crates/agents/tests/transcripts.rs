//! What is stored of an agent's output: masked, limited, and in one format for all.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;

use common::{GOOD, INIT, World, failed, until, world};
use kumite_agents::{Protocol, Said, Trail, TranscriptLine, conclude, final_text};
use kumite_core::outcome::Outcome;
use rustix::process::{Pid, Signal, kill_process};

const KEY: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789AA";

fn transcript(world: &World) -> Vec<Said> {
    let text = String::from_utf8(world.read("logs/agent.jsonl")).unwrap();
    let lines = text.lines().map(|line| {
        let line: TranscriptLine = serde_json::from_str(line).unwrap();
        assert!(line.at_ms > 0);
        line.said
    });
    lines.collect()
}

fn outcomes(world: &World) -> Vec<Outcome> {
    let said = transcript(world).into_iter();
    said.filter_map(|said| match said {
        Said::Ended { outcome, .. } => Some(outcome),
        _ => None,
    })
    .collect()
}

fn with_secret(script: &str, name: &str, value: &str) -> World {
    world(script).with(|request| request.env.push((name.to_owned(), value.to_owned())))
}

/// Everything that is stored about the agent, including its end.
fn everything(world: &World) -> String {
    let mut all = String::new();
    for name in [
        "logs/agent.log",
        "logs/agent.stderr.log",
        "logs/agent.jsonl",
        "dir/end.json",
    ] {
        let bytes = world.read(name);
        assert!(!bytes.is_empty(), "{name}");
        all += &String::from_utf8(bytes).unwrap();
    }
    all
}

#[test]
fn what_was_launched_said_and_concluded_is_in_the_transcript() {
    let world = world(&format!("{INIT}\n{GOOD}")).with(|request| {
        for (name, value) in [("KUMITE_STEP", "review"), ("KUMITE_ROUND", "2")] {
            request.env.push((name.to_owned(), value.to_owned()));
        }
    });
    assert_eq!(world.outcome(), Outcome::Finished);
    let said = transcript(&world);
    let launched = Said::Launched {
        program: "agent.sh".to_owned(),
        step: Some("review".to_owned()),
        round: Some(2),
    };
    assert_eq!(said[0], launched);
    assert!(matches!(&said[1], Said::Started { session: Some(id), .. } if id == "s-1"));
    assert_eq!(outcomes(&world), [Outcome::Finished]);
}

#[test]
fn a_plain_program_has_a_transcript_with_an_end_too() {
    let world = world("echo one; printf two; echo no luck >&2; exit 3")
        .with(|request| request.protocol = Protocol::Plain);
    let outcome = world.outcome();
    assert_eq!(outcome, failed("exit code 3: no luck"));
    let text = |text: &str| Said::Text {
        text: text.to_owned(),
    };
    assert_eq!(transcript(&world)[1..3], [text("one"), text("two")]);
    assert_eq!(outcomes(&world), [outcome]);
    let repeated = transcript(&world)
        .into_iter()
        .any(|said| matches!(said, Said::Trouble { .. }));
    assert!(!repeated, "the sentence has the complaint already");
}

#[test]
fn the_last_complaint_of_a_failed_agent_is_trouble() {
    let world = world(&format!(
        "{}\necho a warning >&2; echo no luck >&2",
        common::BAD
    ));
    world.outcome();
    let trouble = Said::Trouble {
        text: "no luck".to_owned(),
    };
    assert_eq!(transcript(&world).last(), Some(&trouble));
}

#[test]
fn secrets_are_masked_in_all_that_is_kept() {
    // In two writes, so that a read may end in the middle of the secret.
    let script = format!(
        "printf 'the value is corr'; sleep 0.02; echo 'ect horse'; echo 'and {KEY}, or'\n\
         echo 'refused: {KEY}' >&2; exit 1"
    );
    let world = with_secret(&script, "MY_PASSWORD", "correct horse")
        .with(|request| request.protocol = Protocol::Plain);
    let outcome = world.outcome();
    assert_eq!(outcome, failed("exit code 1: refused: ***"));
    let all = everything(&world);
    assert!(!all.contains("correct") && !all.contains("sk-ant"), "{all}");
    assert_eq!(
        world.read("logs/agent.log"),
        b"the value is ***\nand ***, or\n"
    );
    assert_eq!(world.read("logs/agent.stderr.log"), b"refused: ***\n");
}

#[test]
fn a_secret_that_is_a_word_of_the_protocol_hides_no_result() {
    let world = with_secret(
        &format!("{INIT}\n{GOOD}"),
        "MY_TOKEN",
        "\"type\":\"result\"",
    );
    let end = world.run();
    assert_eq!(end.ended.outcome, Outcome::Finished);
    assert_eq!(outcomes(&world), [Outcome::Finished]);
}

#[test]
fn a_line_that_is_too_long_is_told_of() {
    let world = world(&format!(
        "head -c 5000000 /dev/zero | tr '\\0' x\necho\n{GOOD}"
    ));
    assert_eq!(world.outcome(), Outcome::Finished);
    let notes = transcript(&world)
        .into_iter()
        .filter(|said| matches!(said, Said::Note { text } if text.contains("more than 4 MB")));
    assert_eq!(notes.count(), 1);
}

/// A result with `$text` in it.
const RESULT: &str =
    r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$text"'"}'"#;

#[test]
fn the_last_text_is_to_be_had_whole_though_the_transcript_has_its_beginning_only() {
    let script = format!("text=$(head -c 100000 /dev/zero | tr '\\0' x)\n{RESULT}");
    let world = world(&script);
    assert_eq!(world.outcome(), Outcome::Finished);
    let clipped = transcript(&world)
        .into_iter()
        .any(|said| matches!(said, Said::Ended { text, .. } if text.len() < 20_000));
    assert!(clipped);
    let text = final_text(&world.dir()).unwrap().unwrap();
    assert_eq!(text, "x".repeat(100_000));
}

#[test]
fn the_last_text_is_masked_and_may_be_in_the_older_half_of_a_log() {
    // Only output after the result can push it into the older half.
    let logged = "until grep -q then logs/agent.log; do sleep 0.01; done";
    let script = format!("text=\"it is {KEY}, then\"\n{RESULT}\n{logged}\nseq 1 6000");
    let world = world(&script).with(|request| request.log_max_bytes = 50_000);
    assert_eq!(world.outcome(), Outcome::Finished);
    let newer = String::from_utf8(world.read("logs/agent.log")).unwrap();
    assert!(!newer.contains("then"));
    let text = final_text(&world.dir()).unwrap().unwrap();
    assert!(
        text.starts_with("it is ") && text.ends_with(", then"),
        "{text}"
    );
    assert!(!text.contains(KEY), "{text}");
}

#[test]
fn a_command_that_printed_more_than_a_text_can_be_has_none() {
    let world = world("head -c 16777216 /dev/zero | tr '\\0' x; echo")
        .with(|request| request.protocol = Protocol::Plain);
    assert_eq!(world.outcome(), Outcome::Finished);
    assert_eq!(final_text(&world.dir()).unwrap(), None);
}

#[test]
fn a_log_keeps_its_end_when_it_reaches_its_cap() {
    let world = world(&format!("seq 1 100000\nseq 1 100000 >&2\n{GOOD}"))
        .with(|request| request.log_max_bytes = 400_000);
    assert_eq!(world.outcome(), Outcome::Finished);
    for name in ["logs/agent.log", "logs/agent.stderr.log"] {
        let rotated = name.replace(".log", ".1.log");
        let (older, newer) = (world.read(&rotated), world.read(name));
        assert!(!newer.is_empty() && newer.len() <= 200_000, "{name}");
        assert!(!older.is_empty() && older.len() <= 200_000, "{name}");
        let all = [older, newer].concat();
        let mut numbers = String::from_utf8(all).unwrap();
        numbers.truncate(numbers.find("100000").unwrap());
        let mut lines = numbers
            .lines()
            .skip(1)
            .map(|line| line.parse::<u32>().unwrap());
        let first = lines.next().unwrap();
        assert!(lines.eq(first + 1..100_000), "{name} has no gap");
    }
}

#[test]
fn a_trail_follows_an_agent_across_rotations() {
    let world = world("seq 1 50000").with(|request| {
        request.log_max_bytes = 300_000;
        request.protocol = Protocol::Plain;
    });
    let mut trail = Trail::new(world.path("logs/agent.log"));
    let handle = world.launch();
    let mut seen = Vec::new();
    let mut look = |trail: &mut Trail| {
        trail
            .read(|piece| {
                seen.extend_from_slice(piece);
                Ok(())
            })
            .unwrap();
    };
    until("the end", || {
        look(&mut trail);
        world.path("dir/end.json").exists()
    });
    handle.wait();
    look(&mut trail);
    let last = String::from_utf8_lossy(&seen)
        .lines()
        .last()
        .map(str::to_owned);
    assert_eq!(last.as_deref(), Some("50000"));
}

#[test]
fn a_lost_agent_is_read_from_both_halves_of_its_log_and_its_transcript_gets_an_end() {
    let world = world(&format!(
        "{INIT}\nseq 1 20000\necho there\nwhile :; do sleep 0.05; done"
    ))
    .with(|request| request.log_max_bytes = 180_000);
    let handle = world.launch();
    until("its last word", || {
        world.read("logs/agent.log").ends_with(b"there\n")
    });
    assert!(world.path("logs/agent.1.log").exists());
    let supervisor = Pid::from_raw(handle.supervisor().unwrap().pid as i32).unwrap();
    kill_process(supervisor, Signal::KILL).unwrap();
    let end = handle.wait();
    assert!(matches!(end.ended.outcome, Outcome::Lost(_)), "{end:?}");
    assert_eq!(
        end.ended.session.as_deref(),
        Some("s-1"),
        "from the older half"
    );
    let lost = [end.ended.outcome];
    assert_eq!(outcomes(&world), lost);
    // A second conclusion adds nothing.
    fs::remove_file(world.path("dir/end.json")).unwrap();
    conclude(&world.dir()).unwrap();
    assert_eq!(outcomes(&world), lost);
}
