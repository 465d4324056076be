//! The ordinary work: it starts, says, writes, runs, and goes on.

use kumite_core::outcome::Outcome;
use kumite_fake_model::{Act, Rule};

use super::{Needs, Of, Scenario, scenario};
use crate::agent::Kind;
use crate::stage::{Ask, Stage};
use crate::verdict::{Miss, Result, expect, words};

pub const ALL: &[Scenario] = &[
    scenario("version", Needs::Nothing, version, "it says which version it is").of(Of::Programs).not(&[
        (Kind::Acp, "an ACP agent has no common way to ask for its version"),
    ]),
    scenario("start", Needs::Model, start, "it starts, answers and finishes"),
    scenario("session", Needs::Model, session, "its session is known at the end").of(Of::Programs),
    scenario("tokens", Needs::Model, tokens, "it reports what it used, and money where it knows prices"),
    scenario("text", Needs::Model, text, "what it says is in the transcript"),
    scenario("shell", Needs::Model, shell, "it runs a command, and the transcript tells of it"),
    scenario("write", Needs::Model, write, "it writes a file byte for byte, and the transcript tells of it"),
    scenario("overwrite", Needs::Model, overwrite, "it replaces a file that exists"),
    scenario("tool-fails", Needs::Obedience, tool_fails, "it goes on after a command that fails"),
    scenario("two-tools", Needs::Obedience, two_tools, "it uses two tools in one turn"),
    scenario("big-prompt", Needs::Obedience, big_prompt, "a prompt of 200 KB arrives whole"),
    scenario("dash-prompt", Needs::Obedience, dash_prompt, "a prompt that looks like an option is a prompt"),
    scenario("unicode", Needs::Obedience, unicode, "letters beyond ASCII survive in prompt, file and transcript"),
    scenario("resume", Needs::Model, resume, "a resumed session is the same one and knows what was said"),
    scenario("resume-missing", Needs::Model, resume_missing, "a session that is not there is named as the trouble")
        .of(Of::Programs),
    scenario("side-by-side", Needs::Model, side_by_side, "two agents work at the same time, each in its session"),
    scenario("huge-answer", Needs::Obedience, huge_answer, "an answer of 1 MB is taken"),
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
    }
}

/// Has a file this content?
pub fn holds(stage: &Stage<'_>, name: &str, content: &str) -> Result {
    let found = stage.read(name);
    expect(found == content, || {
        format!("{name} should hold {content:?}, but holds {found:?}")
    })
}

/// The session to resume. A command has none, and is given one all the same.
pub fn session_of(stage: &Stage<'_>, ran: &crate::ran::Ran) -> Result<String> {
    match stage.is_command() {
        true => Ok("s-1".to_owned()),
        false => ran.session(),
    }
}

fn version(stage: &mut Stage<'_>) -> Result {
    let version = stage.kit.version.as_deref().unwrap_or_default();
    expect(version.contains(|letter: char| letter.is_ascii_digit()), || {
        format!("`{} --version` should print a version, but printed {version:?}", stage.kit.agent.program())
    })
}

const HELLO: &str = "Answer with exactly this text and nothing else: kumite-says-hello";

fn start(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("kumite-says-hello")])?;
    stage.run(&Ask::new(HELLO))?.finished()?;
    Ok(())
}

fn session(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("kumite-says-hello")])?;
    let ran = stage.run(&Ask::new(HELLO))?;
    let session = ran.finished()?.session()?;
    expect(session.len() >= 8, || format!("the session should have a name, but it is {session:?}"))
}

fn tokens(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("kumite-says-hello")])?;
    let ran = stage.run(&Ask::new(HELLO))?;
    let usage = ran.finished()?.end.ended.usage;
    expect(usage.input_tokens > 0 && usage.output_tokens > 0, || {
        format!("tokens in and out should be reported, but it is {usage:?}")
    })?;
    let knows_prices = match stage.kind() {
        Kind::Claude | Kind::Opencode | Kind::Command => true,
        Kind::Codex | Kind::Gemini | Kind::Acp => false,
    };
    expect(usage.usd_micros > 0 || !knows_prices, || {
        "the money should be reported, but it is nothing".to_owned()
    })
}

fn text(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("kumite-says-hello")])?;
    let ran = stage.run(&Ask::new(HELLO))?;
    ran.finished()?.says("kumite-says-hello")?;
    let raw = String::from_utf8_lossy(&ran.raw).contains("kumite-says-hello");
    expect(raw, || "the raw log should have the words, but has not".to_owned())
}

fn shell(stage: &mut Stage<'_>) -> Result {
    let line = "echo kumite-runs-this && touch by-shell.txt";
    stage.obey(vec![command(line), say("I ran it.")])?;
    let ran = stage.run(&Ask::new(&format!("Run this shell command and nothing else: {line}")))?;
    ran.finished()?;
    expect(stage.project().join("by-shell.txt").exists(), || {
        "the command should make by-shell.txt, but did not".to_owned()
    })?;
    match stage.is_command() {
        // A command's tools are its own business; what they print is its output.
        true => ran.says("kumite-runs-this").map(|_| ()),
        false => expect_tool(&ran, "by-shell.txt"),
    }
}

fn expect_tool(ran: &crate::ran::Ran, part: &str) -> Result {
    let tools = ran.tools();
    expect(tools.iter().any(|tool| tool.contains(part)), || {
        format!("the transcript should have a tool with {part:?}, but has {tools:?}")
    })
}

const POEM: &str = "first line\nsecond line\n";

fn write(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![file("note.md", POEM), say("I wrote it.")])?;
    let prompt = format!("Write the file note.md with exactly these two lines:\n{POEM}");
    let ran = stage.run(&Ask::new(&prompt))?;
    ran.finished()?;
    holds(stage, "note.md", POEM)?;
    match stage.is_command() {
        true => Ok(()),
        false => expect_tool(&ran, "note.md"),
    }
}

