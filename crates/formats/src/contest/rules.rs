//! Rules for every contest, whichever file it comes from.

use std::collections::BTreeMap;

use kumite_core::contest::ROUNDS_LIMIT;

use super::node::Value;
use super::plan::{Metric, MetricKind, Team};
use super::problem::{FileLine, Report};
use super::scope::Scope;

const ROUNDS_MIN: u32 = 2;
const ROUNDS_MAX: u32 = 5;
const WEIGHT_ONE: u32 = 1_000_000;
/// How far the sum of all weights may be from 1.
const WEIGHT_SLACK: f64 = 0.001;

pub(super) const SUBMISSION_TIMEOUT_MS: u64 = 300_000;
pub(super) const JUDGMENT_TIMEOUT_MS: u64 = 60_000;
pub(super) const MODEL_TIMEOUT_MS: u64 = 300_000;
pub(super) const SUBMISSION_RETRIES: u32 = 3;
pub(super) const HISTORY_CHARS: usize = 200_000;

/// The minimum and the maximum number of rounds (D10).
pub(super) fn rounds(scope: &Scope<'_>, min: &'static str, max: &'static str) -> (u32, u32) {
    let low = scope.count(min, 1..=ROUNDS_LIMIT);
    let high = scope.count(max, 1..=ROUNDS_LIMIT);
    let (least, most) = (low.unwrap_or(ROUNDS_MIN), high.unwrap_or(ROUNDS_MAX));
    // A refused value is already reported.
    let is_refused = low.is_some() != scope.has(min) || high.is_some() != scope.has(max);
    if least > most && !is_refused {
        let of = |key, given: Option<u32>, value| {
            let default = if given.is_some() {
                ""
            } else {
                " where it is not given"
            };
            format!("`{}` is {value}{default}", scope.label(key))
        };
        let message = format!("{}, but {}", of(min, low, least), of(max, high, most));
        let (at, help) = match low {
            Some(_) => (min, format!("`{min}` must not be above `{max}`")),
            None => (max, format!("set `{min} = {most}` as well")),
        };
        scope.problem(at, message, Some(help));
    }
    (least, most)
}

/// A metric's name, its weight if it has one, and its place in the file.
struct Weighed {
    name: String,
    weight: Option<f64>,
    at: FileLine,
}

/// All metrics with their weights. `kind` reads the rest of each table; None: it has none.
pub(super) fn metrics<'a>(
    report: &Report,
    entries: Vec<Scope<'a>>,
    kind: impl Fn(Scope<'a>, &str) -> Option<MetricKind>,
) -> Vec<Metric> {
    let mut weighed = Vec::new();
    let mut kinds = Vec::new();
    for scope in entries {
        scope.need("name");
        let name = scope.some_text("name").unwrap_or_default();
        let name = name.trim().to_owned();
        let has_weight = scope.has("weight");
        let weight = scope.number("weight", 0.0..=1.0);
        // A refused weight is already reported, so it does not count as missing.
        let weight = weight.or(has_weight.then_some(0.0));
        let at = scope.place(if has_weight { "weight" } else { "name" });
        kinds.push(kind(scope, &name));
        weighed.push(Weighed { name, weight, at });
    }
    let weights = weights(report, &weighed);
    let each = weighed.into_iter().zip(weights).zip(kinds);
    let metrics = each.filter_map(|((Weighed { name, .. }, weight), kind)| {
        let kind = kind?;
        Some(Metric { name, weight, kind })
    });
    metrics.collect()
}

/// In millionths. Either all metrics have a weight, or none; then they are equal.
fn weights(report: &Report, metrics: &[Weighed]) -> Vec<u32> {
    same_names(report, metrics);
    let without: Vec<&Weighed> = metrics.iter().filter(|one| one.weight.is_none()).collect();
    if without.len() == metrics.len() {
        return equal(metrics.len());
    }
    if let Some(first) = without.first() {
        let message = format!(
            "metric {:?} has no `weight`, but others have one",
            first.name
        );
        let help = "give one to all metrics, or to none";
        report.problem(&first.at, message, Some(help.to_owned()));
        return equal(metrics.len());
    }
    let weights: Vec<f64> = metrics.iter().filter_map(|one| one.weight).collect();
    let sum: f64 = weights.iter().sum();
    // A little more than the slack itself, because of rounding in binary fractions.
    if (sum - 1.0).abs() > WEIGHT_SLACK + 1e-9
        && let Some(first) = metrics.first()
    {
        let each = metrics.iter().zip(&weights);
        let each: Vec<String> = each
            .map(|(one, weight)| format!("{} {weight}", one.name))
            .collect();
        let sum = (sum * 1e6).round() / 1e6;
        let message = format!(
            "the weights of the metrics add up to {sum} ({})",
            each.join(", ")
        );
        report.problem(&first.at, message, Some("they must add up to 1".to_owned()));
    }
    weights.into_iter().map(millionths).collect()
}

pub(super) fn millionths(weight: f64) -> u32 {
    (weight * f64::from(WEIGHT_ONE)).round() as u32
}

fn same_names(report: &Report, metrics: &[Weighed]) {
    let mut seen: BTreeMap<&str, &FileLine> = BTreeMap::new();
    for one in metrics {
        if let Some(first) = seen.get(one.name.as_str()) {
            let message = format!("metric {:?} is there twice", one.name);
            report.problem(&one.at, message, Some(format!("the first is at {first}")));
        }
        seen.entry(&one.name).or_insert(&one.at);
    }
}

/// As equal as millionths can be; the sum is exact.
fn equal(count: usize) -> Vec<u32> {
    let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
    let part = |index: u32| WEIGHT_ONE / count + u32::from(index < WEIGHT_ONE % count);
    (0..count).map(part).collect()
}

/// Every team needs its own id. `teams` come with the places of their ids.
pub(super) fn team_ids(report: &Report, teams: &[(Team, FileLine)]) {
    let mut seen: BTreeMap<&str, &FileLine> = BTreeMap::new();
    // A missing id is already reported.
    for (team, at) in teams.iter().filter(|(team, _)| !team.id.is_empty()) {
        if let Some(first) = seen.get(team.id.as_str()) {
            let message = format!("team id {:?} is used twice", team.id);
            let help = match *first == at {
                true => "the same file is listed twice".to_owned(),
                false => format!("it is also the id at {first}; give each team its own"),
            };
            report.problem(at, message, Some(help));
        }
        seen.entry(&team.id).or_insert(at);
    }
}

pub(super) fn team_id(scope: &Scope<'_>, key: &'static str) -> String {
    scope.need(key);
    let allowed = "an id: text that is not blank and has no control characters";
    let is_good = |id: &String| !id.trim().is_empty() && !id.contains(char::is_control);
    let id = scope.get(key, allowed, |node| match &node.value {
        Value::Text(id) => Some(id.clone()).filter(is_good),
        _ => None,
    });
    id.unwrap_or_default()
}

/// If there are two timeouts for a judgment, the smaller one holds.
pub(super) fn judgment_timeout(contest: Option<u64>, judge: Option<u64>) -> u64 {
    let given = [contest, judge].into_iter().flatten().min();
    given.unwrap_or(JUDGMENT_TIMEOUT_MS)
}
