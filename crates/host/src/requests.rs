//! The requests of people to an engine.

mod places;

use std::sync::mpsc::Sender;

use kumite_agents::Owner;
use kumite_contest::home::Home;
use kumite_core::facts::{Facts, Look};
use kumite_core::journal::{By, Event, Order};
use kumite_core::names::{Document, Phase};
use kumite_core::run::Rest;
use kumite_core::run::{
    Halt, Refusal, Run, State, may_approve, may_approve_deploy, may_reject, may_review,
};
use kumite_formats::spec_name;

use crate::beside::beside;
use crate::context::Context;
use crate::control::{Reply, Request};
use crate::engine::{Ending, Engine};
use crate::launch::LaunchSettings;
use crate::order;
use crate::run_request::{Follow, RunRequest};
use kumite_project::{journal, project, settings, spec_file};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Name(#[from] spec_name::Error),
    #[error(transparent)]
    Project(#[from] project::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Settings(#[from] settings::Error),
    #[error(transparent)]
    Contest(#[from] kumite_contest::Error),
    /// Only one agent at a time works for a spec, and we cannot end another user's agent.
    #[error("{spec} has {owner}")]
    Foreign { spec: String, owner: Owner },
    #[error("{spec}: {why}")]
    Refused { spec: String, why: String },
    #[error("{0}")]
    Unsupported(String),
}

/// Answers a request. Some answers come later, when the run rests.
pub fn answer(engine: &mut Engine, request: Request, reply: Sender<Reply>) {
    let answered = match request {
        Request::Run(asked) => run(engine, asked, &reply),
        Request::Contest { dir, by } => contest(engine, Home::at(dir), by, &reply),
        Request::Stop { spec } => stop(engine, &[spec], By::User, &reply),
        Request::Interrupt { specs } => stop(engine, &specs, By::Interrupt, &reply),
        Request::Pause { spec } => pause(engine, &spec, &reply),
        Request::Reset { spec, hard } => places::reset(engine, &spec, hard, &reply),
        Request::Undo { spec, to } => places::undo(engine, &spec, to, &reply),
        Request::Approve { spec, document } => approve(engine, &spec, document, &reply),
        Request::Reject {
            spec,
            document,
            remark,
        } => reject(engine, &spec, document, remark, &reply),
    };
    if let Err(error) = answered {
        let why = spec_file::sentence(&error);
        let _ = reply.send(match error {
            Error::Journal(error) if error.is_of_the_machine() => Reply::Failed(why),
            Error::Contest(error) if error.is_of_the_machine() => Reply::Failed(why),
            _ => Reply::Refused(why),
        });
    }
}

fn done(reply: &Sender<Reply>, text: String) -> Result<(), Error> {
    let _ = reply.send(Reply::Done(text));
    Ok(())
}

/// All or nothing: a wrong name starts none of them. Only if no names were given do the others run,
/// and a spec that cannot be opened counts as ended.
fn run(engine: &mut Engine, asked: RunRequest, reply: &Sender<Reply>) -> Result<(), Error> {
    let by_hand = asked.review_once.is_some();
    let in_the_way =
        |name: &String| is_stopping(engine, name) || is_reviewed(engine, name, by_hand);
    if engine.ending != Ending::No || asked.specs.iter().any(in_the_way) {
        let _ = reply.send(Reply::Later);
        return Ok(());
    }
    engine.loader.reload()?;
    let settings = engine.loader.loaded.settings.clone();
    if let Some(agent) = &asked.agent {
        settings::agent(&settings, agent)?;
    }
    order::is_supported(&settings).map_err(Error::Unsupported)?;
    let mut broken = Vec::new();
    for name in &asked.specs {
        match engine.open(name) {
            Err(Error::Journal(error)) if asked.all => {
                broken.push((name, spec_file::sentence(&error)));
                continue;
            }
            opened => opened?,
        }
        if asked.review_once.is_some() {
            may_review(&engine.contexts[name].run).map_err(|refusal| refused(name, refusal))?;
        }
    }
    let mut others = asked.specs.clone();
    others.retain(|name| !engine.claim(name, asked.by));
    if !others.is_empty() {
        let _ = reply.send(Reply::Others(others));
    }
    done(reply, "started".to_owned())?;
    if asked.follow != Follow::No {
        let stays = asked.follow == Follow::Always;
        let feed = &mut engine.shared.feed;
        feed.follow(asked.specs.clone(), stays, reply.clone());
    }
    let order = order::of(&asked, &settings, engine.project.root());
    for (name, why) in broken {
        let spec = engine.project.spec(&name.parse()?)?;
        engine.say_ended(&spec, Rest::JournalUnreadable, &why);
    }
    for name in &asked.specs {
        if let Some(context) = engine.contexts.get_mut(name) {
            context.launch_settings = LaunchSettings::new(settings.clone(), asked.agent.clone());
            if asked.at_once {
                context.forget_limit();
            }
        }
        start(engine, name, order.clone());
        if asked.at_once {
            engine.wake(name);
        }
    }
    Ok(())
}

fn contest(
    engine: &mut Engine,
    home: Home,
    by: Option<u32>,
    reply: &Sender<Reply>,
) -> Result<(), Error> {
    if engine.ending != Ending::No {
        let _ = reply.send(Reply::Later);
        return Ok(());
    }
    let id = home.id();
    engine.host(home, by)?;
    done(reply, format!("contest {id} is being played"))
}

fn is_stopping(engine: &Engine, name: &str) -> bool {
    let state = engine.contexts.get(name).map(|context| &context.run.state);
    matches!(state, Some(State::Stopping { .. }))
}

/// A review by hand is running, and a run is requested: the run comes after it.
fn is_reviewed(engine: &Engine, name: &str, by_hand: bool) -> bool {
    let run = engine.contexts.get(name).map(|context| &context.run);
    run.is_some_and(|run| !run.is_at_rest() && run.order.review_once.is_some()) && !by_hand
}

fn start(engine: &mut Engine, name: &str, order: Order) {
    let Some(context) = engine.contexts.get(name) else {
        return;
    };
    let look = match !context.run.is_at_rest() || engine.pool.ask(name) {
        true => Some(context.look()),
        false => None,
    };
    let place = engine.pool.place(name);
    // An error of the journal is reported to all followers.
    let _ = engine.handle(name, Event::StartRequested { order, look, place });
}

/// Answered when everything has ended.
fn stop(engine: &mut Engine, specs: &[String], by: By, reply: &Sender<Reply>) -> Result<(), Error> {
    for name in specs {
        match engine.open(name) {
            Err(Error::Journal(error)) => {
                end_agents(engine, name, error, reply)?;
                continue;
            }
            opened => opened?,
        }
        let at_rest = engine.contexts[name].run.is_at_rest();
        if at_rest {
            done(reply, format!("{name} does not run"))?;
            continue;
        }
        if let Some(context) = engine.contexts.get_mut(name) {
            let words = format!("{name} is stopped; its agent and all that it started have ended");
            context.waiting.push((reply.clone(), words));
        }
        engine.handle(name, Event::StopRequested { by })?;
    }
    Ok(())
}

/// Ending an agent needs only its directory: an unreadable journal is no reason to let it work on.
/// The other runs do not wait for that.
fn end_agents(
    engine: &Engine,
    name: &str,
    error: journal::Error,
    reply: &Sender<Reply>,
) -> Result<(), Error> {
    let spec = engine.project.spec(&name.parse()?)?;
    let grace = engine.loader.loaded.settings.agent.term_grace.duration();
    let (name, reply) = (name.to_owned(), reply.clone());
    beside("ending", move || {
        let why = spec_file::sentence(&error);
        let text = match spec.end_agents(grace) {
            0 => format!("{name} has no agent at work; but {why}"),
            1 => format!("the agent of {name} has ended; but {why}"),
            ended => format!("{ended} agents of {name} have ended; but {why}"),
        };
        // A client that is gone needs no answer.
        let _ = reply.send(Reply::Done(text));
    });
    Ok(())
}

fn pause(engine: &mut Engine, name: &str, reply: &Sender<Reply>) -> Result<(), Error> {
    engine.open(name)?;
    let text = match engine.contexts[name].run.is_at_rest() {
        true => format!("{name} does not run"),
        false => {
            engine.handle(name, Event::PauseRequested)?;
            format!("{name} pauses when its agent has finished")
        }
    };
    done(reply, text)
}

fn approve(
    engine: &mut Engine,
    name: &str,
    what: Option<Phase>,
    reply: &Sender<Reply>,
) -> Result<(), Error> {
    engine.open(name)?;
    let deploy = may_approve_deploy(&engine.contexts[name].run);
    if what == Some(Phase::Deploy) || (what.is_none() && deploy.is_ok()) {
        deploy.map_err(|refusal| refused(name, refusal))?;
        engine.handle(name, Event::DeployApproved)?;
        go_on(engine, name);
        return done(reply, format!("{name}: deploy is approved"));
    }
    if what == Some(Phase::Impl) {
        return places::approve_impl(engine, name, reply);
    }
    let document = what.map(document_of).transpose();
    let document = document.map_err(|refusal| refused(name, refusal))?;
    let document = judge(engine, name, document, may_approve)?;
    let waited = is_waiting(engine, name);
    engine.handle(name, Event::DocumentApproved { document })?;
    check_saved(engine, name, document, true)?;
    if waited {
        go_on(engine, name);
    }
    let said = format!("{name}: {} is approved", document.file());
    done(reply, goes_on_words(engine, name, said))
}

fn document_of(phase: Phase) -> Result<Document, Refusal> {
    Document::from_name(phase.name()).ok_or_else(|| {
        let names = "requirements, design, tasks, impl and deploy";
        Refusal(format!("{} is not approved; {names} are", phase.name()))
    })
}

fn reject(
    engine: &mut Engine,
    name: &str,
    document: Option<Document>,
    remark: Option<String>,
    reply: &Sender<Reply>,
) -> Result<(), Error> {
    let document = judge(engine, name, document, may_reject)?;
    let waited = is_waiting(engine, name);
    engine.handle(name, Event::DocumentRejected { document, remark })?;
    check_saved(engine, name, document, false)?;
    if waited {
        go_on(engine, name);
    }
    let said = format!("{name}: {} will be written anew", document.file());
    done(reply, goes_on_words(engine, name, said))
}

fn is_waiting(engine: &Engine, name: &str) -> bool {
    let state = engine.contexts.get(name).map(|context| &context.run.state);
    matches!(state, Some(State::Halted(halted)) if matches!(halted.why, Halt::Waiting(_)))
}

type Judge = fn(&Run, &Facts, Option<Document>) -> Result<Document, Refusal>;

fn judge(
    engine: &mut Engine,
    name: &str,
    document: Option<Document>,
    may: Judge,
) -> Result<Document, Error> {
    engine.open(name)?;
    let context = &engine.contexts[name];
    match context.files() {
        Look::Unreadable(why) => Err(Error::Refused {
            spec: name.to_owned(),
            why,
        }),
        Look::Nobody => Err(refused(name, Refusal("nobody has looked at it".to_owned()))),
        Look::Seen(facts) => {
            may(&context.run, &facts, document).map_err(|refusal| refused(name, refusal))
        }
    }
}

/// A person who answers wants to know that the answer was written.
fn check_saved(
    engine: &Engine,
    name: &str,
    document: Document,
    approved: bool,
) -> Result<(), Error> {
    let look = engine.contexts.get(name).map(Context::files);
    match look {
        Some(Look::Seen(facts)) if facts.document(document).approved == approved => Ok(()),
        _ => Err(Error::Refused {
            spec: name.to_owned(),
            why: "spec.json could not be written".to_owned(),
        }),
    }
}

/// If no run goes on by itself, the person is told how to continue.
fn goes_on_words(engine: &Engine, name: &str, said: String) -> String {
    let context = engine.contexts.get(name);
    match context.is_none_or(|context| context.run.is_at_rest()) {
        true => format!("{said}; `kumite run {name}` goes on"),
        false => said,
    }
}

/// In an engine that also works for others, an answered question lets the run go on.
fn go_on(engine: &mut Engine, name: &str) {
    if let Some(context) = engine.contexts.get(name)
        && engine.goes_on_by_itself()
        && context.run.is_at_rest()
    {
        let order = context.run.order.clone();
        start(engine, name, order);
    }
}

fn refused(name: &str, refusal: Refusal) -> Error {
    Error::Refused {
        spec: name.to_owned(),
        why: refusal.0,
    }
}
