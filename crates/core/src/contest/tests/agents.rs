//! What the end of an agent means for its team: rows.

use super::build::*;
use crate::contest::{AgentEnd, Agents, Effect, Event, Failure, Next, Phase, Reason, Rules};
use crate::journal::LimitRules;
use crate::outcome::{Ended, Limit, LimitKind, Outcome, Usage};

const NOW: u64 = 1_000_000_000;

fn limit(kind: LimitKind) -> Outcome {
    Outcome::Limited(Limit {
        kind,
        until_ms: Some(NOW + 3_600_000),
        words: "usage limit".to_owned(),
    })
}

fn over(outcome: Outcome) -> AgentEnd {
    AgentEnd {
        ended: Ended {
            outcome,
            session: Some("s-1".to_owned()),
            usage: Usage {
                usd_micros: 5,
                ..Usage::default()
            },
            last_words: String::new(),
        },
        is_found: false,
        worked_ms: 100,
        why: "so it ended".to_owned(),
    }
}

fn found(outcome: Outcome) -> AgentEnd {
    AgentEnd {
        is_found: true,
        ..over(outcome)
    }
}

fn words() -> String {
    "words".to_owned()
}

fn after(agents: Agents, over: &AgentEnd) -> Next {
    agents.after(over, &LimitRules::default(), 1, NOW)
}

fn resuming() -> Agents {
    let mut limited = over(limit(LimitKind::Usage));
    limited.ended.session = Some("s-0".to_owned());
    limited.worked_ms = 0;
    went_on(after(Agents::default(), &limited))
}

fn went_on(next: Next) -> Agents {
    match next {
        Next::Go(agents) | Next::Wait(agents, _) => agents,
        Next::Fail(failed) => panic!("{failed:?}"),
    }
}

#[test]
fn an_end_that_is_the_teams_own_fails_the_try() {
    let rows = [
        (Outcome::TimedOut, Failure::TimedOut),
        (Outcome::Missing(words()), Failure::Lasting),
        (Outcome::OverBudget(words()), Failure::Lasting),
        (Outcome::Failed(words()), Failure::Passing),
        (Outcome::Lost(words()), Failure::Passing),
        (Outcome::SessionGone(words()), Failure::Passing),
        (Outcome::Hung, Failure::Passing),
        (Outcome::Killed, Failure::Passing),
    ];
    for (outcome, failure) in rows {
        let Next::Fail(failed) = after(Agents::default(), &over(outcome.clone())) else {
            panic!("{outcome:?}");
        };
        assert_eq!(failed.failure, failure, "{outcome:?}");
        assert_eq!(failed.why, "so it ended");
    }
}

#[test]
fn an_agent_that_has_finished_hands_in() {
    let next = went_on(after(resuming(), &over(Outcome::Finished)));
    assert!(next.is_done);
    assert_eq!((next.number, next.worked_ms), (2, 100));
}

#[test]
fn a_usage_limit_is_waited_for_and_the_same_session_goes_on() {
    let next = after(Agents::default(), &over(limit(LimitKind::Usage)));
    let Next::Wait(agents, Some(noted)) = next else {
        panic!("{next:?}");
    };
    assert_eq!(noted.until_ms, NOW + 3_600_000);
    assert!((noted.until_ms..=noted.until_ms + 10_000).contains(&agents.wake_ms));
    assert_eq!(agents.number, 2);
    assert_eq!(agents.resume.as_deref(), Some("s-1"));
}

#[test]
fn an_agent_that_is_held_back_has_not_begun() {
    let next = after(resuming(), &over(limit(LimitKind::Held)));
    let Next::Wait(agents, None) = next else {
        panic!("{next:?}");
    };
    assert_eq!((agents.number, agents.resume.as_deref()), (2, Some("s-0")));
    assert!(agents.wake_ms >= NOW + 3_600_000);
}

#[test]
fn a_limit_that_nobody_wants_to_wait_for_fails_the_try() {
    let rules = LimitRules {
        wait: false,
        ..LimitRules::default()
    };
    let next = Agents::default().after(&over(limit(LimitKind::Usage)), &rules, 1, NOW);
    let Next::Fail(failed) = next else {
        panic!("{next:?}");
    };
    assert_eq!(failed.failure, Failure::Lasting);
}

