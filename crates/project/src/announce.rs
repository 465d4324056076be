//! Notices on their way to people, and their JSON form.

use kumite_core::journal::AgentId;
use kumite_core::notice::Notice;
use kumite_core::outcome::Outcome;
use kumite_core::run::{Reason, SpecState, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::clock::rfc3339;
use crate::project::Spec;
use crate::toast::Toast;

/// A notice with its time and its spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    pub at_ms: u64,
    pub spec: String,
    pub notice: Notice,
}

impl Announcement {
    pub fn new(spec: &Spec, notice: Notice, at_ms: u64) -> Announcement {
        Announcement {
            at_ms,
            spec: spec.name.clone(),
            notice,
        }
    }

    /// One line of `kumite run --json` (contract).
    pub fn to_json(&self) -> Value {
        let mut line = Map::new();
        line.insert("time".into(), rfc3339(self.at_ms).into());
        line.insert("spec".into(), self.spec.as_str().into());
        line.insert("type".into(), kind(&self.notice).into());
        if let Value::Object(fields) = fields(&self.notice) {
            line.extend(fields);
        }
        Value::Object(line)
    }

    /// One line of news: the same, with what the page shows for a moment.
    pub fn to_news(&self) -> Value {
        Toast::add_to(Toast::of(&self.notice), self.to_json())
    }
}

/// The name of a notice (contract).
fn kind(notice: &Notice) -> &'static str {
    match notice {
        Notice::RunQueued(_) | Notice::CheckoutBusy { .. } => "run_queued",
        Notice::RunStarted { .. } => "run_started",
        Notice::PhaseStarted(_) => "phase_started",
        Notice::PhaseEnded(_) => "phase_ended",
        Notice::StepStarted { .. } => "step_started",
        Notice::StepEnded { .. } => "step_ended",
        Notice::RoundEnded { .. } => "round_ended",
        Notice::ReviewApproved { .. } => "review_approved",
        Notice::ImplRetry { .. } => "impl_retry",
        Notice::ImplExhausted { .. } => "impl_exhausted",
        Notice::InspectionEnded { .. } => "inspection_ended",
        Notice::DocumentApproved { .. } => "document_approved",
        Notice::DocumentRejected(_) => "document_rejected",
        Notice::WorktreeCreated { .. } => "worktree_created",
        Notice::NoWorktree { .. } => "no_worktree",
        Notice::VerifyStarted { .. } => "verify_started",
        Notice::VerifyEnded { .. } => "verify_ended",
        Notice::Checkpoint { .. } => "checkpoint",
        Notice::LimitWaiting { .. } => "limit_waiting",
        Notice::Warned(_) => "warning",
        Notice::SaveFailed(_) => "save_failed",
        Notice::RunEnded { .. } => "run_ended",
    }
}

/// The fields of a notice (contract).
#[rustfmt::skip]
fn fields(notice: &Notice) -> Value {
    match notice {
        Notice::RunQueued(None) => json!({}),
        Notice::RunQueued(Some(place)) => json!({
            "queue_place": place.number,
            "jobs": place.jobs,
            "message": format!("queued: {place}"),
        }),
        Notice::CheckoutBusy { with } => json!({
            "because": "same_checkout",
            "with": with,
            "message": format!("queued: {with} works in the same checkout"),
        }),
        Notice::RunStarted { phase } => json!({"phase": phase.map(|phase| phase.name())}),
        Notice::PhaseStarted(phase) | Notice::PhaseEnded(phase) => json!({"phase": phase.name()}),
        Notice::StepStarted { step, agent, resumed } => {
            with_step(*step, *agent, json!({"resumed": resumed}))
        }
        Notice::StepEnded { step, agent, outcome, usage } => with_step(*step, *agent, json!({
            "outcome": outcome_name(outcome),
            "message": outcome_detail(outcome),
            "cost_usd": usd(usage.usd_micros),
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        })),
        Notice::RoundEnded { round, findings, next } => json!({
            "round": round,
            "fix_required": findings.fix_required,
            "needs_discussion": findings.needs_discussion,
            "next": next.name(),
        }),
        Notice::ReviewApproved { rounds } => json!({"rounds": rounds}),
        Notice::ImplRetry { attempt, max, open, because } => {
            json!({"attempt": attempt, "max": max, "open": open, "because": because.word()})
        }
        Notice::ImplExhausted { max, open } => json!({"max": max, "open": open}),
        Notice::InspectionEnded { round, verdict } => json!({"round": round, "verdict": verdict}),
        Notice::DocumentApproved { document, by_person } => {
            json!({"document": document.name(), "by": if *by_person { "person" } else { "auto" }})
        }
        Notice::DocumentRejected(document) => json!({"document": document.name()}),
        Notice::WorktreeCreated { path, branch, made } => {
            json!({"path": path, "branch": branch, "made": made})
        }
        Notice::NoWorktree { why } => json!({"message": why}),
        Notice::VerifyStarted { name, agent } => {
            json!({"name": name, "agent": agent.to_string(), "log": verify_log(name, *agent)})
        }
        Notice::VerifyEnded { check, agent } => json!({
            "name": check.name,
            "outcome": check.outcome,
            "seconds": check.ms as f64 / 1000.0,
            "agent": agent.to_string(),
            "log": verify_log(&check.name, *agent),
        }),
        Notice::Checkpoint { seq } => json!({"checkpoint": seq}),
        Notice::LimitWaiting { until_ms, words } => {
            json!({"until": rfc3339(*until_ms), "message": words})
        }
        Notice::Warned(message) | Notice::SaveFailed(message) => json!({"message": message}),
        Notice::RunEnded { rest, message } => {
            let spec_state = SpecState::from(*rest);
            let reason = spec_state.reason().map_or("", Reason::word);
            json!({"state": spec_state.state(), "reason": reason, "message": message})
        }
    }
}

/// The log of one of the project's commands, among the logs of its spec.
pub fn verify_log(name: &str, agent: AgentId) -> String {
    format!("logs/verify-{}-{name}.log", agent.seq)
}

fn with_step(step: Step, agent: AgentId, more: Value) -> Value {
    let mut fields = step_fields(step);
    fields["agent"] = agent.to_string().into();
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

fn step_fields(step: Step) -> Value {
    json!({
        "step": step.name(),
        "phase": step.phase().name(),
        "round": step.round().map(|round| round.number),
        "attempt": step.attempt().map(|attempt| attempt.retry),
    })
}

pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::Failed(_) => "failed",
        Outcome::Missing(_) => "missing",
        Outcome::Hung => "hung",
        Outcome::TimedOut => "timed_out",
        Outcome::Killed => "killed",
        Outcome::Lost(_) => "lost",
        Outcome::Limited(_) => "limited",
        Outcome::SessionGone(_) => "session_gone",
        Outcome::OverBudget(_) => "over_budget",
    }
}

pub fn outcome_detail(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Failed(how)
        | Outcome::Missing(how)
        | Outcome::Lost(how)
        | Outcome::SessionGone(how)
        | Outcome::OverBudget(how) => Some(how),
        Outcome::Limited(limit) => Some(&limit.words),
        Outcome::Finished | Outcome::Hung | Outcome::TimedOut | Outcome::Killed => None,
    }
}

/// Money for people and JSON.
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}
