//! Ends: done without evidence, reported falsely, or not reported.

use std::rc::Rc;

use kumite_core::facts::Permitted;
use kumite_core::journal::Event;
use kumite_core::names::{Document, Phase};
use kumite_core::notice::Notice;
use kumite_core::outcome::Outcome;
use kumite_core::run::{Finish, State, Step};

use super::{breaks, decides, find, records};
use crate::deed::Deed;
use crate::trace::{Line, What};

/// Removes the deeds that match.
fn undo(lines: &mut Vec<Line>, deed: impl Fn(&Deed) -> bool) -> Option<()> {
    let before = lines.len();
    lines.retain(|line| !matches!(&line.what, What::Done(_, done) if deed(done)));
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
        let again =
            |line: &Line| matches!(line.what, What::Started(id, Step::Merge, _) if id != agent);
        (!lines.iter().any(again)).then_some(())
    });
}

#[test]
fn a_phase_that_was_permitted_after_all_is_noticed() {
    breaks("not permitted only if it is so", |lines| {
        let refused = |state: &State| matches!(state, State::Done(Finish::NotPermitted(_)));
        let at = find(lines, decides(refused))?;
        let entry = |line: &Line| matches!(line.what, What::Recorded(_));
        let recorded = lines[..at].iter().rposition(entry)?;
        let all: Permitted = Phase::ALL.into_iter().collect();
        let spec = lines[at].spec;
        let line = Line {
            spec,
            what: What::Done(None, Deed::Permit(all)),
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
            matches!(what, What::Announced(_, Notice::RunEnded { .. }))
        })?;
        let spec = lines[at].spec;
        let worked = |line: &Line| line.spec == spec && matches!(line.what, What::Started(..));
        lines[..at].iter().find(|line| worked(line))?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn an_end_that_no_rule_decides_is_noticed() {
    breaks("a reason is a word of the contract", |lines| {
        let word = |what: &What| matches!(what, What::Announced(_, Notice::RunEnded { .. }));
        let at = find(lines, word)?;
        if let What::Announced(_, Notice::RunEnded { rest, .. }) = &mut lines[at].what {
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
        let worked = matches!(&lines[at + 1].what, What::Decided(run) if matches!(run.state, State::Stopping { .. }));
        let What::Recorded(entry) = &lines[at].what else {
            return None;
        };
        let mut entry = (**entry).clone();
        entry.event = Event::PauseRequested;
        worked.then(|| lines[at].what = What::Recorded(Rc::new(entry)))
    });
}
