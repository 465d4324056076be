//! Requests about the place of a spec: undo, a hard reset, and tasks that need no change.

use std::sync::mpsc::Sender;

use kumite_core::journal::Event;
use kumite_core::run::{may_approve_impl, may_reset, may_undo};
use kumite_project::place;

use super::{Error, done, go_on, refused};
use crate::control::Reply;
use crate::engine::Engine;

/// Answered when the worktree is as it was.
pub fn undo(engine: &mut Engine, name: &str, to: u64, reply: &Sender<Reply>) -> Result<(), Error> {
    engine.open(name)?;
    let trouble = |why| Error::Refused {
        spec: name.to_owned(),
        why,
    };
    let context = &engine.contexts[name];
    may_undo(&context.run).map_err(|refusal| refused(name, refusal))?;
    place::checkpoint(&context.spec, to).map_err(trouble)?;
    let content = place::content(&context.spec).map_err(trouble)?;
    if let Some(context) = engine.contexts.get_mut(name) {
        let words = format!("{name}: its worktree is as it was at checkpoint {to}");
        context.waiting.push((reply.clone(), words));
    }
    engine.pool.occupy(name);
    engine.handle(name, Event::UndoRequested { to, content })?;
    Ok(())
}

/// Counters and failures go, and with `hard` the checkpoints go too.
pub fn reset(
    engine: &mut Engine,
    name: &str,
    hard: bool,
    reply: &Sender<Reply>,
) -> Result<(), Error> {
    engine.open(name)?;
    let context = &engine.contexts[name];
    may_reset(&context.run).map_err(|refusal| refused(name, refusal))?;
    if hard {
        place::forget_checkpoints(&context.spec).map_err(|why| Error::Refused {
            spec: name.to_owned(),
            why,
        })?;
    }
    engine.handle(name, Event::ResetRequested)?;
    let gone = match hard {
        true => " and its checkpoints are removed",
        false => "",
    };
    done(
        reply,
        format!("{name} is reset{gone}; `kumite run {name}` goes on"),
    )
}

/// The tasks need no change of the code.
pub fn approve_impl(engine: &mut Engine, name: &str, reply: &Sender<Reply>) -> Result<(), Error> {
    may_approve_impl(&engine.contexts[name].run).map_err(|refusal| refused(name, refusal))?;
    engine.handle(name, Event::ImplApproved)?;
    go_on(engine, name);
    done(
        reply,
        format!("{name}: impl is approved without a change; `kumite run {name}` goes on"),
    )
}