#[test]
fn a_service_that_is_too_busy_for_hours_is_down() {
    let mut agents = Agents::default();
    for _ in 0..24 {
        agents = went_on(after(agents, &over(limit(LimitKind::Overload))));
    }
    let next = after(agents, &over(limit(LimitKind::Overload)));
    assert!(matches!(next, Next::Fail(_)), "{next:?}");
}

#[test]
fn a_session_that_is_gone_is_left_once() {
    let agents = went_on(after(resuming(), &over(Outcome::SessionGone(words()))));
    assert_eq!((agents.number, agents.resume.as_deref()), (3, None));
    let next = after(agents, &over(Outcome::SessionGone(words())));
    assert!(matches!(next, Next::Fail(_)), "{next:?}");
}

/// 7.9: bounded by a type.
#[test]
fn agents_that_die_with_their_kumite_are_replaced_seven_times() {
    let mut agents = resuming();
    for number in 3..=9 {
        agents = went_on(after(agents, &found(Outcome::Lost(words()))));
        assert_eq!((agents.number, agents.resume.as_deref()), (number, None));
    }
    let next = after(agents, &found(Outcome::Lost(words())));
    assert!(matches!(next, Next::Fail(_)), "{next:?}");
}

fn ended(number: u32, over: AgentEnd) -> Event {
    Event::AgentEnded {
        team: 0,
        round: 1,
        attempt: 1,
        number,
        over,
    }
}

#[test]
fn d14_what_a_limit_takes_is_not_charged_and_what_agents_use_is() {
    let rules = Rules {
        submission_timeout_ms: 1_000,
        ..rounds(1, 1)
    };
    let mut play = Play::start(1, rules);
    let limited = AgentEnd {
        ended: Ended {
            outcome: Outcome::Limited(Limit {
                kind: LimitKind::Overload,
                until_ms: None,
                words: words(),
            }),
            ..over(Outcome::Finished).ended
        },
        ..over(Outcome::Finished)
    };
    play.after(100).tell(ended(1, limited));
    let [
        Effect::Launch {
            number: 2,
            wake_ms,
            timeout_ms: 900,
            ..
        },
    ] = play.effects[..]
    else {
        panic!("{:?}", play.effects);
    };
    assert_eq!(play.team(0).used_ms, 100);
    let wait = wake_ms - play.now_ms;
    play.after(wait + 200)
        .tell(ended(2, over(Outcome::Finished)));
    assert!(matches!(
        play.effects[..],
        [Effect::HandIn { number: 2, .. }]
    ));
    assert_eq!(play.team(0).used_ms, 300);
    assert_eq!(play.team(0).used.micros, 10);
    play.hands_in(0);
    assert!(matches!(play.team(0).phase, Phase::Measuring { .. }));
}

#[test]
fn a_late_word_of_an_agent_changes_nothing_but_the_bill() {
    let mut play = Play::start(1, rounds(1, 1));
    play.tell(ended(2, over(Outcome::Finished))).does(&[]);
    assert_eq!(play.team(0).used.micros, 5);
    play.tell(ended(1, over(Outcome::Finished)));
    play.tell(ended(1, over(Outcome::Finished))).does(&[]);
}

#[test]
fn agents_that_have_used_up_the_time_of_the_try_are_too_late() {
    let rules = Rules {
        submission_timeout_ms: 100,
        ..rounds(1, 1)
    };
    let mut play = Play::start(1, rules);
    play.after(100)
        .tell(ended(1, found(Outcome::Lost(words()))));
    play.leaves(0, Reason::SubmissionTimeout);
}

#[test]
fn a_resume_takes_up_the_agent_whose_turn_it_is() {
    let mut play = Play::start(1, rounds(1, 1));
    play.after(100)
        .tell(ended(1, found(Outcome::Lost(words()))));
    let [launch @ Effect::Launch { number: 2, .. }] = &play.effects[..] else {
        panic!("{:?}", play.effects);
    };
    let launch = launch.clone();
    play.tell(Event::Resumed);
    assert!(play.effects.contains(&launch), "{:?}", play.effects);
    play.tell(ended(2, over(Outcome::Finished)));
    play.tell(Event::Resumed);
    let hands_in = |effect: &Effect| matches!(effect, Effect::HandIn { number: 2, .. });
    assert!(play.effects.iter().any(hands_in), "{:?}", play.effects);
}