fn overwrite(stage: &mut Stage<'_>) -> Result {
    std::fs::write(stage.project().join("note.md"), "old\n")?;
    stage.obey(vec![file("note.md", POEM), say("I wrote it.")])?;
    let prompt = format!("Overwrite the file note.md: it should have exactly these two lines:\n{POEM}");
    stage.run(&Ask::new(&prompt))?.finished()?;
    holds(stage, "note.md", POEM)
}

fn tool_fails(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![
        command("touch tried.txt; no-such-command-of-kumite"),
        file("after.txt", "after\n"),
        say("I went on."),
    ])?;
    stage.run(&Ask::new("go"))?.finished()?.says("I went on.")?;
    holds(stage, "tried.txt", "")?;
    holds(stage, "after.txt", "after\n")
}

fn two_tools(stage: &mut Stage<'_>) -> Result {
    let both = vec![file("one.txt", "1\n"), file("two.txt", "2\n")];
    stage.obey(vec![Act::All(both), say("I did both.")])?;
    stage.run(&Ask::new("go"))?.finished()?;
    holds(stage, "one.txt", "1\n")?;
    holds(stage, "two.txt", "2\n")
}

fn big_prompt(stage: &mut Stage<'_>) -> Result {
    let middle = "0123456789 ".repeat(200 * 1024 / 11);
    let prompt = format!("the-begin {middle} the-end");
    stage.obey_rules(vec![rule("the-end", vec![say("I read to the end.")])])?;
    stage.run(&Ask::new(&prompt))?.finished()?.says("I read to the end.")?;
    expect(stage.requests().contains(&prompt), || {
        "the prompt should arrive whole, but did not".to_owned()
    })
}

fn dash_prompt(stage: &mut Stage<'_>) -> Result {
    let prompt = "--help -x is how this prompt begins";
    stage.obey_rules(vec![rule(prompt, vec![say("I read it.")])])?;
    stage.run(&Ask::new(prompt))?.finished()?.says("I read it.")?;
    Ok(())
}

fn unicode(stage: &mut Stage<'_>) -> Result {
    const WORDS: &str = "組手 ünïcødé ✓ 🥋";
    let content = format!("{WORDS}\n");
    stage.obey_rules(vec![rule(WORDS, vec![file("words.txt", &content), say(WORDS)])])?;
    stage.run(&Ask::new(WORDS))?.finished()?.says(WORDS)?;
    holds(stage, "words.txt", &content)
}

fn resume(stage: &mut Stage<'_>) -> Result {
    let (first, second) = (
        "Remember the word tatami, and answer with: I will",
        "Write the word that you remembered into the file word.txt, and nothing else into it",
    );
    stage.obey_rules(vec![
        rule("that you remembered", vec![file("word.txt", "tatami\n"), say("I did.")]),
        rule("Remember the word", vec![say("I will")]),
    ])?;
    let ran = stage.run(&Ask::new(first))?;
    ran.finished()?;
    let session = session_of(stage, &ran)?;
    let again = stage.run(&Ask::resuming(second, &session))?;
    let now = again.finished()?.session()?;
    expect(now == session, || format!("the session should still be {session}, but is {now}"))?;
    let word = stage.read("word.txt");
    expect(word.trim_end() == "tatami", || format!("word.txt should hold the word, but holds {word:?}"))?;
    if stage.kit.offline && !stage.is_command() {
        let requests = stage.requests();
        let last = requests.lines().rfind(|line| line.contains("that you remembered"));
        expect(last.is_some_and(|line| line.contains("Remember the word tatami")), || {
            "the resumed session should hold the first prompt, but does not".to_owned()
        })?;
    }
    Ok(())
}

fn resume_missing(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("Who are you?")])?;
    let session = match stage.kind() {
        Kind::Opencode => "ses_0000000000000000000000000a",
        _ => "99999999-2222-4333-8444-555555555555",
    };
    let ran = stage.run(&Ask::resuming("go on", session))?;
    match ran.outcome() {
        Outcome::SessionGone(_) => Ok(()),
        other => Err(Miss(format!("its session should be reported as gone, but {}", words(other)))),
    }
}

fn side_by_side(stage: &mut Stage<'_>) -> Result {
    let prompt = |name: &str| format!("Write the file {name}.txt with exactly one line: {name}");
    stage.obey_rules(vec![
        rule("left.txt", vec![file("left.txt", "left\n"), say("I am left.")]),
        rule("right.txt", vec![file("right.txt", "right\n"), say("I am right.")]),
    ])?;
    let left = stage.start(&Ask::new(&prompt("left")))?;
    let right = stage.start(&Ask::new(&prompt("right")))?;
    let (left, right) = (left.wait()?, right.wait()?);
    left.finished()?;
    right.finished()?;
    for name in ["left", "right"] {
        let found = stage.read(&format!("{name}.txt"));
        expect(found.trim_end() == name, || format!("{name}.txt should hold {name}, but holds {found:?}"))?;
    }
    let sessions = (&left.end.ended.session, &right.end.ended.session);
    expect(stage.is_command() || sessions.0 != sessions.1, || {
        format!("each should have a session of its own, but both have {:?}", sessions.0)
    })
}

fn huge_answer(stage: &mut Stage<'_>) -> Result {
    const BYTES: usize = 1 << 20;
    stage.obey(vec![Act::Huge {
        bytes: BYTES,
        times: None,
    }])?;
    let ran = stage.run(&Ask::new("go"))?;
    ran.finished()?;
    expect(ran.raw.len() >= BYTES, || {
        format!("the raw log should hold {BYTES} bytes, but holds {}", ran.raw.len())
    })
}
