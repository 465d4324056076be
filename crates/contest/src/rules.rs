//! From the plan to the core's rules.

use kumite_core::contest::{Metric, Rules};
use kumite_core::journal::LimitRules;
use kumite_formats::contest::{self as formats, Judge, MetricKind, Plan};

/// `day_micros` is what is left of the day's budget, if there is one.
pub fn rules(plan: &Plan, day_micros: Option<u64>, limit: LimitRules) -> Rules {
    Rules {
        rounds_min: plan.rounds_min,
        rounds_max: plan.rounds_max,
        judge_on_final_round: plan.judge_on_final_round,
        teams_max: plan.teams_max,
        submission_timeout_ms: plan.submission_timeout_ms,
        judgment_timeout_ms: plan.judgment_timeout_ms,
        team_timeout_ms: plan.team_timeout_ms,
        contest_timeout_ms: plan.contest_timeout_ms,
        submission_retries: plan.submission_retries,
        judge_retries: match &plan.judge {
            Judge::Rules => 0,
            Judge::Llm { llm, .. } => llm.max_retries,
        },
        metrics: plan.evaluator.metrics.iter().map(metric).collect(),
        budget_micros: plan
            .budget_usd
            .map(|usd| (usd * 1_000_000.0).round() as u64),
        day_micros,
        limit,
    }
}

/// A built-in program is fast, and a repeated try gives the same result.
const BUILT_IN_MS: u64 = 60_000;

fn metric(metric: &formats::Metric) -> Metric {
    let (is_program, timeout_ms, retries) = match &metric.kind {
        MetricKind::Llm { llm, .. } => (false, llm.timeout_ms, llm.max_retries),
        MetricKind::Command {
            command,
            max_retries,
            ..
        } => (true, command.timeout_ms, *max_retries),
        MetricKind::Plugin {
            timeout_ms,
            max_retries,
            ..
        } => (true, *timeout_ms, *max_retries),
        MetricKind::Checklist(_) => (true, BUILT_IN_MS, 0),
    };
    Metric {
        name: metric.name.clone(),
        weight: metric.weight,
        is_program,
        timeout_ms,
        retries,
    }
}
