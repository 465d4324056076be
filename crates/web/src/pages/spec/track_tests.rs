use kumite_core::facts::{DocumentFacts, InspectionFacts, Permitted, Stamp, TaskFacts};
use kumite_core::journal::AgentId;
use kumite_core::run::{Attempt, Failure, Finish, Halt, Halted, Resume, Round, State, Step, Work};
use kumite_project::status::of_run;

use super::*;

/// One letter per phase.
fn drawn(state: State, facts: Option<&Facts>) -> String {
    let run = Run {
        number: 1,
        state,
        ..Run::default()
    };
    let status = of_run("login", &run, facts, true);
    let letter = |phase: Phase| match mark(phase, &status, &run, facts) {
        Mark::Done => 'd',
        Mark::Current => 'c',
        Mark::Waiting => 'w',
        Mark::Failed => 'f',
        Mark::NotPermitted => 'x',
        Mark::Open => 'o',
    };
    Phase::ALL.into_iter().map(letter).collect()
}

/// The documents are written, and the review is approved.
fn reviewed() -> Facts {
    let written = DocumentFacts {
        generated: true,
        approved: true,
        stamp: Some(Stamp::Fnv(1)),
    };
    let mut facts = Facts {
        permitted: Permitted::by_default(),
        documents: [written; 3],
        tasks: TaskFacts::Counted { done: 0, total: 3 },
        ..Facts::default()
    };
    facts.review.approved = true;
    facts
}

fn finished() -> Facts {
    Facts {
        tasks: TaskFacts::Counted { done: 3, total: 3 },
        completed: Some(Phase::Inspection),
        inspections: vec![InspectionFacts {
            number: 1,
            recorded: Some(Verdict::Go),
            report: Some(Verdict::Go),
            ..InspectionFacts::default()
        }],
        ..reviewed()
    }
}

fn halted(why: Halt, step: Step) -> State {
    State::Halted(Halted {
        why,
        detail: String::new(),
        last_words: String::new(),
        resume: Resume::at(step),
    })
}

#[test]
fn the_track_shows_where_a_spec_stands() {
    let fresh = Facts {
        permitted: Permitted::by_default(),
        ..Facts::default()
    };
    let step = Step::Implement(Attempt::first(7));
    let work = Work {
        step,
        agent: AgentId { at_ms: 1, seq: 1 },
        before: None,
        revived: false,
        anew: false,
        takes_over: None,
    };
    let waits = halted(
        Halt::Waiting(Document::Requirements),
        Step::Write(Document::Requirements),
    );
    let failed = halted(Halt::Failed(Failure::AgentFailed), step);
    let forbidden = State::Done(Finish::NotPermitted(Phase::Impl));
    let mut without_impl = reviewed();
    without_impl.permitted.set(Phase::Impl, false);
    let rows = [
        (State::Idle, fresh.clone(), "oooooox"),
        (waits, fresh, "wooooox"),
        (State::Working(work.clone()), reviewed(), "ddddcox"),
        (failed, reviewed(), "ddddfox"),
        (forbidden, without_impl, "ddddxox"),
        (State::Done(Finish::AllPhasesDone), finished(), "ddddddx"),
        // It is inspected again although an inspection passed.
        (
            State::Working(Work {
                step: Step::Inspect(Round::fresh(2, 3)),
                ..work
            }),
            finished(),
            "dddddcx",
        ),
    ];
    for (state, facts, wanted) in rows {
        assert_eq!(drawn(state.clone(), Some(&facts)), wanted, "{state:?}");
    }
}

#[test]
fn without_facts_nothing_is_called_done() {
    assert_eq!(drawn(State::Idle, None), "ooooooo");
}
