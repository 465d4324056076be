//! A recording of the program with one change.

use std::fs;
use std::time::Duration;

use kumite_core::outcome::Outcome;

use super::{Of, Scenario, plain};
use crate::agent::Kind;
use crate::ran::Ran;
use crate::recording::{Recording, recording};
use crate::stage::{Ask, Stage};
use crate::verdict::{Miss, Result, expect};

const TALK: &str =
    "what an ACP agent says is one side of a conversation, which cannot be played alone";
const NOT_ACP: &[(Kind, &str)] = &[(Kind::Acp, TALK)];

const fn played(name: &'static str) -> Scenario {
    plain(name).not(NOT_ACP)
}

pub const ALL: &[Scenario] = &[
    played("recorded")
        .what("the output of a normal run is understood")
        .run(|stage| {
            let recording = the_recording(stage)?;
            check(stage, &text(&recording.lines()), &recording)
        }),
    played("crlf")
        .what("line ends of Windows are understood")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let lines: String = recording
                .lines()
                .iter()
                .map(|line| format!("{line}\r\n"))
                .collect();
            check(stage, lines.as_bytes(), &recording)
        }),
    played("invalid-utf8")
        .what("bytes that are no text do no harm")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut output = b"\xff\xfe\x80 this is no text\n".to_vec();
            output.extend(text(&recording.lines()));
            check(stage, &output, &recording)?;
            // The same inside a line with text.
            let (good, bad) = (recording.text.as_bytes(), b"Hello \xff\xc3 there");
            let whole = text(&recording.lines());
            let ran = play(stage, &replaced(&whole, good, bad), "")?;
            let session = ran.finished()?.session()?;
            expect(session == recording.session, || {
                format!("the session should still be known, but is {session}")
            })
        }),
    played("unknown-events")
        .what("unknown events are ignored")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let others = [
                r#"{"type":"kumite.unheard_of","data":{"deep":[1,2,{"x":null}]}}"#,
                r#"{"type":["not","a","word"],"session_id":7}"#,
                r#"{}"#,
            ];
            check(stage, &between(&recording, &others), &recording)
        }),
    played("no-newline")
        .what("the last line needs no newline")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut output = text(&recording.lines());
            output.pop();
            check(stage, &output, &recording)
        }),
    played("noise")
        .what("blank lines and noise between the lines do no harm")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let others = [
                "",
                "   ",
                "(node:1) Warning: something is deprecated",
                "[1,2,3]",
                "\"text\"",
                "{broken",
            ];
            check(stage, &between(&recording, &others), &recording)
        }),
    played("huge-line")
        .what("a line of 5 MB before the result does no harm")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            let huge = format!("{{\"type\":\"text\",\"text\":\"{}\"}}", "x".repeat(5 << 20));
            lines.insert(lines.len() - 1, huge);
            let ran = play(stage, &text(&lines), "")?;
            understood(&ran, &recording)?;
            expect(ran.raw.len() > 5 << 20, || {
                "the raw log should have the line, but has not".to_owned()
            })
        }),
    played("figures")
        .what("nonsense in place of a number loses only this number")
        .run(|stage| {
            let recording = the_recording(stage)?;
            for value in ["NaN", "-5", "1e308", "\"much\"", "null"] {
                let mut lines = recording.lines();
                lines.pop();
                lines.push(recording.result_with(value));
                let ran = play(stage, &text(&lines), "")?;
                let usd = ran.finished()?.end.ended.usage.usd_micros;
                expect(usd == 0 || value == "1e308", || {
                    format!("{value} should cost nothing, but costs {usd}")
                })?;
            }
            Ok(())
        }),
    played("stderr-flood")
        .what("a flood on stderr does no harm")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let flood = "head -c 20000000 /dev/zero | tr '\\0' e >&2";
            let script = format!("{flood}; echo >&2; yes 'an error, again' | head -n 100000 >&2");
            let ran = play(stage, &text(&recording.lines()), &script)?;
            understood(&ran, &recording)
        }),
    played("bad-exit")
        .what("a good result with a bad exit code is a failure")
        .run(|stage| {
            let recording = the_recording(stage)?;
            play(stage, &text(&recording.lines()), "exit 3")?.failed(&["3"])
        }),
    played("killed-by-signal")
        .what("a death by a signal is a failure, and the message names the signal")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            lines.pop();
            play(stage, &text(&lines), "kill -SEGV $$")?.failed(&["signal 11 (SEGV)"])
        }),
    played("output-closed")
        .what("a program that closes its output and works on is waited for")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let then = "exec >&- 2>&-\nsleep 1\ntouch worked-on.txt";
            let ran = play(stage, &text(&recording.lines()), then)?;
            understood(&ran, &recording)?;
            expect(stage.project().join("worked-on.txt").exists(), || {
                "it should be left to work on, but was ended".to_owned()
            })
        }),
    played("silence")
        .what("a program that says nothing any more counts as hung")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            lines.pop();
            let ask = ask(stage, &text(&lines), "sleep 1000")?.silence(SILENCE);
            stage.run(&ask)?.hung()
        }),
    played("heartbeat")
        .what("a program that says something now and then counts as alive")
        .run(|stage| {
            let recording = the_recording(stage)?;
            let beat = "for i in 1 2 3 4 5 6 7 8; do echo; sleep 0.6; done";
            let file = stage.path("lines");
            fs::write(&file, text(&recording.lines()))?;
            let then = format!("{beat}\ncat '{}'", file.display());
            let ask = ask(stage, b"", &then)?.silence(SILENCE);
            let ran = stage.run(&ask)?;
            understood(&ran, &recording)?;
            expect(ran.took > SILENCE, || {
                "it should live longer than a silence may last".to_owned()
            })
        }),
    played("cut-off")
        .what("a result that is cut off does not count")
        .of(Of::Programs)
        .run(|stage| {
            let recording = the_recording(stage)?;
            let whole = text(&recording.lines());
            for left in [2, recording.result.len() / 2, recording.result.len() - 2] {
                let output = &whole[..whole.len() - left];
                play(stage, output, "")?.failed(&["without a result"])?;
            }
            Ok(())
        }),
    played("two-results")
        .what("of two results the last one counts")
        .of(Of::Programs)
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            lines.insert(lines.len() - 1, recording.bad.to_owned());
            understood(&play(stage, &text(&lines), "")?, &recording)?;
            let mut lines = recording.lines();
            lines.push(recording.bad.to_owned());
            play(stage, &text(&lines), "")?.failed(&["it broke"])
        }),
    played("no-result")
        .what("an end without a result is a failure, whatever the exit code")
        .of(Of::Programs)
        .run(|stage| {
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            lines.pop();
            for code in ["0", "1"] {
                play(stage, &text(&lines), &format!("exit {code}"))?
                    .failed(&["without a result"])?;
            }
            Ok(())
        }),
    played("stays")
        .what("a program that has finished its work but does not exit is ended, and counts as finished")
        .of(Of::Programs)
        .run(|stage| {
            let recording = the_recording(stage)?;
            let ask = ask(stage, &text(&recording.lines()), "sleep 1000")?;
            let ask = Ask {
                exit_grace: Duration::from_secs(1),
                ..ask
            };
            let ran = stage.run(&ask)?;
            understood(&ran, &recording)?;
            ran.is("it should finish", |outcome| *outcome == Outcome::Finished)
        }),
];

