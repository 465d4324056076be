use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU32;

use kumite_core::contest::Confidence;
use serde_json::json;

use super::*;
use crate::judge::Rules;
use crate::work::Missed;

fn way(cancel: &Cancel) -> Way<'_> {
    Way {
        retries: 0,
        timeout: Duration::from_secs(60),
        cancel,
    }
}

fn measured(split: Split) -> Report {
    let mut cases = shipped().unwrap();
    cases.retain(|case| case.split == split);
    measure(&Rules, &cases, &way(&Cancel::new()))
}

#[test]
fn d12_the_built_in_judge_agrees_with_a_person_where_it_was_adjusted() {
    let report = measured(Split::Tune);
    assert!(report.all.accuracy() >= 0.8, "{}", report.to_text());
}

#[test]
fn d12_the_built_in_judge_agrees_with_a_person_on_the_held_out_half() {
    let report = measured(Split::HeldOut);
    assert!(report.all.accuracy() >= 0.8, "{}", report.to_text());
}

#[test]
fn d12_the_shipped_set_covers_every_kind_of_history_in_both_halves() {
    let cases = shipped().unwrap();
    assert!(cases.len() >= 80, "{}", cases.len());
    let mut kinds: BTreeMap<&str, BTreeSet<(Split, bool)>> = BTreeMap::new();
    for case in &cases {
        let seen = kinds.entry(&case.category).or_default();
        seen.insert((case.split, case.should_continue));
        assert!(!case.why.is_empty(), "{}", case.id);
        let newest = case.case.past.last().unwrap();
        assert!(
            newest.score.is_some(),
            "{}: no judge is asked about a failed round",
            case.id
        );
        assert!(case.case.round < case.case.rounds_max, "{}", case.id);
    }
    let names: Vec<&str> = kinds.keys().copied().collect();
    let expected = [
        "capped",
        "collapsing",
        "failed-rounds",
        "few-rounds",
        "flat",
        "late-jump",
        "noisy",
        "rising",
    ];
    assert_eq!(names, expected);
    for (name, seen) in kinds {
        assert_eq!(
            seen.len(),
            4,
            "{name} needs both answers in both halves: {seen:?}"
        );
    }
    for split in Split::ALL {
        let of: Vec<&Labelled> = cases.iter().filter(|case| case.split == split).collect();
        let goes_on = of.iter().filter(|case| case.should_continue).count();
        assert_eq!(of.len(), cases.len() / 2);
        assert!(
            (of.len() * 2 / 5..=of.len() * 3 / 5).contains(&goes_on),
            "{split:?}: {goes_on}"
        );
    }
}

#[test]
fn nobody_reaches_80_percent_by_always_saying_the_same() {
    let cases = shipped().unwrap();
    for answer in [true, false] {
        let report = measure(&Always(answer), &cases, &way(&Cancel::new()));
        assert!(report.all.accuracy() < 0.6, "{}", report.to_text());
    }
}

struct Always(bool);

impl Judge for Always {
    fn judge(&self, _: &Case<'_>, _: &Try<'_>) -> Result<(Judgment, Used), Missed> {
        let judgment = Judgment {
            should_continue: self.0,
            reasoning: "as always".to_owned(),
            confidence: Confidence::FULL,
        };
        let used = Used {
            input_tokens: 10,
            output_tokens: 2,
            micros: 1_500,
            ..Used::default()
        };
        Ok((judgment, used))
    }
}

fn line(id: &str, should_continue: bool) -> String {
    json!({
        "id": id, "category": "flat", "rounds_min": 2, "rounds_max": 5,
        "history": [{"score": 50, "feedback": "a"}, {"score": 51.5, "feedback": "b"}],
        "should_continue": should_continue,
    })
    .to_string()
}

#[test]
fn a_report_counts_agreement_confusion_and_cost() {
    let text = [line("a", true), line("b", false), line("c", false)].join("\n");
    let cases = parse(&text, "x").unwrap();
    let report = measure(&Always(true), &cases, &way(&Cancel::new()));
    assert_eq!((report.all.n, report.all.right, report.calls), (3, 1, 3));
    let expected = Confusion {
        continue_continue: 1,
        stop_continue: 2,
        ..Confusion::default()
    };
    assert_eq!(report.confusion, expected);
    let ids: Vec<&str> = report.wrong.iter().map(|wrong| wrong.id.as_str()).collect();
    assert_eq!(ids, ["b", "c"]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        (&json["n"], &json["right"], &json["calls"]),
        (&json!(3), &json!(1), &json!(3))
    );
    assert_eq!(
        (&json["input_tokens"], &json["output_tokens"]),
        (&json!(30), &json!(6))
    );
    assert_eq!(json["cost_usd"], json!(0.0045));
    assert_eq!(json["categories"]["flat"]["held_out"]["n"], json!(3));
    let text = report.to_text();
    for words in [
        "3 cases, 1 as a person would say (33.3%)",
        "person: end                     2            0",
        "flat                               -       1/3 33.3%",
        "3 calls, 30 tokens in, 6 out, 0.0045 dollars",
        "b: a person says end",
        "the judge: as always",
    ] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
}

