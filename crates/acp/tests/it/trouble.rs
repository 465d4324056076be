//! The bridge and an agent that misbehaves, or does not get far.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kumite_agents::Said;
use kumite_core::outcome::{Limit, LimitKind, Outcome};

use crate::scene::{AGENT, Scene, failed, kill, lives, note, play, text};

#[test]
fn every_reason_to_stop_but_the_end_of_the_turn_is_a_failure() {
    for (reason, sentence) in [
        (
            "max_tokens",
            "stopped because its answer reached the token limit",
        ),
        (
            "max_turn_requests",
            "stopped because it asked its model as often as it may",
        ),
        ("refusal", "refused to go on"),
        ("cancelled", "stopped because its prompt was cancelled"),
        (
            "moonrise",
            "stopped for a reason that kumite does not know: \"moonrise\"",
        ),
    ] {
        play(reason).assert(failed(sentence), 1);
    }
}

#[test]
fn a_usage_limit_is_known_with_its_end() {
    let limit = Limit {
        kind: LimitKind::Usage,
        until_ms: Some(1_900_000_000_000),
        words: "You hit your limit".to_owned(),
    };
    play("limit").assert(Outcome::Limited(limit), 1);
}

#[test]
fn an_overloaded_service_is_known() {
    let limit = Limit {
        kind: LimitKind::Overload,
        until_ms: None,
        words: "API Error: 529 Overloaded".to_owned(),
    };
    play("overload").assert(Outcome::Limited(limit), 1);
}

#[test]
fn an_agent_that_is_not_logged_in_says_so() {
    let sentence = "it is not logged in: Authentication required";
    play("login").assert(failed(sentence), 1);
    let sentence = "it is not logged in: Please log in";
    play("late login").assert(failed(sentence), 1);
}

#[test]
fn an_error_is_reported_in_the_agents_words() {
    let sentence = "reported an error: disk full";
    play("error").assert(failed(sentence), 1);
}

#[test]
fn another_version_of_the_protocol_is_refused() {
    let played = play("version");
    let Outcome::Failed(sentence) = &played.outcome else {
        panic!("{:?}", played.outcome);
    };
    assert!(sentence.starts_with("speaks version 2 "), "{sentence}");
}

#[test]
fn an_agent_that_ends_too_early_is_reported_with_its_exit_code() {
    let sentence = "ended with exit code 3 before it answered session/prompt";
    play("crash").assert(failed(sentence), 1);
    let sentence = "ended with exit code 0 before it answered initialize";
    play("mute").assert(failed(sentence), 1);
    let sentence = "was killed by signal 9 before it answered initialize";
    play("killed").assert(failed(sentence), 1);
}

#[test]
fn a_child_that_holds_its_output_does_not_hide_that_the_agent_ended() {
    let played = play("crash, leaving a child");
    let child = fs::read_to_string(played.project().join("child")).unwrap();
    kill(child.parse().unwrap(), "-KILL");
    let sentence = "ended with exit code 3 before it answered session/prompt";
    played.assert(failed(sentence), 1);
}

#[test]
fn an_agent_that_closes_its_output_is_not_waited_for() {
    let sentence = "closed its output before it answered session/prompt";
    play("closes").assert(failed(sentence), 1);
}

#[test]
fn a_program_that_is_not_there_is_missing() {
    let played = Scene::new("", &["--", "/no/such/agent"]).play();
    let Outcome::Missing(sentence) = &played.outcome else {
        panic!("{:?}", played.outcome);
    };
    assert!(sentence.contains("/no/such/agent"), "{sentence}");
    assert_eq!(played.code, Some(1));
}

#[test]
fn garbage_is_noted_and_what_is_not_known_is_ignored() {
    let played = play("garbage");
    played.assert(Outcome::Finished, 0);
    let expected = [
        note("not a message: npm warn something"),
        note("not a message: [1, 2]"),
        note("not a message: {\"level\":\"info\"}"),
        text("Still here."),
    ];
    assert_eq!(played.rest(), expected);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_skipped_in_little_memory() {
    let mut playing = Scene::new("huge", &["--", AGENT]).start();
    assert!(matches!(playing.next(), Said::Started { .. }));
    let skipped = "a line of 104857600 bytes was skipped: it is too long";
    assert_eq!(playing.next(), note(skipped));
    let status = fs::read_to_string(format!("/proc/{}/status", playing.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak
        .and_then(|peak| peak.trim().strip_suffix(" kB"))
        .unwrap();
    assert!(peak.parse::<u64>().unwrap() < 64 * 1024, "{peak} kB");
    fs::write(playing.project().join("go"), "").unwrap();
    let played = playing.finish();
    played.assert(Outcome::Finished, 0);
    assert_eq!(played.text, "After the flood.");
}

#[test]
fn a_signal_cancels_the_prompt_and_is_the_exit_code() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut playing = Scene::new("hang", &["--", AGENT]).start();
        assert!(matches!(playing.next(), Said::Started { .. }));
        assert_eq!(playing.next(), note("plan: [ ] wait"));
        playing.signal(signal);
        let played = playing.finish();
        let sentence = format!("was interrupted by signal {}", code - 128);
        played.assert(failed(&sentence), code);
        assert!(played.project().join("cancelled").exists());
    }
}

#[test]
fn an_agent_that_does_not_heed_a_cancellation_is_not_waited_for() {
    let mut playing = Scene::new("deaf", &["--", AGENT]).start();
    assert!(matches!(playing.next(), Said::Started { .. }));
    assert_eq!(playing.next(), note("plan: [ ] wait"));
    playing.signal("-TERM");
    let played = playing.finish();
    assert_eq!(played.code, Some(143));
    let pid = fs::read_to_string(played.project().join("pid")).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while lives(&pid) {
        assert!(Instant::now() < deadline, "the agent outlives its bridge");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_agent_that_stays_after_its_answer_is_ended() {
    let played = play("stays");
    played.assert(Outcome::Finished, 0);
    let pid = fs::read_to_string(played.project().join("stayed")).unwrap();
    assert!(!lives(&pid), "{pid} was left behind");
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let bridge = env!("CARGO_BIN_EXE_kumite-acp-bridge");
    let output = std::process::Command::new(bridge)
        .arg("--")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}
