//! A person wants the worktree as it was at an earlier checkpoint.

use super::decide::{rest, stay};
use super::requests::may_undo;
use super::state::{Resume, Run, State, Work};
use super::step::{Gate, Step, Verify};
use super::trust::Kept;
use super::turn::launch;
use crate::effect::Effect;
use crate::facts::Look;
use crate::journal::Entry;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};
use crate::place::Content;

/// What is there now becomes a checkpoint first, so an undo can be undone.
pub(super) fn requested(
    mut run: Run,
    to: u64,
    content: &Content,
    entry: &Entry,
) -> (Run, Vec<Effect>) {
    if may_undo(&run).is_err() {
        return stay(run);
    }
    let mut rested = std::mem::take(&mut run.state);
    if let State::Halted(halted) = &mut rested {
        forget_verdict(&mut halted.resume);
    }
    run.memory.trust.rested = Some(Box::new(rested));
    let trust = &mut run.memory.trust;
    let is_new = trust.kept.as_ref().is_none_or(|it| it.tree != content.tree);
    let mut effects = Vec::new();
    if is_new {
        let seq = entry.seq;
        trust.kept = Some(Kept {
            seq,
            tree: content.tree.clone(),
        });
        effects.push(Effect::Keep {
            seq,
            commit: content.commit.clone(),
        });
        effects.push(Effect::Announce(Notice::Checkpoint { seq }));
    }
    let work = Work::new(Step::Undo(to), entry.agent());
    let (launch, started) = launch(&mut run, work, None, None);
    effects.extend([Effect::Launch(launch), Effect::Announce(started)]);
    (run, effects)
}

/// What an agent has left is not what will be there: it is not judged when the run goes on, and a
/// GO does not count for other code.
fn forget_verdict(resume: &mut Resume) {
    resume.unjudged = None;
    if let Some(Step::Verify(Verify {
        gate: Gate::Judge(_),
        ..
    })) = resume.step
    {
        resume.step = None;
    }
}

/// The run rests as before, whatever became of the undo.
pub(super) fn ended(mut run: Run, ended: &Ended, look: &Look, entry: &Entry) -> (Run, Vec<Effect>) {
    let kept = run.memory.trust.keep(look.facts(), entry.seq);
    run.state = match run.memory.trust.rested.take() {
        Some(state) => *state,
        None => State::Idle,
    };
    let warned = match &ended.outcome {
        Outcome::Finished => None,
        how => Some(Notice::Warned(format!("the undo was not finished: {how}"))),
    };
    let mut effects: Vec<Effect> = kept
        .into_iter()
        .flat_map(|it| checkpoint(it, entry))
        .collect();
    effects.extend(warned.map(Effect::Announce));
    let (run, rests) = rest(run);
    effects.extend(rests);
    (run, effects)
}

/// Content that is new becomes the checkpoint of this entry.
pub(super) fn checkpoint(content: Content, entry: &Entry) -> [Effect; 2] {
    let seq = entry.seq;
    let keep = Effect::Keep {
        seq,
        commit: content.commit,
    };
    [keep, Effect::Announce(Notice::Checkpoint { seq })]
}
