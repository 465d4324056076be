//! The journal is JSON, one entry per line: reading it back loses nothing.

use super::build::*;
use crate::contest::{
    AgentEnd, By, Contest, Entry, Event, Failed, Failure, Measure, Metric, Rules, Score, Used,
    VERSION, decide,
};
use crate::journal::LimitRules;
use crate::outcome::{Ended, Outcome, Usage};

fn every_event() -> Vec<Event> {
    let full = Rules {
        rounds_min: 1,
        rounds_max: 10,
        judge_on_final_round: false,
        teams_max: Some(u32::MAX),
        submission_timeout_ms: u64::MAX,
        judgment_timeout_ms: 0,
        team_timeout_ms: Some(u64::MAX),
        contest_timeout_ms: Some(1),
        submission_retries: 0,
        judge_retries: u32::MAX,
        metrics: vec![metric("a \"quoted\" name\n", u32::MAX), program("日本", 0)],
        budget_micros: Some(u64::MAX),
        day_micros: Some(0),
        limit: LimitRules::default(),
    };
    let asked = Failed {
        retry_after_ms: Some(u64::MAX),
        ..failed(Failure::Passing)
    };
    let used = Used {
        input_tokens: u64::MAX,
        output_tokens: 0,
        micros: 1,
        waited_ms: 3,
    };
    let mut events = vec![
        Event::Started {
            rules: Rules::default(),
            teams: Vec::new(),
        },
        Event::Started {
            rules: full,
            teams: entrants(3),
        },
        submitted(0, 1, 1, given()),
        submitted(u32::MAX, u32::MAX, u32::MAX, malformed()),
        submit_failed(0, 1, 1, asked),
        Event::AgentEnded {
            team: 0,
            round: 1,
            attempt: 1,
            number: 2,
            over: AgentEnd {
                ended: Ended {
                    outcome: Outcome::Hung,
                    session: Some("s-1".to_owned()),
                    usage: Usage::default(),
                    last_words: String::new(),
                },
                is_found: true,
                worked_ms: 7,
                why: "it said nothing".to_owned(),
            },
        },
        measured(0, 1, 0, 1, found(100)),
        measured(0, 1, 0, 1, veto()),
        judged(0, 1, 1, true),
        judge_failed(0, 1, 1, passing()),
        Event::Saved { team: 0, round: 0 },
        save_failed(0, 1, 4),
        Event::SummarySaved,
        summary_failed(2),
        Event::CancelRequested { by: By::User },
        Event::Resumed,
    ];
    for failure in [
        Failure::TimedOut,
        Failure::Passing,
        Failure::Unusable,
        Failure::Lasting,
    ] {
        events.push(Event::MeasureFailed {
            team: 1,
            round: 2,
            metric: 3,
            attempt: 4,
            failed: failed(failure),
            used,
        });
    }
    events
}

fn back(entry: &Entry) -> Entry {
    let line = serde_json::to_string(entry).unwrap();
    assert!(!line.contains('\n'), "{line}");
    serde_json::from_str(&line).unwrap()
}

#[test]
fn every_event_comes_back_from_its_line() {
    for (seq, event) in (1u64..).zip(every_event()) {
        let entry = Entry {
            version: VERSION,
            seq,
            at_ms: u64::MAX,
            event,
        };
        assert_eq!(back(&entry), entry);
    }
}

/// Fields that are added later must fit into this line.
#[test]
fn a_line_is_short_and_says_what_it_is() {
    let entry = Entry {
        version: VERSION,
        seq: 7,
        at_ms: 1_000,
        event: measured(0, 1, 0, 1, found(50)),
    };
    let line = serde_json::to_string(&entry).unwrap();
    let expected = r#"{"v":1,"seq":7,"at_ms":1000,"event":"measured","team":0,"round":1,"metric":0,"attempt":1,"measure":{"score":5000,"remark":"a remark"},"used":{}}"#;
    assert_eq!(line, expected);
}

#[test]
fn d6_a_score_outside_is_not_read_from_a_journal_either() {
    let read = |line: &str| serde_json::from_str::<Measure>(line).ok();
    let good = read(r#"{"score":10000,"remark":""}"#).unwrap();
    assert_eq!(good.score, Score::MAX);
    for bad in ["10001", "65535", "-1", "99.5", "null", "\"high\""] {
        let line = format!(r#"{{"score":{bad},"remark":""}}"#);
        assert_eq!(read(&line), None, "{bad}");
    }
}

/// A contest with every kind of event, stage by stage.
fn long_play() -> (Vec<Entry>, Vec<Contest>) {
    let rules = Rules {
        metrics: vec![
            program("p", 1),
            Metric {
                retries: 0,
                ..metric("m", 2)
            },
        ],
        teams_max: Some(3),
        team_timeout_ms: Some(900_000),
        ..rounds(1, 2)
    };
    let mut play = Play::start(5, rules);
    let mut states = vec![play.contest.clone()];
    let step = |play: &mut Play, states: &mut Vec<Contest>, event: Event| {
        play.after(1_234).tell(event);
        states.push(play.contest.clone());
    };
    for event in [
        submitted(0, 1, 1, given()),
        measured(0, 1, 0, 1, found(40)),
        submit_failed(1, 1, 1, passing()),
        measured(0, 1, 1, 1, found(80)),
        judge_failed(0, 1, 1, passing()),
        submitted(2, 1, 1, given()),
        measured(2, 1, 0, 1, veto()),
        judged(0, 1, 2, true),
        submitted(1, 1, 2, malformed()),
        Event::Resumed,
        Event::Saved { team: 1, round: 1 },
        save_failed(0, 1, 1),
        judged(2, 1, 1, false),
        Event::Saved { team: 2, round: 1 },
        Event::Saved { team: 0, round: 1 },
        submitted(3, 1, 1, given()),
        measured(3, 1, 0, 1, found(3)),
        measure_failed(3, 1, 1, 1, passing()),
        Event::CancelRequested { by: By::User },
        summary_failed(1),
        summary_failed(2),
        summary_failed(3),
        summary_failed(4),
        Event::Resumed,
        Event::SummarySaved,
    ] {
        step(&mut play, &mut states, event);
    }
    (play.entries, states)
}

#[test]
fn every_state_comes_back_from_its_snapshot() {
    for state in long_play().1 {
        let text = serde_json::to_string(&state).unwrap();
        let read: Contest = serde_json::from_str(&text).unwrap();
        assert_eq!(read, state);
    }
}

#[test]
fn a_replay_of_the_lines_gives_the_same_states() {
    let (entries, states) = long_play();
    let mut contest = Contest::default();
    for (entry, state) in entries.iter().zip(states) {
        (contest, _) = decide(contest, &back(entry));
        assert_eq!(contest, state);
    }
    assert!(contest.is_ended());
}
