//! Money that is spent: nothing begins, and more money goes on.

use super::build::*;
use super::files::*;
use super::limits::parked_in;
use crate::effect::Effect;
use crate::facts::Look;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::run::{Parked, Pause, State};

#[test]
fn t10_spent_money_pauses_and_more_money_goes_on_in_the_session() {
    let step = implement(1);
    let event = ended(Outcome::OverBudget("$5 a run".to_owned()), tasks(0, 3));
    let run = check(working(step), event, paused(Pause::Budget, step)).run;
    let parked = Parked {
        step,
        session: Some("session".to_owned()),
        before: None,
        revived: false,
        anew: false,
        overloads: 0,
    };
    assert_eq!(parked_in(&run), Some(&parked));
    let decided = check(run, start(tasks(0, 3)), begun(step));
    assert_eq!(
        decided.launched().unwrap().resume.as_deref(),
        Some("session")
    );
}

#[test]
fn t10_an_agent_is_announced_when_it_was_started_and_not_before() {
    for step in [review(1), implement(0), inspect(1)] {
        let facts = match step {
            step if step == review(1) => written(3),
            step if step == implement(0) => tasks(0, 3),
            _ => tasks(3, 3),
        };
        let began = check(State::Idle, start(facts), begun(step));
        let at = |is: fn(&Effect) -> bool| began.effects.iter().position(is).unwrap();
        let launch = at(|effect| matches!(effect, Effect::Launch(_)));
        let said = at(|effect| matches!(effect, Effect::Announce(Notice::StepStarted { .. })));
        assert!(launch < said, "{:?}", began.effects);
        // The money is spent: the launch ends the list, and nobody has heard of a start.
        let event = ended_as(
            agent(SEQ),
            Outcome::OverBudget("$5 a run".to_owned()),
            Look::Nobody,
        );
        let refused = check(began.run, event, paused(Pause::Budget, step));
        assert_eq!(refused.launched(), None);
    }
}
