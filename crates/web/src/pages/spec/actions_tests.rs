use kumite_core::facts::{DocumentFacts, Permitted, Stamp};
use kumite_core::journal::{AgentId, By};
use kumite_core::run::{Attempt, Failure, Halted, Pause, Resume, Round, Step, Wait, Work};
use kumite_project::status::of_run;

use super::*;

fn facts() -> Facts {
    let written = DocumentFacts {
        generated: true,
        approved: true,
        stamp: Some(Stamp::Fnv(1)),
    };
    Facts {
        permitted: Permitted::by_default(),
        documents: [written; 3],
        ..Facts::default()
    }
}

fn work() -> Work {
    Work {
        step: Step::Review(Round { number: 2, left: 5 }),
        agent: AgentId { at_ms: 1, seq: 1 },
        before: None,
        revived: false,
        anew: false,
        takes_over: None,
    }
}

fn halted(why: Halt) -> State {
    let step = match why {
        Halt::Failed(Failure::RetriesExhausted) => Step::Implement(Attempt::first(7)),
        _ => work().step,
    };
    State::Halted(Halted {
        why,
        detail: String::new(),
        last_words: String::new(),
        resume: Resume::at(step),
    })
}

fn run(state: State) -> Run {
    Run {
        number: 1,
        state,
        ..Run::default()
    }
}

/// The names of the possible actions in a state.
fn fit(run: &Run, facts: Option<&Facts>, engine_lives: bool) -> String {
    let status = of_run("login", run, facts, engine_lives);
    let fit = fitting(&status, run, facts).into_iter();
    fit.map(Action::name).collect::<Vec<_>>().join(", ")
}

fn states() -> Vec<(State, &'static str)> {
    let limited = State::Limited(Wait {
        until_ms: 1,
        wake_ms: 1,
        since_ms: 0,
        words: String::new(),
        resume: Resume::default(),
    });
    let stopping = State::Stopping {
        work: work(),
        by: By::User,
    };
    let queued = State::Queued {
        resume: Resume::default(),
    };
    let all = "Resume, Reset, Review once";
    vec![
        (State::Idle, "Run, Review once"),
        (queued, "Stop"),
        (State::Working(work()), "Pause, Stop"),
        (State::Finishing(work()), "Do not pause, Stop"),
        (stopping, ""),
        (limited, "Try now, Stop"),
        (halted(Halt::Waiting(Document::Design)), ""),
        (halted(Halt::Limited { until_ms: 1 }), all),
        (halted(Halt::Stopped(By::User)), all),
        (halted(Halt::Paused(Pause::ByUser)), all),
        (halted(Halt::Paused(Pause::NeedsDiscussion)), all),
        (halted(Halt::Paused(Pause::RoundsExhausted)), all),
        (halted(Halt::Paused(Pause::InspectionNogo)), all),
        (halted(Halt::Paused(Pause::Budget)), all),
        (halted(Halt::Failed(Failure::AgentFailed)), all),
        (halted(Halt::Failed(Failure::RetriesExhausted)), "Reset"),
        (State::Done(Finish::AllPhasesDone), "Review once"),
        (
            State::Done(Finish::NotPermitted(Phase::Impl)),
            "Run, Review once",
        ),
        (
            State::Done(Finish::UntilReached(Phase::Tasks)),
            "Run, Review once",
        ),
    ]
}

#[test]
fn each_state_has_the_actions_that_fit_it() {
    for (state, wanted) in states() {
        let run = run(state);
        assert_eq!(fit(&run, Some(&facts()), true), wanted, "{:?}", run.state);
    }
}

#[test]
fn b3_4_what_the_core_refuses_is_not_offered() {
    for (state, _) in states() {
        let run = run(state);
        let fit = fit(&run, Some(&facts()), true);
        assert!(may_reset(&run).is_ok() || !fit.contains("Reset"), "{run:?}");
        assert!(
            may_review(&run).is_ok() || !fit.contains("Review"),
            "{run:?}"
        );
        let starts = fit.contains("Resume") || fit.contains("Run");
        assert!(may_start(&run).is_ok() || !starts, "{run:?}");
    }
}

#[test]
fn a_run_whose_engine_died_can_be_resumed() {
    let run = run(State::Working(work()));
    assert_eq!(fit(&run, Some(&facts()), false), "Resume");
}

#[test]
fn there_is_nothing_to_review_without_documents_or_after_approval() {
    let idle = run(State::Idle);
    assert_eq!(fit(&idle, None, true), "Run");
    assert_eq!(fit(&idle, Some(&Facts::default()), true), "Run");
    let mut approved = facts();
    approved.review.approved = true;
    assert_eq!(fit(&idle, Some(&approved), true), "Run");
}

#[test]
fn only_phases_that_were_reached_and_are_permitted_are_done_again() {
    let phases = |run: &Run, facts: &Facts| {
        let status = of_run("login", run, Some(facts), true);
        let again = again(&status, run, Some(facts)).into_iter();
        again.map(Phase::name).collect::<Vec<_>>().join(" ")
    };
    let mut facts = facts();
    let stopped = run(halted(Halt::Stopped(By::User)));
    let wanted = "requirements design tasks document-review";
    assert_eq!(phases(&stopped, &facts), wanted);
    facts.permitted.set(Phase::Design, false);
    assert_eq!(
        phases(&stopped, &facts),
        "requirements tasks document-review"
    );
    for state in [
        State::Working(work()),
        halted(Halt::Failed(Failure::RetriesExhausted)),
    ] {
        assert_eq!(phases(&run(state), &facts), "");
    }
    assert_eq!(phases(&Run::default(), &facts), "", "it never ran");
}
