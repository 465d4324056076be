//! An agent program that does a spec's step from a play instead of a model, and misbehaves on
//! demand.
//!
//! kumite starts it in place of `claude`, or as a `command` agent; it takes its instructions from
//! the play file (see `play.rs`), not from its arguments. [`perform`] does one launch, from start
//! to end.

mod documents;
mod launch;
mod misbehave;
mod play;
mod spec_json;
mod talk;
mod work;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use launch::{Launch, Log};
use misbehave::Rest;
use play::{Action, Hang, Play};
use talk::Talk;

fn main() -> ExitCode {
    if let Some(kind) = misbehave::asked_to_sleep_as_child() {
        return misbehave::sleep_as_child(&kind);
    }
    match perform(&Launch::from_env()) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            eprintln!("fake-agent: {message}");
            ExitCode::from(2)
        }
    }
}

fn perform(launch: &Launch) -> Result<u8, String> {
    let (dir, play) = Play::find(&launch.cwd);
    let log = Log::in_dir(&dir);
    let play = play.inspect_err(|error| log.refused(launch, error))?;
    let key = play.key_for(launch);
    let logged = log.launched(launch, key)?;
    let action = match play.actions(key) {
        [only] => only,
        actions => &actions[log.launches_before(logged, key)?.min(actions.len() - 1)],
    };

    if action.ignore_term {
        misbehave::ignore_polite_signals();
    }
    let hang_at = |point: Hang, rest: &mut Rest<'_>| {
        if action.hang == Some(point) {
            rest.for_ever();
        }
    };
    if action.hang == Some(Hang::Start) {
        Rest::silent().for_ever();
    }

    let mut talk = Talk::new(launch, action);
    talk.init();
    misbehave::leave_children(&action.children, &log.children())?;
    misbehave::leave_zombies(action.zombies)?;
    if action.close_output {
        misbehave::close_output();
    }
    if action.kill_supervisor {
        misbehave::kill_supervisor()?;
    }
    touch_all(&dir, &action.touch)?;
    misbehave::make_noise(action, &mut talk);
    talk.recite(&action.say);
    action.complain.iter().for_each(|line| eprintln!("{line}"));

    let heartbeat = action.heartbeat_ms.map(Duration::from_millis);
    let mut rest = Rest::with_heartbeat(heartbeat, &mut talk);
    rest.for_ms(action.sleep_ms);
    if let Some(path) = &action.wait_for {
        rest.until_exists(&dir.join(path));
    }
    hang_at(Hang::Middle, &mut rest);
    if action.hang_unless_resumed && launch.resumed.is_none() {
        rest.for_ever();
    }

    work::work(launch, action, &mut talk);

    let mut rest = Rest::with_heartbeat(heartbeat, &mut talk);
    hang_at(Hang::AfterWork, &mut rest);
    rest.for_ms(action.sleep_after_ms);

    talk.result(action);

    let mut rest = Rest::with_heartbeat(heartbeat, &mut talk);
    hang_at(Hang::AfterResult, &mut rest);
    rest.for_ms(action.tail_ms);
    touch_all(&dir, &action.touch_end)?;
    end(launch, action, &log)
}

/// A normal end is logged; an end by a signal is not, as in real life.
fn end(launch: &Launch, action: &Action, log: &Log) -> Result<u8, String> {
    if let Some(signal) = action.signal {
        misbehave::die_of(signal)?;
    }
    let code = action.exit_code();
    log.ended(launch, code)?;
    Ok(code)
}

fn touch_all(dir: &Path, paths: &[String]) -> Result<(), String> {
    for path in paths {
        work::touch(&dir.join(path)).map_err(|error| format!("cannot touch {path}: {error}"))?;
    }
    Ok(())
}
