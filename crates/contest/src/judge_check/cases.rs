//! Labelled cases: one JSON object per line.

use std::collections::BTreeSet;
use std::fmt;

use kumite_core::contest::Score;
use kumite_core::contest::judge::{Past, Remark, TeamRecord};
use serde::Deserialize;

/// Our own set. The built-in judge was adjusted only with the half `tune`. The cases from number 13
/// on come in pairs with equal scores. Only the remarks distinguish them, and the built-in judge does
/// not read remarks.
pub const CASES: &str = include_str!("cases.jsonl");

/// A history of scores, and a person's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    pub id: String,
    pub category: String,
    pub split: Split,
    pub case: TeamRecord,
    pub should_continue: bool,
    pub why: String,
}

kumite_core::words! {
    #[derive(Default)]
    pub enum Split: name {
        /// For adjusting a judge.
        Tune = "tune",
        /// For measuring it.
        #[default]
        HeldOut = "held_out",
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{name}:{line}: {what}")]
    Line {
        name: String,
        line: usize,
        what: String,
    },
    #[error("{name}: there are no cases in it; write one JSON object a line")]
    Empty { name: String },
}

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: String,
    #[serde(default = "other")]
    category: String,
    #[serde(default)]
    split: Split,
    rounds_min: u32,
    rounds_max: u32,
    history: Vec<RawRound>,
    #[serde(default)]
    others: Vec<f64>,
    should_continue: bool,
    #[serde(default)]
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRound {
    score: Option<f64>,
    #[serde(default)]
    feedback: String,
    failed: Option<String>,
}

fn other() -> String {
    "other".to_owned()
}

pub fn shipped() -> Result<Vec<Labelled>, Error> {
    parse(CASES, "the shipped cases")
}

/// Reads cases. `name` is the name of the file, for messages.
pub fn parse(text: &str, name: &str) -> Result<Vec<Labelled>, Error> {
    let wrong = |line: usize, what: &dyn fmt::Display| Error::Line {
        name: name.to_owned(),
        line,
        what: what.to_string(),
    };
    let mut ids = BTreeSet::new();
    let mut cases = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let raw: Raw = serde_json::from_str(text).map_err(|error| wrong(line, &error))?;
        if !ids.insert(raw.id.clone()) {
            return Err(wrong(
                line,
                &format_args!("id {:?} is taken by an earlier line", raw.id),
            ));
        }
        cases.push(labelled(raw).map_err(|what| wrong(line, &what))?);
    }
    match cases.is_empty() {
        true => Err(Error::Empty {
            name: name.to_owned(),
        }),
        false => Ok(cases),
    }
}

fn labelled(raw: Raw) -> Result<Labelled, String> {
    let rounds = u32::try_from(raw.history.len()).unwrap_or(u32::MAX);
    if rounds == 0 {
        return Err("history is empty: there is nothing to judge".to_owned());
    }
    if rounds > raw.rounds_max {
        return Err(format!(
            "history has {rounds} rounds, rounds_max is {}",
            raw.rounds_max
        ));
    }
    if raw.rounds_min > raw.rounds_max {
        let (min, max) = (raw.rounds_min, raw.rounds_max);
        return Err(format!("rounds_min is {min}, rounds_max is {max}"));
    }
    let past = (1u32..)
        .zip(raw.history)
        .map(|(number, round)| past(number, round));
    let mut others = raw
        .others
        .iter()
        .map(|score| read(*score))
        .collect::<Result<Vec<Score>, String>>()?;
    others.sort_by_key(|score| std::cmp::Reverse(*score));
    Ok(Labelled {
        id: raw.id,
        category: raw.category,
        split: raw.split,
        case: TeamRecord {
            round: rounds,
            rounds_min: raw.rounds_min,
            rounds_max: raw.rounds_max,
            past: past.collect::<Result<_, String>>()?,
            others,
        },
        should_continue: raw.should_continue,
        why: raw.why,
    })
}

fn past(round: u32, raw: RawRound) -> Result<Past, String> {
    match (raw.score, raw.failed) {
        (Some(score), None) => {
            let score = read(score)?;
            Ok(Past {
                round,
                score: Some(score),
                remarks: vec![Remark {
                    metric: "overall".to_owned(),
                    score,
                    text: raw.feedback,
                }],
                failed: None,
            })
        }
        (None, Some(why)) => Ok(Past {
            round,
            failed: Some(why),
            ..Past::default()
        }),
        _ => Err(format!(
            "round {round} needs either a score or why it failed"
        )),
    }
}

fn read(score: f64) -> Result<Score, String> {
    Score::from_f64(score).ok_or_else(|| format!("score {score} is not within 0 to 100"))
}
