//! Ordinary work: start, say, write, run, and resume.

use kumite_fake_model::{Act, Rule};

use super::{Of, Scenario, model, obedient, plain};
use crate::agent::Kind;
use crate::stage::{Ask, Stage};
use crate::verdict::{Result, expect};

pub const ALL: &[Scenario] = &[
    plain("version")
        .what("it reports its version")
        .of(Of::Programs)
        .not(&[(
            Kind::Acp,
            "an ACP agent has no common way to ask for its version",
        )])
        .run(|stage| {
            let version = stage.kit.version.as_deref().unwrap_or_default();
            expect(
                version.contains(|letter: char| letter.is_ascii_digit()),
                || {
                    format!(
                        "`{} --version` should print a version, but printed {version:?}",
                        stage.kit.agent.program()
                    )
                },
            )
        }),
    model("start")
        .what("it starts, answers and finishes")
        .run(|stage| {
            stage.obey(vec![say("kumite-says-hello")])?;
            stage.run(&Ask::new(HELLO))?.finished()?;
            Ok(())
        }),
    model("session")
        .what("its session is known at the end")
        .of(Of::Programs)
        .run(|stage| {
            stage.obey(vec![say("kumite-says-hello")])?;
            let ran = stage.run(&Ask::new(HELLO))?;
            let session = ran.finished()?.session()?;
            expect(session.len() >= 8, || {
                format!("the session should have a name, but it is {session:?}")
            })
        }),
    model("tokens")
        .what("it reports how much it used, and the cost if it knows prices")
        .run(|stage| {
            stage.obey(vec![say("kumite-says-hello")])?;
            let ran = stage.run(&Ask::new(HELLO))?;
            let usage = ran.finished()?.end.ended.usage;
            expect(usage.input_tokens > 0 && usage.output_tokens > 0, || {
                format!("tokens in and out should be reported, but it is {usage:?}")
            })?;
            let knows_prices = match stage.kind() {
                Kind::Program(program) => program.info().tells_price,
                Kind::Command => true,
                Kind::Acp => false,
            };
            expect(usage.usd_micros > 0 || !knows_prices, || {
                "the money should be reported, but it is nothing".to_owned()
            })
        }),
    model("text")
        .what("what it says is in the transcript")
        .run(|stage| {
            stage.obey(vec![say("kumite-says-hello")])?;
            let ran = stage.run(&Ask::new(HELLO))?;
            ran.finished()?.says("kumite-says-hello")?;
            let raw = String::from_utf8_lossy(&ran.raw).contains("kumite-says-hello");
            expect(raw, || {
                "the raw log should have the words, but has not".to_owned()
            })
        }),
    model("shell")
        .what("it runs a command, and the transcript contains it")
        .run(|stage| {
            let line = "echo kumite-runs-this && touch by-shell.txt";
            stage.obey(vec![command(line), say("I ran it.")])?;
            let ran = stage.run(&Ask::new(&format!(
                "Run this shell command and nothing else: {line}"
            )))?;
            ran.finished()?;
            expect(stage.project().join("by-shell.txt").exists(), || {
                "the command should make by-shell.txt, but did not".to_owned()
            })?;
            match stage.is_command() {
                // The tools of a command are not visible; their output is its output.
                true => ran.says("kumite-runs-this").map(|_| ()),
                false => expect_tool(&ran, "by-shell.txt"),
            }
        }),
    model("write")
        .what("it writes exactly the requested bytes into a file, and the transcript contains it")
        .run(|stage| {
            stage.obey(vec![file("note.md", POEM), say("I wrote it.")])?;
            let prompt = format!("Write the file note.md with exactly these two lines:\n{POEM}");
            let ran = stage.run(&Ask::new(&prompt))?;
            ran.finished()?;
            holds(stage, "note.md", POEM)?;
            match stage.is_command() {
                true => Ok(()),
                false => expect_tool(&ran, "note.md"),
            }
        }),
    model("overwrite")
        .what("it replaces a file that exists")
        .run(|stage| {
            std::fs::write(stage.project().join("note.md"), "old\n")?;
            stage.obey(vec![file("note.md", POEM), say("I wrote it.")])?;
            let prompt = format!(
                "Overwrite the file note.md: it should have exactly these two lines:\n{POEM}"
            );
            stage.run(&Ask::new(&prompt))?.finished()?;
            holds(stage, "note.md", POEM)
        }),
    obedient("tool-fails")
        .what("it continues after a command that fails")
        .run(|stage| {
            stage.obey(vec![
                command("touch tried.txt; no-such-command-of-kumite"),
                file("after.txt", "after\n"),
                say("I went on."),
            ])?;
            stage.run(&Ask::new("go"))?.finished()?.says("I went on.")?;
            holds(stage, "tried.txt", "")?;
            holds(stage, "after.txt", "after\n")
        }),
    obedient("two-tools")
        .what("it uses two tools in one turn")
        .run(|stage| {
            let both = vec![file("one.txt", "1\n"), file("two.txt", "2\n")];
            stage.obey(vec![Act::All(both), say("I did both.")])?;
            stage.run(&Ask::new("go"))?.finished()?;
            holds(stage, "one.txt", "1\n")?;
            holds(stage, "two.txt", "2\n")
        }),
];

pub fn say(text: &str) -> Act {
    Act::Say {
        text: text.to_owned(),
    }
}

pub fn file(path: &str, content: &str) -> Act {
    Act::Write {
        path: path.to_owned(),
        content: content.to_owned(),
    }
}

pub fn command(command: &str) -> Act {
    Act::Run {
        command: command.to_owned(),
    }
}

pub fn rule(when: &str, acts: Vec<Act>) -> Rule {
    Rule {
        when: when.to_owned(),
        acts,
        ..Rule::default()
    }
}

/// Expects that a file has this content.
pub fn holds(stage: &Stage<'_>, name: &str, content: &str) -> Result {
    let found = stage.read(name);
    expect(found == content, || {
        format!("{name} should hold {content:?}, but holds {found:?}")
    })
}

/// The session to resume. A command has none, so it gets a made-up id.
pub fn session_of(stage: &Stage<'_>, ran: &crate::ran::Ran) -> Result<String> {
    match stage.is_command() {
        true => Ok("s-1".to_owned()),
        false => ran.session(),
    }
}

const HELLO: &str = "Answer with exactly this text and nothing else: kumite-says-hello";

fn expect_tool(ran: &crate::ran::Ran, part: &str) -> Result {
    let tools = ran.tools();
    expect(tools.iter().any(|tool| tool.contains(part)), || {
        format!("the transcript should have a tool with {part:?}, but has {tools:?}")
    })
}

const POEM: &str = "first line\nsecond line\n";
