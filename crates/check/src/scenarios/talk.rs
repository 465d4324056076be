//! Prompts and sessions: what is said arrives, and is remembered.

use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;

use super::work::{file, holds, rule, say, session_of};
use super::{Of, Scenario, model, obedient};
use crate::agent::Kind;
use crate::programs::{UNKNOWN_UUID, known};
use crate::stage::Ask;
use crate::verdict::{Miss, expect, words};

pub const ALL: &[Scenario] = &[
    obedient("big-prompt")
        .what("a prompt of 200 KB arrives whole")
        .run(|stage| {
            let middle = "0123456789 ".repeat(200 * 1024 / 11);
            let prompt = format!("the-begin {middle} the-end");
            stage.obey_rules(vec![rule("the-end", vec![say("I read to the end.")])])?;
            stage
                .run(&Ask::new(&prompt))?
                .finished()?
                .says("I read to the end.")?;
            expect(stage.requests().contains(&prompt), || {
                "the prompt should arrive whole, but did not".to_owned()
            })
        }),
    obedient("dash-prompt")
        .what("a prompt that looks like an option is a prompt")
        .run(|stage| {
            let prompt = "--help -x is how this prompt begins";
            stage.obey_rules(vec![rule(prompt, vec![say("I read it.")])])?;
            stage.run(&Ask::new(prompt))?.finished()?.says("I read it.")
        }),
    obedient("unicode")
        .what("letters beyond ASCII survive in prompt, file and transcript")
        .run(|stage| {
            const WORDS: &str = "組手 ünïcødé ✓ 🥋";
            let content = format!("{WORDS}\n");
            stage.obey_rules(vec![rule(
                WORDS,
                vec![file("words.txt", &content), say(WORDS)],
            )])?;
            stage.run(&Ask::new(WORDS))?.finished()?.says(WORDS)?;
            holds(stage, "words.txt", &content)
        }),
    model("resume")
        .what("a resumed session has the same id, and knows what was said")
        .run(|stage| {
            let (first, second) = (
                "Remember the word tatami, and answer with: I will",
                "Write the word that you remembered into the file word.txt, \
         and nothing else into it",
            );
            stage.obey_rules(vec![
                rule(
                    "that you remembered",
                    vec![file("word.txt", "tatami\n"), say("I did.")],
                ),
                rule("Remember the word", vec![say("I will")]),
            ])?;
            let ran = stage.run(&Ask::new(first))?;
            ran.finished()?;
            let session = session_of(stage, &ran)?;
            let again = stage.run(&Ask::resuming(second, &session))?;
            let now = again.finished()?.session()?;
            expect(now == session, || {
                format!("the session should still be {session}, but is {now}")
            })?;
            let word = stage.read("word.txt");
            expect(word.trim_end() == "tatami", || {
                format!("word.txt should hold the word, but holds {word:?}")
            })?;
            if stage.kit.offline && !stage.is_command() {
                let requests = stage.requests();
                let last = requests
                    .lines()
                    .rfind(|line| line.contains("that you remembered"));
                expect(
                    last.is_some_and(|line| line.contains("Remember the word tatami")),
                    || "the resumed session should hold the first prompt, but does not".to_owned(),
                )?;
            }
            Ok(())
        }),
    model("resume-missing")
        .what("a missing session is recognised")
        .of(Of::Programs)
        .run(|stage| {
            stage.obey(vec![say("Who are you?")])?;
            let session = match stage.kind() {
                Kind::Program(program) => known(program).unknown_session,
                Kind::Acp | Kind::Command => UNKNOWN_UUID,
            };
            let ran = stage.run(&Ask::resuming("go on", session))?;
            match ran.outcome() {
                Outcome::SessionGone(_) => Ok(()),
                other => Err(Miss(format!(
                    "its session should be reported as gone, but {}",
                    words(other)
                ))),
            }
        }),
    model("side-by-side")
        .what("two agents work at the same time, each in its own session")
        .run(|stage| {
            let prompt =
                |name: &str| format!("Write the file {name}.txt with exactly one line: {name}");
            stage.obey_rules(vec![
                rule(
                    "left.txt",
                    vec![file("left.txt", "left\n"), say("I am left.")],
                ),
                rule(
                    "right.txt",
                    vec![file("right.txt", "right\n"), say("I am right.")],
                ),
            ])?;
            if stage.kind() == Kind::Program(ProgramKind::Opencode) {
                // The first start in a home creates a database, and a second process must not start
                // meanwhile.
                stage.run(&Ask::new(&prompt("left")))?.finished()?;
            }
            let left = stage.start(&Ask::new(&prompt("left")))?;
            let right = stage.start(&Ask::new(&prompt("right")))?;
            let (left, right) = (left.wait()?, right.wait()?);
            left.finished()?;
            right.finished()?;
            for name in ["left", "right"] {
                let found = stage.read(&format!("{name}.txt"));
                expect(found.trim_end() == name, || {
                    format!("{name}.txt should hold {name}, but holds {found:?}")
                })?;
            }
            let sessions = (&left.end.ended.session, &right.end.ended.session);
            expect(stage.is_command() || sessions.0 != sessions.1, || {
                format!(
                    "each should have a session of its own, but both have {:?}",
                    sessions.0
                )
            })
        }),
    obedient("huge-answer")
        .what("an answer of 1 MB is accepted")
        .run(|stage| {
            const BYTES: usize = 1 << 20;
            stage.obey(vec![say(&babble(BYTES))])?;
            let ran = stage.run(&Ask::new("go"))?;
            ran.finished()?;
            expect(ran.raw.len() >= BYTES, || {
                format!(
                    "the raw log should hold {BYTES} bytes, but holds {}",
                    ran.raw.len()
                )
            })
        }),
];

/// A text that never repeats itself: some programs stop a model that does.
fn babble(bytes: usize) -> String {
    let mut state = 1_u64;
    let mut text = String::new();
    while text.len() < bytes {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        text += &format!("{:08x} ", state >> 32);
    }
    text
}