/// Fails this many times before it answers.
struct Failing {
    failures: u32,
    failure: Failure,
    calls: AtomicU32,
}

impl Judge for Failing {
    fn judge(&self, case: &Case<'_>, turn: &Try<'_>) -> Result<(Judgment, Used), Missed> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if turn.attempt > self.failures {
            return Always(true).judge(case, turn);
        }
        let why = format!("try {} failed", turn.attempt);
        Err(Missed {
            used: Used {
                micros: 1,
                ..Used::default()
            },
            ..Missed::free(self.failure, why)
        })
    }
}

#[test]
fn an_answer_that_never_comes_is_wrong_and_listed() {
    let cases = parse(&[line("a", true), line("b", false)].join("\n"), "x").unwrap();
    let cancel = Cancel::new();
    let rows = [
        (1, Failure::Unusable, 1, 1, 4, "", 3_002),
        (2, Failure::Unusable, 1, 0, 4, "try 2 failed", 4),
        (9, Failure::Lasting, 3, 0, 2, "try 1 failed", 2),
    ];
    for (failures, failure, retries, right, calls, why, micros) in rows {
        let judge = Failing {
            failures,
            failure,
            calls: AtomicU32::default(),
        };
        let way = Way {
            retries,
            ..way(&cancel)
        };
        let report = measure(&judge, &cases, &way);
        assert_eq!((report.all.n, report.all.right), (2, right), "{failure:?}");
        assert_eq!(
            (report.calls, judge.calls.into_inner()),
            (calls, calls),
            "{failure:?}"
        );
        assert_eq!(report.used.micros, micros);
        let listed: Vec<&str> = report.failures.iter().map(|it| it.why.as_str()).collect();
        let expected: &[&str] = if why.is_empty() { &[] } else { &[why, why] };
        assert_eq!(listed, expected);
    }
}

#[test]
fn cases_of_a_person_are_refused_by_file_and_line() {
    let good = line("a", true);
    let with = |name: &str, value: serde_json::Value| {
        let mut case: serde_json::Value = serde_json::from_str(&line("b", true)).unwrap();
        case[name] = value;
        case.to_string()
    };
    let rows = [
        ("{".to_owned(), "mine.jsonl:3: EOF"),
        (
            with("colour", json!("red")),
            "mine.jsonl:3: unknown field `colour`",
        ),
        (
            with("should_continue", json!("yes")),
            "mine.jsonl:3: invalid type",
        ),
        (
            with("split", json!("test")),
            "mine.jsonl:3: unknown variant `test`",
        ),
        (with("history", json!([])), "mine.jsonl:3: history is empty"),
        (
            with("history", json!([{"score": 101}])),
            "mine.jsonl:3: score 101 is not within 0 to 100",
        ),
        (
            with("history", json!([{"feedback": "x"}])),
            "mine.jsonl:3: round 1 needs either a score or why it failed",
        ),
        (
            with("history", json!([{"score": 5, "failed": "x"}])),
            "mine.jsonl:3: round 1 needs either",
        ),
        (
            with("others", json!([-1])),
            "mine.jsonl:3: score -1 is not within",
        ),
        (
            with("rounds_max", json!(1)),
            "mine.jsonl:3: history has 2 rounds, rounds_max is 1",
        ),
        (
            with("rounds_min", json!(6)),
            "mine.jsonl:3: rounds_min is 6, rounds_max is 5",
        ),
        (
            with("id", json!("a")),
            "mine.jsonl:3: id \"a\" is taken by an earlier line",
        ),
    ];
    for (bad, words) in rows {
        let error = parse(&format!("{good}\n\n{bad}\n"), "mine.jsonl")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(words), "{error}");
    }
    let error = parse("\n \n", "mine.jsonl").unwrap_err().to_string();
    assert!(
        error.starts_with("mine.jsonl: there are no cases in it"),
        "{error}"
    );
}

#[test]
fn a_cancel_ends_the_measuring() {
    let cases = parse(&[line("a", true), line("b", false)].join("\n"), "x").unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let judge = Failing {
        failures: 9,
        failure: Failure::Passing,
        calls: AtomicU32::default(),
    };
    let way = Way {
        retries: 9,
        ..way(&cancel)
    };
    let report = measure(&judge, &cases, &way);
    assert_eq!((report.calls, report.failures.len()), (2, 2));
}
