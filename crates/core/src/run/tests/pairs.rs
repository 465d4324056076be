//! Every state with every event: what holds for all of them.

use super::build::*;
use super::files::*;
use crate::change::{Change, Fixing};
use crate::effect::{Effect, Settled};
use crate::facts::{Facts, TaskFacts, Verdict};
use crate::journal::{By, Event, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Limit, LimitKind, Outcome};
use crate::run::{Failure, Finish, Halt, Pause, Remark, Resume, Run, State, Step, Wait, Work};

fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Document::ALL.into_iter().map(Step::Write).collect();
    for number in [1, 2, 7] {
        steps.extend([review(number), reply(number)]);
    }
    for number in [1, 3] {
        steps.extend([inspect(number), fix(number)]);
    }
    steps.extend([implement(0), implement(7), Step::Merge]);
    steps
}

fn states() -> Vec<State> {
    let mut states = vec![State::Idle];
    states.push(State::Queued {
        resume: Resume::default(),
    });
    for finish in [
        Finish::AllPhasesDone,
        Finish::NotPermitted(Phase::Impl),
        Finish::UntilReached(Phase::Design),
    ] {
        states.push(State::Done(finish));
    }
    for step in steps() {
        let revived = Work {
            revived: true,
            before: Some(STAMP),
            ..work(step)
        };
        states.extend([
            working(step),
            State::Working(revived),
            State::Finishing(work(step)),
            stopping(step),
            State::Queued {
                resume: Resume::at(step),
            },
            stopped(step),
            halted(Halt::Stopped(By::Interrupt), step),
            paused(Pause::SpecUnwritable, step),
            unjudged(Pause::EvidenceConflict, work(step)),
            failed(Failure::AgentFailed, step),
            State::Limited(Wait {
                until_ms: 100,
                wake_ms: 101,
                since_ms: 0,
                words: "limit".to_owned(),
                resume: Resume::at(step),
            }),
            halted(Halt::Limited { until_ms: 100 }, step),
        ]);
    }
    states.extend(Document::ALL.map(waiting));
    states.push(exhausted());
    states
}

fn limit() -> Limit {
    Limit {
        kind: LimitKind::Usage,
        until_ms: Some(1_000),
        words: "limit".to_owned(),
    }
}

fn looks() -> Vec<Facts> {
    let nothing_permitted = with(implemented(), |facts| facts.permitted = Default::default());
    let lost_tasks = with(reviewed(), |facts| facts.tasks = TaskFacts::Unreadable);
    vec![
        blank(),
        written(2),
        rounds(&[closed_round(1, 0, 0), replied_round(2, 1, 0)]),
        rounds(&[closed_round(7, 1, 1)]),
        rounds(&[closed_round(u32::MAX, 0, 0)]),
        tasks(1, 3),
        lost_tasks,
        nothing_permitted,
        inspections(&[inspected(1, Verdict::Go)]),
        inspections(&[inspected(3, Verdict::Nogo)]),
        inspections(&[inspected(u32::MAX, Verdict::Nogo)]),
    ]
}

fn orders() -> Vec<Order> {
    let from = Order {
        from: Some(Phase::Design),
        ..Order::default()
    };
    let by_hand = Order {
        review_once: Some(Fixing::Person),
        ..Order::default()
    };
    let mut narrow = by_hand_approval();
    narrow.rules.rounds_max = 0;
    narrow.rules.retries_max = 0;
    narrow.rules.inspections_max = 0;
    vec![Order::default(), until(Phase::Tasks), from, by_hand, narrow]
}

fn requests() -> Vec<Event> {
    let interrupt = Event::StopRequested { by: By::Interrupt };
    vec![
        stop(),
        interrupt,
        Event::PauseRequested,
        Event::ResetRequested,
    ]
}

