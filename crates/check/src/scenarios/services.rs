//! Trouble of the model service: each kind is recognised.

use std::time::{SystemTime, UNIX_EPOCH};

use kumite_core::outcome::{LimitKind, Outcome};
use kumite_core::program::ProgramKind;
use kumite_fake_model::Act;

use super::work::{file, holds, say, session_of};
use super::{Of, Scenario, obedient};
use crate::agent::Kind;
use crate::offline::Credentials;
use crate::programs::known;
use crate::stage::{Ask, Stage};
use crate::verdict::{Miss, Result, expect, words};

pub const ALL: &[Scenario] = &[
    obedient("auth")
        .what("a refused login is a failure, and the message says what to do")
        .run(|stage| {
            stage.obey(vec![Act::Auth { times: None }])?;
            stage.run(&Ask::new("go"))?.failed(&[&remedy(stage)])
        }),
    obedient("no-login")
        .what("a missing login is a failure, and the message says what to do")
        .of(Of::Programs)
        .run(|stage| {
            stage.obey(vec![Act::Auth { times: None }])?;
            let ask = Ask {
                credentials: Credentials::None,
                ..Ask::new("go")
            };
            stage.run(&ask)?.failed(&[&remedy(stage)])
        }),
    obedient("bad-request")
        .what(
            "a request that the service refuses is a failure, reported in the words of the service",
        )
        .run(|stage| {
            stage.obey(vec![error(400, "this request is wrong")])?;
            stage
                .run(&Ask::new("go"))?
                .failed(&["this request is wrong"])
        }),
    obedient("limit")
        .what("a usage limit is recognised, and its reset too if the program reports it")
        .run(|stage| {
            stage.obey(vec![limited(None)])?;
            let ran = stage.run(&on_a_plan(Ask::new("go")))?;
            let limit = match stage.kind() {
                // It only reports that it was asked to slow down.
                Kind::Program(ProgramKind::Opencode) => ran.limited(LimitKind::Overload)?,
                _ => ran.limited(LimitKind::Usage)?,
            };
            let tells_reset = match stage.kind() {
                Kind::Program(program) => known(program).tells_reset,
                Kind::Command => true,
                Kind::Acp => false,
            };
            match limit.until_ms {
                Some(until_ms) => expect_reset(until_ms),
                None => expect(!tells_reset, || {
                    format!("the reset should be known, but is not: {}", limit.words)
                }),
            }
        }),
    obedient("limit-resumed")
        .what("after a usage limit the same session is resumed")
        .run(|stage| {
            stage.obey(vec![
                file("before.txt", "before\n"),
                limited(Some(1)),
                file("after.txt", "after\n"),
                say("I did both."),
            ])?;
            let ran = stage.run(&on_a_plan(Ask::new("do both")))?;
            ran.is("it should be limited", |outcome| {
                matches!(outcome, Outcome::Limited(_))
            })?;
            let session = session_of(stage, &ran)?;
            let again = stage.run(&on_a_plan(Ask::resuming("go on", &session)))?;
            let now = again.finished()?.session()?;
            expect(now == session, || {
                format!("the session should still be {session}, but is {now}")
            })?;
            holds(stage, "before.txt", "before\n")?;
            holds(stage, "after.txt", "after\n")
        }),
    obedient("rate")
        .what("too many requests in a short time are an overload, not a usage limit")
        .run(|stage| {
            stage.obey(vec![Act::Rate {
                retry_after_s: None,
                times: None,
            }])?;
            let ran = stage.run(&Ask::new("go"))?;
            match (stage.kind(), ran.outcome()) {
                // Its message may look like a limit that ends soon.
                (Kind::Acp, Outcome::Limited(_)) => Ok(()),
                _ => ran.limited(LimitKind::Overload).map(|_| ()),
            }
        }),
    obedient("overload-passes")
        .what("the work goes on after a short overload")
        .run(|stage| {
            stage.obey(vec![
                Act::Overload { times: Some(1) },
                say("Here I am again."),
            ])?;
            if stage.is_command() {
                // A command that cannot wait reports so, and is started again.
                stage.run(&Ask::new("go"))?.limited(LimitKind::Overload)?;
            }
            stage
                .run(&Ask::new("go"))?
                .finished()?
                .says("Here I am again.")
        }),
    obedient("overload")
        .what("a long overload is reported as an overload")
        .run(|stage| {
            stage.obey(vec![Act::Overload { times: None }])?;
            stage.run(&Ask::new("go"))?.limited(LimitKind::Overload)?;
            Ok(())
        }),
    obedient("server-error")
        .what("an error of the server is an overload")
        .run(|stage| {
            stage.obey(vec![error(500, "the server fell over")])?;
            let ran = stage.run(&Ask::new("go"))?;
            match stage.is_command() {
                true => ran.failed(&["the server fell over"]).map(|_| ()),
                false => ran.limited(LimitKind::Overload).map(|_| ()),
            }
        }),
    obedient("stream-cut")
        .what("after an answer that breaks off once, the program asks again or fails")
        .run(|stage| {
            stage.obey(vec![Act::Cut { times: Some(1) }, say("Here I am again.")])?;
            let ran = stage.run(&Ask::new("go"))?;
            match ran.outcome() {
                Outcome::Finished => ran.says("Here I am again.").map(|_| ()),
                Outcome::Failed(_) | Outcome::Limited(_) => Ok(()),
                other => Err(Miss(format!(
                    "it should go on or fail, but {}",
                    words(other)
                ))),
            }
        }),
    obedient("stream-cut-always")
        .what("answers that always break off do not count as success")
        .run(|stage| {
            stage.obey(vec![Act::Cut { times: None }])?;
            let ask = Ask::new("go").silence(stage.silence() * 3);
            stage.run(&ask)?.not_finished()
        }),
    obedient("garbage")
        .what("an answer that makes no sense does not count as success")
        .of(Of::Programs)
        .run(|stage| {
            stage.obey(vec![Act::Garbage { times: None }])?;
            let ask = Ask::new("go").silence(stage.silence() * 3);
            stage.run(&ask)?.not_finished()
        }),
];

fn remedy(stage: &Stage<'_>) -> String {
    match stage.kind() {
        Kind::Program(program) => format!("log in with `{}`", program.info().login),
        Kind::Command => "log in with".to_owned(),
        // The protocol does not define how to log in.
        Kind::Acp => "not logged in".to_owned(),
    }
}

fn error(status: u16, message: &str) -> Act {
    Act::Error {
        status,
        message: message.to_owned(),
        times: None,
    }
}

const RESETS_IN_S: i64 = 7200;

fn limited(times: Option<u32>) -> Act {
    Act::Limit {
        resets_in_s: Some(RESETS_IN_S),
        times,
    }
}

fn on_a_plan(ask: Ask) -> Ask {
    Ask {
        credentials: Credentials::Plan,
        ..ask
    }
}

/// About the time that the model reported. Some programs give only minutes.
fn expect_reset(until_ms: u64) -> Result {
    let now_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs().cast_signed());
    let in_s = (until_ms / 1000).cast_signed() - now_s;
    expect((in_s - RESETS_IN_S).abs() < 600, || {
        format!("the limit should end in {RESETS_IN_S} s, but ends in {in_s} s")
    })
}
