//! Ends: done without evidence, reported falsely, or not reported.

use std::rc::Rc;

use kumite_core::facts::Permitted;
use kumite_core::journal::Event;
use kumite_core::names::{Document, Phase};
use kumite_core::notice::Notice;
use kumite_core::outcome::Outcome;
use kumite_core::run::{Finish, State, Step};

use super::{breaks, decides, find, next, records};
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::{TraceLine, What};

/// Removes the deeds that match.
fn undo(lines: &mut Vec<TraceLine>, deed: impl Fn(&Deed) -> bool) -> Option<()> {
    let before = lines.len();
    lines.retain(|line| !matches!(&line.what, What::Own(News::Done(_, done)) if deed(done)));
    (lines.len() < before).then_some(())
}

#[test]
fn a_document_that_nobody_wrote_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| *deed == Deed::Document(Document::Design))
    });
}

#[test]
fn a_review_that_nobody_settled_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Reply(_)))
    });
}

#[test]
fn boxes_that_nobody_ticked_are_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Tick(1..)))
    });
}

#[test]
fn a_verdict_that_nobody_gave_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        undo(lines, |deed| matches!(deed, Deed::Inspection(_)))
    });
}

#[test]
fn a_merge_that_never_happened_is_noticed() {
    breaks("nothing is done without evidence", |lines| {
        let merged = find(lines, |what| {
            matches!(what, What::Started(_, Step::Merge, _))
        })?;
        let What::Started(agent, ..) = lines[merged].what else {
            return None;
        };
        let ended = find(
            lines,
            |what| matches!(what, What::Ended(id, Some(ended)) if *id == agent && ended.outcome == Outcome::Finished),
        )?;
        lines[ended].what = What::Ended(agent, None);
        let again = |line: &TraceLine| matches!(line.what, What::Started(id, Step::Merge, _) if id != agent);
        (!lines.iter().any(again)).then_some(())
    });
}

#[test]
fn a_phase_that_was_permitted_after_all_is_noticed() {
    breaks("not permitted only if it is so", |lines| {
        let refused = |state: &State| matches!(state, State::Done(Finish::NotPermitted(_)));
        let at = find(lines, decides(refused))?;
        let entry = |line: &TraceLine| matches!(line.what, What::Recorded(_));
        let recorded = lines[..at].iter().rposition(entry)?;
        let all: Permitted = Phase::ALL.into_iter().collect();
        let spec = lines[at].machine;
        let line = TraceLine {
            machine: spec,
            what: What::Own(News::Done(None, Deed::Permit(all))),
            ..lines[recorded].clone()
        };
        lines.insert(recorded, line);
        Some(())
    });
}

#[test]
fn an_end_without_a_word_is_noticed() {
    breaks("every end is announced", |lines| {
        let at = find(lines, |what| {
            matches!(what, What::Own(News::Announced(_, Notice::RunEnded { .. })))
        })?;
        let spec = lines[at].machine;
        let worked =
            |line: &TraceLine| line.machine == spec && matches!(line.what, What::Started(..));
        lines[..at].iter().find(|line| worked(line))?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn an_end_that_no_rule_decides_is_noticed() {
    breaks("a reason is a word of the contract", |lines| {
        let word =
            |what: &What| matches!(what, What::Own(News::Announced(_, Notice::RunEnded { .. })));
        let at = find(lines, word)?;
        if let What::Own(News::Announced(_, Notice::RunEnded { rest, .. })) = &mut lines[at].what {
            *rest = kumite_core::run::Rest::JournalUnreadable;
        }
        Some(())
    });
}

#[test]
fn a_run_that_never_ends_is_noticed() {
    breaks("everything ends once faults have stopped", |lines| {
        lines.last_mut()?.what = What::Over {
            out_of_patience: true,
        };
        Some(())
    });
}

#[test]
fn an_entry_that_was_changed_afterwards_is_noticed() {
    breaks("replay equals state", |lines| {
        let stopped = records(|event| matches!(event, Event::StopRequested { .. }));
        let at = find(lines, |what| stopped(what))?;
        let decided = next(lines, at, |what| matches!(what, What::Decided(_)))?;
        let is_stopping = decides(|state| matches!(state, State::Stopping { .. }));
        let worked = is_stopping(&lines[decided].what);
        let What::Recorded(entry) = &lines[at].what else {
            return None;
        };
        let mut entry = (**entry).clone();
        entry.event = Event::PauseRequested;
        lines[at].what = What::Recorded(Rc::new(entry));
        // What the stop did is removed too, so that only the state is left to notice.
        lines.drain(at + 1..decided);
        worked.then_some(())
    });
}
