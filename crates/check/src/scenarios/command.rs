//! Scenarios only for commands: the exit code is the verdict, the last line a report.

use std::time::Duration;

use kumite_core::agent_kind::Prompt;
use kumite_core::outcome::LimitKind;

use super::played::{ask, text, the_recording, understood};
use super::{Of, Scenario, plain};
use crate::agent::Change;
use crate::stage::Ask;
use crate::verdict::expect;

const fn own(name: &'static str) -> Scenario {
    plain(name).of(Of::Commands)
}

pub const ALL: &[Scenario] = &[
    own("no-report")
        .what("a command that reports nothing has finished when it exits with 0")
        .run(|stage| {
            let ran = stage.run(&ask(stage, b"just words\n", "")?)?;
            ran.finished()?.says("just words")
        }),
    own("report-cut-off")
        .what("a report that is cut off is an ordinary line")
        .run(|stage| {
            let mut output = text(&the_recording(stage)?.lines());
            output.truncate(output.len() - 3);
            let ran = stage.run(&ask(stage, &output, "")?)?;
            let usage = ran.finished()?.end.ended.usage;
            expect(usage.input_tokens == 0, || {
                format!("nothing should be reported, but {usage:?} is")
            })
        }),
    own("report-in-the-middle")
        .what("only the last line is a report")
        .run(|stage| {
            let limit = r#"{"kumite":1,"overloaded":true}"#;
            let recording = the_recording(stage)?;
            let mut lines = recording.lines();
            lines.insert(0, limit.to_owned());
            understood(&stage.run(&ask(stage, &text(&lines), "")?)?, &recording)
        }),
    own("report-of-a-stranger")
        .what("a report of another version is an ordinary line")
        .run(|stage| {
            let line = r#"{"kumite":2,"overloaded":true,"session":"x"}"#;
            let ran = stage.run(&ask(stage, line.as_bytes(), "")?)?;
            let session = &ran.finished()?.end.ended.session;
            expect(session.is_none(), || {
                format!("no session should be known, but {session:?} is")
            })
        }),
    own("report-limit")
        .what("a limit can be reported as RFC 3339, with any exit code")
        .run(|stage| {
            let line = r#"{"kumite":1,"limited_until":"2100-01-01T00:00:00Z"}"#;
            for exit in ["exit 0", "exit 75"] {
                let ran = stage.run(&ask(stage, line.as_bytes(), exit)?)?;
                let until = ran.limited(LimitKind::Usage)?.until_ms;
                expect(until == Some(4_102_444_800_000), || {
                    format!("the reset should be known, but is {until:?}")
                })?;
            }
            Ok(())
        }),
    own("prompt-in-a-file")
        .what("a command can get its prompt as a file")
        .run(|stage| {
            let change = Change {
                program: Some("/bin/cat".into()),
                args: vec!["{prompt_file}".to_owned()],
                prompt: Prompt::File,
            };
            let ask = Ask {
                change,
                ..Ask::new("the words of the prompt")
            };
            stage.run(&ask)?.finished()?.says("the words of the prompt")
        }),
    own("prompt-unread")
        .what("a command does not have to read its prompt")
        .run(|stage| {
            let ask = Ask {
                prompt: "x".repeat(1 << 20),
                ..ask(stage, b"I know what to do\n", "")?
            };
            stage.run(&ask)?.finished()?;
            Ok(())
        }),
    own("done-but-stays")
        .what("a command that does not exit is silent, not finished")
        .run(|stage| {
            let output = text(&the_recording(stage)?.lines());
            let ask =
                ask(stage, &output, "exec >&- 2>&-\nsleep 1000")?.silence(Duration::from_secs(2));
            stage.run(&ask)?.hung()
        }),
];
