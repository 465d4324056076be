//! The inspection loop: NOGO never passes; it is fixed and inspected again, a limited number of
//! times.

use super::start;
use super::state::Pause;
use super::step::{Gate, Round, Step, Verify};
use super::turn::Turn;
use crate::change::Change;
use crate::facts::{Facts, InspectionFacts, Verdict};
use crate::journal::{Order, Rules};
use crate::names::Phase;
use crate::notice::Notice;

/// A verdict passes the spec, requires a fix, or asks a person.
pub(super) fn after_inspection(
    order: &Order,
    round: Round,
    verdict: Verdict,
    facts: &mut Facts,
) -> Turn {
    let mut changes = vec![Change::Inspected(round.number, verdict)];
    if verdict == Verdict::Go {
        changes.push(Change::InspectionPassed);
    }
    changes.iter().for_each(|change| facts.apply(*change));
    let turn = match (verdict, round.next()) {
        (Verdict::Go, _) => start::onward(order, facts, Phase::Inspection),
        (Verdict::Nogo, Some(_)) => Turn::begin(Step::Fix(round)),
        (Verdict::Nogo, None) => Turn::pause(
            Step::Inspect(round.renewed(order.rules.inspections_max)),
            Pause::InspectionNogo,
            format!("inspection {} said NOGO", round.number),
        ),
    };
    let ended = Notice::InspectionEnded {
        round: round.number,
        verdict,
    };
    turn.preceded(changes, vec![ended])
}

/// The findings were fixed; the next inspection judges that.
pub(super) fn after_fix(order: &Order, round: Round) -> Turn {
    let next = round
        .next()
        .unwrap_or_else(|| round.renewed(order.rules.inspections_max));
    Turn::begin(Step::Inspect(next)).preceded(vec![Change::Fixed(round.number)], Vec::new())
}

/// The inspection to judge. An agent may fix its findings and inspect again by itself, as the
/// predecessor's command does: then its last verdict counts, and each inspection uses up the
/// allowance.
pub(super) fn latest(asked: Round, inspections: &[InspectionFacts]) -> Round {
    let last = inspections.last().map_or(0, |last| last.number);
    let more = last.saturating_sub(asked.number);
    Round {
        number: asked.number.max(last),
        left: asked.left.saturating_sub(more.min(255) as u8),
    }
}

/// The common verdict of the report and of spec.json.
pub(super) fn verdict(inspection: &InspectionFacts) -> Result<Verdict, Pause> {
    match (inspection.report, inspection.recorded) {
        _ if inspection.unclear => Err(Pause::EvidenceConflict),
        (Some(report), Some(recorded)) if report != recorded => Err(Pause::EvidenceConflict),
        (Some(verdict), _) | (None, Some(verdict)) => Ok(verdict),
        (None, None) => Err(Pause::NoEvidence),
    }
}

pub(super) fn passed(inspections: &[InspectionFacts]) -> bool {
    inspections
        .last()
        .is_some_and(|last| verdict(last) == Ok(Verdict::Go))
}

pub(super) fn find(inspections: &[InspectionFacts], number: u32) -> Option<&InspectionFacts> {
    inspections.iter().find(|known| known.number == number)
}

/// Continues after the inspections in the files.
pub(super) fn next(inspections: &[InspectionFacts], resume: Option<Step>, rules: &Rules) -> Step {
    let max = rules.inspections_max;
    let Some(last) = inspections.last() else {
        return Step::Inspect(Round::fresh(1, max));
    };
    match resume {
        // It was interrupted, or requested: no older verdict answers it.
        Some(
            Step::Inspect(round)
            | Step::Verify(Verify {
                gate: Gate::Inspect(round),
                ..
            }),
        ) if round.number >= last.number => return Step::Inspect(round),
        Some(Step::Fix(round)) if round.number == last.number && !last.fixed => {
            return Step::Fix(round);
        }
        _ => {}
    }
    let done = inspections.len();
    let following = Step::Inspect(Round::after(last.number.saturating_add(1), done, max));
    match verdict(last) {
        Ok(Verdict::Nogo) if !last.fixed => {
            let Step::Inspect(round) = following else {
                return following;
            };
            Step::Fix(Round {
                number: last.number,
                left: round.left + 1,
            })
        }
        // There is newer work than that GO.
        Ok(Verdict::Go) => anew(inspections, rules),
        Ok(Verdict::Nogo) | Err(Pause::EvidenceConflict) => following,
        // The report was begun but not finished.
        Err(_) => Step::Inspect(Round::after(last.number, done - 1, max)),
    }
}

/// The first inspection of newer work: older verdicts do not apply to it.
pub(super) fn anew(inspections: &[InspectionFacts], rules: &Rules) -> Step {
    let number = inspections
        .last()
        .map_or(1, |last| last.number.saturating_add(1));
    Step::Inspect(Round::fresh(number, rules.inspections_max))
}