pub fn the_recording(stage: &Stage<'_>) -> Result<Recording> {
    recording(stage.kind())
        .ok_or_else(|| Miss("there should be a recording, but there is none".to_owned()))
}

/// Lines as a program prints them.
pub fn text(lines: &[String]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.into_bytes()
}

/// A program that prints `output` and then runs `then`.
pub fn ask(stage: &Stage<'_>, output: &[u8], then: &str) -> Result<Ask> {
    let file = stage.path("output");
    fs::write(&file, output)?;
    let script = format!("#!/bin/sh\ncat '{}'\n{then}\n", file.display());
    Ok(Ask::by(stage.program("agent", &script)?))
}

fn play(stage: &Stage<'_>, output: &[u8], then: &str) -> Result<Ran> {
    stage.run(&ask(stage, output, then)?)
}

/// Expects that it finished, and that all its output was understood.
pub fn understood(ran: &Ran, recording: &Recording) -> Result {
    ran.finished()?.says(recording.text)?;
    let session = ran.session()?;
    expect(session == recording.session, || {
        format!(
            "the session should be {}, but is {session}",
            recording.session
        )
    })?;
    let usage = ran.end.ended.usage;
    expect(usage.input_tokens > 0 && usage.output_tokens > 0, || {
        format!("what it used should be known, but is {usage:?}")
    })
}

fn check(stage: &Stage<'_>, output: &[u8], recording: &Recording) -> Result {
    understood(&play(stage, output, "")?, recording)
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut result = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(new);
        rest = &rest[at + old.len()..];
    }
    result.extend_from_slice(rest);
    result
}

fn between(recording: &Recording, others: &[&str]) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in recording.lines() {
        lines.extend(others.iter().map(|other| (*other).to_owned()));
        lines.push(line);
    }
    text(&lines)
}

const SILENCE: Duration = Duration::from_secs(3);