fn events() -> Vec<Event> {
    let how = || "exit status 1".to_owned();
    let mut events = requests();
    events.push(Event::EngineStarted);
    for document in Document::ALL {
        let remark = Some("vague".to_owned());
        events.push(Event::DocumentApproved { document });
        events.push(Event::DocumentRejected { document, remark });
    }
    for seq in [OURS.seq, 8] {
        events.push(save_failed(seq, &[Change::ReviewApproved]));
    }
    for order in orders() {
        let unread = Some(unreadable());
        events.push(Event::StartRequested {
            order: order.clone(),
            look: None,
            place: None,
        });
        events.push(Event::StartRequested {
            order: order.clone(),
            look: unread,
            place: None,
        });
        events.extend(
            looks()
                .into_iter()
                .map(|facts| start_as(order.clone(), facts)),
        );
    }
    let outcomes = [
        Outcome::Finished,
        Outcome::Failed(how()),
        Outcome::Missing(how()),
        Outcome::Hung,
        Outcome::TimedOut,
        Outcome::Killed,
        Outcome::Lost(how()),
        Outcome::Limited(limit()),
        Outcome::SessionGone(how()),
        Outcome::OverBudget(how()),
    ];
    for agent in [OURS, agent(7)] {
        for outcome in &outcomes {
            events.push(ended_as(agent, outcome.clone(), unreadable()));
            for facts in looks() {
                events.push(ended_as(agent, outcome.clone(), look(facts)));
            }
        }
    }
    events.extend(looks().into_iter().map(admitted));
    let over = looks()
        .into_iter()
        .map(|facts| Event::WaitOver { look: look(facts) });
    events.extend(over);
    events
}

fn each_pair(mut look: impl FnMut(&Run, &Event, &Decided)) {
    for order in orders() {
        for state in states() {
            let before = ordered(order.clone(), state);
            for event in events() {
                let decided = decided(before.clone(), event.clone());
                look(&before, &event, &decided);
            }
        }
    }
}

fn launches(decided: &Decided) -> usize {
    let launch = |effect: &&Effect| matches!(effect, Effect::Launch(_));
    decided.effects.iter().filter(launch).count()
}

#[test]
fn a_stop_a_pause_or_a_reset_never_starts_an_agent() {
    for state in states() {
        for event in requests() {
            let decided = decided(state.clone(), event.clone());
            assert_eq!(launches(&decided), 0, "{state:?} {event:?}");
        }
    }
}

#[test]
fn an_agent_is_started_exactly_when_the_run_waits_for_it() {
    each_pair(|before, event, decided| {
        let started = decided.launched().map(|launch| launch.agent);
        let new = decided
            .run
            .work()
            .map(|work| work.agent)
            .filter(|it| *it == agent(SEQ));
        assert_eq!(started, new, "{before:?} {event:?}");
        assert!(launches(decided) <= 1, "{before:?} {event:?}");
        // A launch comes last: only the news that this very agent has started follows it.
        if let [
            ..,
            Effect::Launch(launch),
            Effect::Announce(Notice::StepStarted { agent, .. }),
        ] = &decided.effects[..]
        {
            assert_eq!(decided.run.work().map(|it| it.step), Some(launch.step));
            assert_eq!(*agent, launch.agent);
        } else {
            assert_eq!(launches(decided), 0, "a launch comes last");
        }
    });
}

#[test]
fn the_usage_of_an_agent_is_settled_first_and_exactly_when_its_own_run_hears_of_its_end() {
    each_pair(|before, event, decided| {
        let ended = match event {
            Event::AgentEnded { agent, ended, .. } => Some((*agent, ended)),
            _ => None,
        };
        let settled = |effect: &Effect| match effect {
            Effect::Settle(settled) => Some(settled.clone()),
            _ => None,
        };
        let all: Vec<_> = decided.effects.iter().filter_map(settled).collect();
        let own = before.work().zip(ended);
        match own.filter(|(work, (agent, _))| work.agent == *agent) {
            None => assert_eq!(all, [], "{before:?} {event:?}"),
            Some((work, (agent, ended))) => {
                let expected = Settled {
                    agent,
                    run: before.number,
                    step: work.step,
                    outcome: ended.outcome.clone(),
                    usage: ended.usage,
                };
                assert_eq!(all, [expected], "{before:?} {event:?}");
                assert_eq!(settled(&decided.effects[0]), Some(all[0].clone()));
            }
        }
    });
}

