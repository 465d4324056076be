//! Hangs, stops and deaths: each is recognised, and nothing is left.

use std::fs;
use std::time::Duration;

use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;
use kumite_fake_model::Act;
use rustix::process::{Pid, Signal, kill_process};

use super::work::{command, file, holds, say, session_of};
use super::{Scenario, model, obedient};
use crate::agent::Kind;
use crate::stage::{Ask, Stage};
use crate::verdict::{Miss, Result, expect};

pub const ALL: &[Scenario] = &[
    obedient("hang")
        .what("if the model never answers, the agent counts as hung")
        .run(|stage| {
            stage.obey(vec![Act::Hang { times: None }])?;
            let ask = Ask::new("go").silence(stage.silence());
            stage.run(&ask)?.hung()?;
            expect(stage.asked() > 0, || {
                "the model should be asked before it hangs, but was not".to_owned()
            })
        }),
    obedient("hang-resumed")
        .what("if an answer stops midway, the agent counts as hung, and its session can be resumed")
        .run(|stage| {
            stage.obey(vec![
                Act::HangMid { times: Some(1) },
                file("after.txt", "after\n"),
                say("Here I am again."),
            ])?;
            let ask = Ask::new("do it").silence(stage.silence());
            let ran = stage.run(&ask)?;
            ran.hung()?;
            go_on(stage, &ran)
        }),
    obedient("slow")
        .what("a slow answer does not count as hung")
        .run(|stage| {
            // Not the whole silence: the program itself needs some time too.
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
        }),
    obedient("stop")
        .what("when it is asked to end, it ends within the allowed time")
        .run(|stage| {
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
        }),
    model("stop-in-tool")
        .what("when it is asked to end while a command runs, both end")
        .run(|stage| {
            let started = stage.project().join("started.txt");
            let line = format!("touch {0} && tail -f {0}", started.display());
            stage.obey(vec![command(&line), say("It ended.")])?;
            let task = "Run this shell command in the foreground, and wait for it";
            let running = stage.start(&Ask::new(&format!("{task}: {line}")))?;
            stage.wait_for_file(&running, "started.txt")?;
            running.handle.stop();
            running.wait()?.killed()?;
            Ok(())
        }),
    obedient("stop-resumed")
        .what("a session that was stopped can be resumed")
        .not(&[(
            Kind::Program(ProgramKind::Opencode),
            "it names its session only when the model answers",
        )])
        .run(|stage| {
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
        }),
    obedient("step-timeout")
        .what("it ends when its time is up")
        .run(|stage| {
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
        }),
    model("child-left")
        .what("a process that it leaves behind ends with it")
        .run(|stage| {
            let left = stage.project().join("left.txt");
            let line = format!(
                "touch {0}; \
         setsid nohup tail -f {0} >/dev/null 2>&1 </dev/null & echo $! > left.pid",
                left.display()
            );
            stage.obey(vec![command(&line), say("I left a process behind.")])?;
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
                format!("no process should be left, but {living:?} is")
            })
        }),
    obedient("directory-removed")
        .what("it ends when its directory is deleted")
        .run(|stage| {
            // Slow enough that the directory is removed before the answer.
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
        }),
    obedient("supervisor-killed")
        .what("when its supervisor is killed, it is ended and counts as lost")
        .run(|stage| {
            stage.obey(vec![Act::Hang { times: None }])?;
            let running = stage.start(&Ask::new("go"))?;
            stage.wait_until_asked(&running, 1)?;
            let supervisor = running.handle.supervisor();
            let pid = supervisor.and_then(|found| Pid::from_raw(found.pid.cast_signed()));
            let unknown = || Miss("its supervisor should be known, but is not".to_owned());
            let pid = pid.ok_or_else(unknown)?;
            kill_process(pid, Signal::KILL).map_err(std::io::Error::from)?;
            let ran = running.wait()?;
            ran.is("it should count as lost", |outcome| {
                matches!(outcome, Outcome::Lost(_))
            })?;
            Ok(())
        }),
];

/// Resumes the session of an agent that was ended.
fn go_on(stage: &Stage<'_>, ran: &crate::ran::Ran) -> Result {
    let session = session_of(stage, ran)?;
    let again = stage.run(&Ask::resuming("go on", &session))?;
    again.finished()?.says("Here I am again.")?;
    holds(stage, "after.txt", "after\n")
}

/// How long a stop may take: its grace, and extra time for a loaded machine.
const STOP_MAX: Duration = Duration::from_secs(12);
