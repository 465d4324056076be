//! Programs that cannot be started, or not in this way: the error gives the reason.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::work::say;
use super::{Needs, Of, Scenario, scenario};
use kumite_core::program::ProgramKind;

use crate::agent::{Change, Kind};
use crate::stage::{Ask, Stage};
use crate::verdict::Result;

pub const ALL: &[Scenario] = &[
    scenario(
        "directory-missing",
        Needs::Nothing,
        directory_missing,
        "without its directory it is not started, and the reason names it",
    ),
    scenario(
        "program-missing",
        Needs::Nothing,
        missing,
        "a program that is not there is named",
    ),
    scenario(
        "program-not-executable",
        Needs::Nothing,
        not_executable,
        "a program that may not be run is named, with the remedy",
    ),
    scenario(
        "program-is-directory",
        Needs::Nothing,
        is_directory,
        "a directory is no program",
    ),
    scenario(
        "program-of-another-machine",
        Needs::Nothing,
        another_machine,
        "a program for another machine is recognised",
    ),
    scenario(
        "program-without-interpreter",
        Needs::Nothing,
        no_interpreter,
        "a script whose interpreter is missing is recognised",
    ),
    scenario(
        "wrong-argument",
        Needs::Nothing,
        wrong_argument,
        "an argument that it does not know is a failure that names it",
    )
    .not(&[(
        Kind::Acp,
        "what an ACP agent says about its arguments is not part of the protocol",
    )]),
    scenario(
        "program-dies-at-once",
        Needs::Nothing,
        dies,
        "a program that dies at once has failed, in its own words",
    )
    .of(Of::Programs),
];

fn directory_missing(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![say("Where am I?")])?;
    let gone = stage.path("gone");
    let ask = Ask {
        cwd: Some(gone.clone()),
        ..Ask::new("go")
    };
    stage.run(&ask)?.missing(&gone.to_string_lossy())?;
    Ok(())
}

fn check(stage: &Stage<'_>, program: PathBuf, reason: &str) -> Result {
    // The bridge to an ACP agent starts the program, and its message is shorter.
    let named = program.to_string_lossy().into_owned();
    let words = match stage.kind() {
        Kind::Acp => &named,
        _ => reason,
    };
    stage.run(&Ask::by(program))?.missing(words)?;
    Ok(())
}

fn missing(stage: &mut Stage<'_>) -> Result {
    check(stage, stage.path("no-such-program"), "does not exist")
}

fn not_executable(stage: &mut Stage<'_>) -> Result {
    let path = stage.program("agent", "#!/bin/sh\n")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    check(stage, path, "not executable")
}

fn is_directory(stage: &mut Stage<'_>) -> Result {
    check(stage, stage.path("home"), "is a directory")
}

fn another_machine(stage: &mut Stage<'_>) -> Result {
    // The header of a program for the S/390, which none of our machines is.
    let mut head = b"\x7fELF\x02\x02\x01".to_vec();
    head.resize(16, 0);
    head.extend([0, 2, 0, 22, 0, 0, 0, 1]);
    head.resize(64, 0);
    let path = stage.program("agent", "")?;
    fs::write(&path, head)?;
    check(stage, path, "built for another machine")
}

fn no_interpreter(stage: &mut Stage<'_>) -> Result {
    let path = stage.program("agent", "#!/no/such/interpreter\n")?;
    check(stage, path, "interpreter")
}

fn wrong_argument(stage: &mut Stage<'_>) -> Result {
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
    stage.run(&ask)?.failed(&[words])?;
    Ok(())
}

fn dies(stage: &mut Stage<'_>) -> Result {
    let path = stage.program(
        "agent",
        "#!/bin/sh\necho 'my library is missing' >&2\nexit 127\n",
    )?;
    let words = match stage.kind() {
        // The bridge passes only stderr on, which is in the log.
        Kind::Acp => &["127"][..],
        _ => &["127", "my library is missing"],
    };
    stage.run(&Ask::by(path))?.failed(words)?;
    Ok(())
}
