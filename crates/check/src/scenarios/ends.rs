//! Hangs, stops and deaths: each is recognised, and nothing is left.

use std::fs;
use std::time::Duration;

use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;
use kumite_fake_model::Act;
use rustix::process::{Pid, Signal, kill_process};

use super::work::{command, file, holds, say, session_of};
use super::{Needs, Scenario, scenario};
use crate::agent::Kind;
use crate::stage::{Ask, Stage};
use crate::verdict::{Miss, Result, expect};

pub const ALL: &[Scenario] = &[
    scenario(
        "hang",
        Needs::Obedience,
        hang,
        "a model that never answers makes a hung agent",
    ),
    scenario(
        "hang-resumed",
        Needs::Obedience,
        hang_resumed,
        "an answer that stops midway is a hang, and its session goes on",
    ),
    scenario("slow", Needs::Obedience, slow, "a slow answer is no hang"),
    scenario(
        "stop",
        Needs::Obedience,
        stop,
        "it ends within its grace when it is told to",
    ),
    scenario(
        "stop-in-tool",
        Needs::Model,
        stop_in_tool,
        "told to end while a command runs, nothing is left of either",
    ),
    scenario(
        "stop-resumed",
        Needs::Obedience,
        stop_resumed,
        "a session that was stopped goes on",
    )
    .not(&[(
        Kind::Program(ProgramKind::Opencode),
        "it names its session only when the model answers",
    )]),
    scenario(
        "step-timeout",
        Needs::Obedience,
        step_timeout,
        "it ends when its time is up",
    ),
    scenario(
        "child-left",
        Needs::Model,
        child_left,
        "a process that it leaves behind ends with it",
    ),
    scenario(
        "directory-removed",
        Needs::Obedience,
        directory_removed,
        "it comes to an end when its directory goes",
    ),
    scenario(
        "supervisor-killed",
        Needs::Obedience,
        supervisor_killed,
        "when its supervisor is killed, it counts as lost and is ended",
    ),
];

fn hang(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![Act::Hang { times: None }])?;
    let ask = Ask::new("go").silence(stage.silence());
    stage.run(&ask)?.hung()?;
    expect(stage.asked() > 0, || {
        "the model should be asked before it hangs, but was not".to_owned()
    })
}

fn hang_resumed(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![
        Act::HangMid { times: Some(1) },
        file("after.txt", "after\n"),
        say("Here I am again."),
    ])?;
    let ask = Ask::new("do it").silence(stage.silence());
    let ran = stage.run(&ask)?;
    ran.hung()?;
    go_on(stage, &ran)
}

/// Resumes the session of an agent that was ended.
fn go_on(stage: &Stage<'_>, ran: &crate::ran::Ran) -> Result {
    let session = session_of(stage, ran)?;
    let again = stage.run(&Ask::resuming("go on", &session))?;
    again.finished()?.says("Here I am again.")?;
    holds(stage, "after.txt", "after\n")
}

fn slow(stage: &mut Stage<'_>) -> Result {
    // The program itself needs some time too.
    let wait = stage.silence() / 3;
    stage.obey(vec![Act::Slow {
        ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        times: None,
    }])?;
    let ask = Ask::new("go").silence(stage.silence());
    let ran = stage.run(&ask)?;
    ran.finished()?.says("done.")?;
    expect(ran.took >= wait, || {
        format!("it should take {wait:?}, but took {:?}", ran.took)
    })
}

/// How long a stop may take: its grace, and extra time for a loaded machine.
const STOP_MAX: Duration = Duration::from_secs(12);

fn stop(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![Act::Hang { times: None }])?;
    let running = stage.start(&Ask::new("go"))?;
    stage.wait_until_asked(&running, 1)?;
    let before = running.since.elapsed();
    running.handle.stop();
    let ran = running.wait()?;
    let took = ran.killed()?.took - before;
    expect(took < STOP_MAX, || {
        format!("it should end within {STOP_MAX:?}, but took {took:?}")
    })
}

fn stop_in_tool(stage: &mut Stage<'_>) -> Result {
    let started = stage.project().join("started.txt");
    let line = format!("touch {0} && tail -f {0}", started.display());
    stage.obey(vec![command(&line), say("It ended.")])?;
    let prompt = format!("Run this shell command in the foreground, and wait for it: {line}");
    let running = stage.start(&Ask::new(&prompt))?;
    stage.wait_for_file(&running, "started.txt")?;
    running.handle.stop();
    running.wait()?.killed()?;
    Ok(())
}

fn stop_resumed(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![
        Act::Hang { times: Some(1) },
        file("after.txt", "after\n"),
        say("Here I am again."),
    ])?;
    let running = stage.start(&Ask::new("do it"))?;
    stage.wait_until_asked(&running, 1)?;
    running.handle.stop();
    let ran = running.wait()?;
    ran.killed()?;
    go_on(stage, &ran)
}

fn step_timeout(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![Act::Hang { times: None }])?;
    let ask = Ask {
        step: stage.silence(),
        ..Ask::new("go")
    };
    let ran = stage.run(&ask)?;
    ran.is("its time should be up", |outcome| {
        *outcome == Outcome::TimedOut
    })?;
    Ok(())
}

fn child_left(stage: &mut Stage<'_>) -> Result {
    let left = stage.project().join("left.txt");
    let line = format!(
        "touch {0}; setsid nohup tail -f {0} >/dev/null 2>&1 </dev/null & echo $! > left.pid",
        left.display()
    );
    stage.obey(vec![command(&line), say("I left somebody behind.")])?;
    stage
        .run(&Ask::new(&format!(
            "Run this shell command and nothing else: {line}"
        )))?
        .finished()?;
    let pid = stage.read("left.pid");
    expect(!pid.trim().is_empty(), || {
        "a process should be left behind, but none was started".to_owned()
    })?;
    let living = stage.living();
    expect(living.is_empty(), || {
        format!("nobody should be left, but {living:?} is")
    })
}

fn directory_removed(stage: &mut Stage<'_>) -> Result {
    // Enough time to remove it.
    let answer = Act::Slow {
        ms: 3_000,
        times: None,
    };
    stage.obey(vec![command("touch started.txt"), answer])?;
    let running = stage.start(&Ask::new("go").silence(stage.silence() * 3))?;
    stage.wait_for_file(&running, "started.txt")?;
    stage.wait_until_asked(&running, 2)?;
    fs::remove_dir_all(stage.project())?;
    let ran = running.wait()?;
    ran.is("it should finish or fail", |outcome| {
        matches!(outcome, Outcome::Finished | Outcome::Failed(_))
    })?;
    Ok(())
}

fn supervisor_killed(stage: &mut Stage<'_>) -> Result {
    stage.obey(vec![Act::Hang { times: None }])?;
    let running = stage.start(&Ask::new("go"))?;
    stage.wait_until_asked(&running, 1)?;
    let supervisor = running.handle.supervisor();
    let pid = supervisor.and_then(|found| Pid::from_raw(found.pid.cast_signed()));
    let pid = pid.ok_or_else(|| Miss("its supervisor should be known, but is not".to_owned()))?;
    kill_process(pid, Signal::KILL).map_err(std::io::Error::from)?;
    let ran = running.wait()?;
    ran.is("it should count as lost", |outcome| {
        matches!(outcome, Outcome::Lost(_))
    })?;
    Ok(())
}