#[test]
fn an_agent_is_left_only_by_its_own_end_or_because_it_was_never_started() {
    each_pair(|before, event, decided| {
        let Some(work) = before.work() else { return };
        let after = decided.run.work().map(|work| work.agent);
        let own_end = matches!(event, Event::AgentEnded { agent, .. } if *agent == work.agent);
        let never_started =
            matches!(event, Event::SaveFailed { seq, .. } if *seq == work.agent.seq);
        match own_end || never_started {
            true => assert_ne!(after, Some(work.agent), "{before:?} {event:?}"),
            false => assert_eq!(after, Some(work.agent), "{before:?} {event:?}"),
        }
    });
}

#[test]
fn the_limit_of_impl_is_left_only_by_a_reset() {
    each_pair(|before, event, decided| {
        if before.is_exhausted() && *event != Event::ResetRequested {
            assert!(decided.run.is_exhausted(), "{event:?}");
        }
    });
}

#[test]
fn a_run_that_comes_to_rest_says_so_last() {
    each_pair(|before, event, decided| {
        let rests = !before.is_at_rest() && decided.run.is_at_rest();
        let last = decided.effects.last();
        let says = matches!(last, Some(Effect::Announce(Notice::RunEnded { .. })));
        assert!(!rests || says, "{before:?} {event:?}");
    });
}

#[test]
fn what_is_true_is_written_before_it_is_said_and_before_anything_rests_on_it() {
    each_pair(|_, event, decided| {
        let saves = |effect: &Effect| matches!(effect, Effect::Save(_));
        // Telling other runs about a limit, and counting money, depend on nothing.
        let others = |effect: &&Effect| !matches!(effect, Effect::Limit(_) | Effect::Settle(_));
        let mut behind = decided.effects.iter().filter(others).skip(1);
        assert!(!behind.any(saves), "{event:?}");
    });
}

#[test]
fn an_agent_that_did_not_end_well_never_finishes_anything() {
    // These two take an agent's own claim back.
    let told = |change: &Change| !matches!(change, Change::ReviewStarted(_) | Change::Rejected(_));
    each_pair(|before, event, decided| {
        let Event::AgentEnded { ended, .. } = event else {
            return;
        };
        let step = before.work().map(|work| work.step);
        // Nobody knows how a lost agent ended, but its documents exist.
        let is_document = matches!(
            (&ended.outcome, step),
            (
                Outcome::Lost(_),
                Some(Step::Review(_) | Step::Reply(_) | Step::Inspect(_))
            )
        );
        if ended.outcome != Outcome::Finished && !is_document {
            let saved = decided.saved();
            assert!(!saved.iter().any(told), "{before:?} {event:?}");
        }
    });
}

#[test]
fn a_run_comes_back_from_its_snapshot_as_it_was() {
    for state in states() {
        let mut run = ordered(until(Phase::Tasks), state);
        run.memory.remark = Some(Remark {
            document: Document::Design,
            words: "vague".to_owned(),
        });
        run.debt.unsaved = vec![Change::Approved(Document::Design)];
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run, "{text}");
    }
}

#[test]
fn a_notice_comes_back_as_it_was_said() {
    each_pair(|_, event, decided| {
        if matches!(event, Event::AgentEnded { ended, .. } if ended.outcome == Outcome::Finished) {
            for notice in decided.said() {
                let text = serde_json::to_string(notice).unwrap();
                let back: Notice = serde_json::from_str(&text).unwrap();
                assert_eq!(back, *notice, "{text}");
            }
        }
    });
}
