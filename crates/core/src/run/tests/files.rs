//! What the files of a spec say, for the rows.

use crate::facts::{
    DocumentFacts, Facts, Findings, InspectionFacts, Permitted, ReviewFacts, RoundFacts,
    RoundProgress, Stamp, TaskFacts, Verdict,
};
use crate::names::{Document, Phase};

pub const STAMP: Stamp = Stamp::Fnv(1);

/// A new spec, with everything permitted but deploy.
pub fn blank() -> Facts {
    Facts {
        permitted: Permitted::by_default(),
        ..Facts::default()
    }
}

pub fn with(mut facts: Facts, change: impl FnOnce(&mut Facts)) -> Facts {
    change(&mut facts);
    facts
}

/// The first `count` documents exist and are approved.
pub fn written(count: usize) -> Facts {
    with(blank(), |facts| {
        facts.documents[..count].fill(DocumentFacts {
            generated: true,
            approved: true,
            stamp: Some(STAMP),
        });
    })
}

/// The file exists, but spec.json does not mention it yet.
pub fn wrote(document: Document) -> Facts {
    let known = written(document as usize);
    with(known, |it| {
        it.documents[document as usize].stamp = Some(STAMP);
    })
}

pub fn rounds(rounds: &[RoundFacts]) -> Facts {
    with(written(3), |facts| {
        facts.review = ReviewFacts {
            rounds: rounds.to_vec(),
            ..ReviewFacts::default()
        };
    })
}

pub fn findings(fix_required: u32, needs_discussion: u32) -> Findings {
    Findings {
        fix_required,
        needs_discussion,
    }
}

/// A round that is begun in spec.json and has no file.
pub fn begun_round(number: u32) -> RoundFacts {
    RoundFacts {
        number,
        recorded: Some(RoundProgress::Incomplete),
        ..RoundFacts::default()
    }
}

pub fn reviewed_round(number: u32) -> RoundFacts {
    RoundFacts {
        recorded: Some(RoundProgress::ReviewComplete),
        review: Some(STAMP),
        ..begun_round(number)
    }
}

/// A round whose reply exists with its table, and is not judged yet.
pub fn replied_round(number: u32, fix_required: u32, needs_discussion: u32) -> RoundFacts {
    RoundFacts {
        reply: Some(STAMP),
        table: Some(findings(fix_required, needs_discussion)),
        ..reviewed_round(number)
    }
}

pub fn closed_round(number: u32, fix_required: u32, needs_discussion: u32) -> RoundFacts {
    RoundFacts {
        recorded: Some(RoundProgress::ReplyComplete),
        counts: Some(findings(fix_required, needs_discussion)),
        ..replied_round(number, fix_required, needs_discussion)
    }
}

/// All documents exist and the review is approved.
pub fn reviewed() -> Facts {
    with(rounds(&[closed_round(1, 0, 0)]), |facts| {
        facts.review.approved = true;
        facts.tasks = boxes(0, 3);
    })
}

pub fn boxes(done: u32, total: u32) -> TaskFacts {
    TaskFacts::Counted { done, total }
}

pub fn tasks(done: u32, total: u32) -> Facts {
    with(reviewed(), |facts| facts.tasks = boxes(done, total))
}

pub fn implemented() -> Facts {
    with(tasks(3, 3), |facts| facts.completed = Some(Phase::Impl))
}

/// An inspection with this verdict in its report and in spec.json.
pub fn inspected(number: u32, verdict: Verdict) -> InspectionFacts {
    InspectionFacts {
        number,
        report: Some(verdict),
        recorded: Some(verdict),
        stamp: Some(STAMP),
        ..InspectionFacts::default()
    }
}

pub fn inspections(known: &[InspectionFacts]) -> Facts {
    with(implemented(), |facts| facts.inspections = known.to_vec())
}
