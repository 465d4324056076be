//! Programs that cannot be started, or not in this way: the error gives the reason.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::work::say;
use super::{Of, Scenario, plain};
use kumite_core::program::ProgramKind;

use crate::agent::{Change, Kind};
use crate::stage::{Ask, Stage};
use crate::verdict::Result;

pub const ALL: &[Scenario] = &[
    plain("directory-missing")
        .what("without its directory it is not started, and the message names the directory")
        .run(|stage| {
            stage.obey(vec![say("Where am I?")])?;
            let gone = stage.path("gone");
            let ask = Ask {
                cwd: Some(gone.clone()),
                ..Ask::new("go")
            };
            stage.run(&ask)?.missing(&gone.to_string_lossy())
        }),
    plain("program-missing")
        .what("the message about a missing program names it")
        .run(|stage| check(stage, stage.path("no-such-program"), "does not exist")),
    plain("program-not-executable")
        .what("the message about a program that may not be run names it, and says what to do")
        .run(|stage| {
            let path = stage.program("agent", "#!/bin/sh\n")?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
            check(stage, path, "not executable")
        }),
    plain("program-is-directory")
        .what("a directory in place of the program is recognised")
        .run(|stage| check(stage, stage.path("home"), "is a directory")),
    plain("program-of-another-machine")
        .what("a program for another machine is recognised")
        .run(|stage| {
            // The header of a program for the S/390, which none of our machines is.
            let mut head = b"\x7fELF\x02\x02\x01".to_vec();
            head.resize(16, 0);
            head.extend([0, 2, 0, 22, 0, 0, 0, 1]);
            head.resize(64, 0);
            let path = stage.program("agent", "")?;
            fs::write(&path, head)?;
            check(stage, path, "built for another machine")
        }),
    plain("program-without-interpreter")
        .what("a script whose interpreter is missing is recognised")
        .run(|stage| {
            let path = stage.program("agent", "#!/no/such/interpreter\n")?;
            check(stage, path, "interpreter")
        }),
    plain("wrong-argument")
        .what("an unknown argument is a failure, and the message names it")
        .not(&[(
            Kind::Acp,
            "what an ACP agent says about its arguments is not part of the protocol",
        )])
        .run(|stage| {
            const WRONG: &str = "--unheard-of-by-kumite";
            stage.obey(vec![say("What was that?")])?;
            let change = Change {
                args: vec![WRONG.to_owned()],
                ..Change::default()
            };
            let ask = Ask {
                change,
                ..Ask::new("go")
            };
            // OpenCode prints only its usage, not the error.
            let words = match stage.kind() {
                Kind::Program(ProgramKind::Opencode) => "arguments",
                _ => "unheard-of-by-kumite",
            };
            stage.run(&ask)?.failed(&[words])
        }),
    plain("program-dies-at-once")
        .what("a program that dies at once has failed, and its own words are reported")
        .of(Of::Programs)
        .run(|stage| {
            let path = stage.program(
                "agent",
                "#!/bin/sh\necho 'my library is missing' >&2\nexit 127\n",
            )?;
            let words = match stage.kind() {
                // The bridge passes only stderr on, which is in the log.
                Kind::Acp => &["127"][..],
                _ => &["127", "my library is missing"],
            };
            stage.run(&Ask::by(path))?.failed(words)
        }),
];

fn check(stage: &Stage<'_>, program: PathBuf, reason: &str) -> Result {
    // The bridge to an ACP agent starts the program, and its message is shorter.
    let named = program.to_string_lossy().into_owned();
    let words = match stage.kind() {
        Kind::Acp => &named,
        _ => reason,
    };
    stage.run(&Ask::by(program))?.missing(words)
}
