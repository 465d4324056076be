//! Notices on their way to people: who gets them, and how they look as JSON.

use std::sync::mpsc::Sender;

use kumite_core::notice::{NextAction, Notice, RestState};
use kumite_core::outcome::Outcome;
use kumite_core::run::Step;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::clock::rfc3339;
use crate::control::Reply;

/// A notice with its time and its spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    pub at_ms: u64,
    pub spec: String,
    pub notice: Notice,
}

/// Everybody who follows.
#[derive(Debug, Default)]
pub struct Feed {
    followers: Vec<Follower>,
}

#[derive(Debug)]
struct Follower {
    /// The specs whose end it has not seen yet.
    specs: Vec<String>,
    /// Stays also after their end: they may be asked for again from elsewhere.
    stays: bool,
    send: Sender<Reply>,
}

impl Feed {
    pub fn follow(&mut self, specs: Vec<String>, stays: bool, send: Sender<Reply>) {
        self.followers.push(Follower { specs, stays, send });
    }

    /// Tells those who follow the spec. Who has seen the end of all its specs, or went away, is
    /// forgotten.
    pub fn tell(&mut self, announcement: &Announcement) {
        let is_end = matches!(announcement.notice, Notice::RunEnded { .. });
        self.followers.retain_mut(|follower| {
            if !follower.specs.contains(&announcement.spec) {
                return true;
            }
            let told = follower.send.send(Reply::News(announcement.clone()));
            if is_end && !follower.stays {
                follower.specs.retain(|spec| *spec != announcement.spec);
            }
            told.is_ok() && !follower.specs.is_empty()
        });
    }
}

impl Announcement {
    /// One line of `kumite run --json` (contract).
    pub fn to_json(&self) -> Value {
        let (kind, fields) = body(&self.notice);
        let mut line = Map::new();
        line.insert("time".into(), rfc3339(self.at_ms).into());
        line.insert("spec".into(), self.spec.as_str().into());
        line.insert("type".into(), kind.into());
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        Value::Object(line)
    }
}

fn body(notice: &Notice) -> (&'static str, Value) {
    match notice {
        Notice::RunQueued => ("run_queued", json!({})),
        Notice::RunStarted { phase } => (
            "run_started",
            json!({"phase": phase.map(|phase| phase.name())}),
        ),
        Notice::PhaseStarted(phase) => ("phase_started", json!({"phase": phase.name()})),
        Notice::PhaseEnded(phase) => ("phase_ended", json!({"phase": phase.name()})),
        Notice::StepStarted {
            step,
            agent,
            resumed,
        } => {
            let mut fields = step_fields(*step);
            fields["agent"] = agent.to_string().into();
            fields["resumed"] = (*resumed).into();
            ("step_started", fields)
        }
        Notice::StepEnded {
            step,
            agent,
            outcome,
            usage,
        } => {
            let mut fields = step_fields(*step);
            fields["agent"] = agent.to_string().into();
            fields["outcome"] = outcome_name(outcome).into();
            fields["message"] = outcome_detail(outcome).into();
            fields["cost_usd"] = usd(usage.usd_micros).into();
            fields["input_tokens"] = usage.input_tokens.into();
            fields["output_tokens"] = usage.output_tokens.into();
            ("step_ended", fields)
        }
        Notice::RoundEnded {
            round,
            findings,
            next,
        } => (
            "round_ended",
            json!({
                "round": round,
                "fix_required": findings.fix_required,
                "needs_discussion": findings.needs_discussion,
                "next": next_name(*next),
            }),
        ),
        Notice::ReviewApproved { rounds } => ("review_approved", json!({"rounds": rounds})),
        Notice::ImplRetry { attempt, max, open } => (
            "impl_retry",
            json!({"attempt": attempt, "max": max, "open": open}),
        ),
        Notice::ImplExhausted { max, open } => {
            ("impl_exhausted", json!({"max": max, "open": open}))
        }
        Notice::InspectionEnded { round, verdict } => (
            "inspection_ended",
            json!({"round": round, "verdict": verdict}),
        ),
        Notice::DocumentApproved {
            document,
            by_person,
        } => (
            "document_approved",
            json!({"document": document.name(), "by": if *by_person { "person" } else { "auto" }}),
        ),
        Notice::DocumentRejected(document) => {
            ("document_rejected", json!({"document": document.name()}))
        }
        Notice::Warned(message) => ("warning", json!({"message": message})),
        Notice::SaveFailed(message) => ("save_failed", json!({"message": message})),
        Notice::RunEnded {
            state,
            reason,
            message,
        } => (
            "run_ended",
            json!({"state": state_name(*state), "reason": reason, "message": message}),
        ),
    }
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
    }
}

pub fn outcome_detail(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Failed(how) | Outcome::Missing(how) | Outcome::Lost(how) => Some(how),
        Outcome::Finished | Outcome::Hung | Outcome::TimedOut | Outcome::Killed => None,
    }
}

pub fn next_name(next: NextAction) -> &'static str {
    match next {
        NextAction::Continue => "continue",
        NextAction::Approved => "approved",
        NextAction::Paused => "paused",
    }
}

pub fn state_name(state: RestState) -> &'static str {
    match state {
        RestState::Idle => "idle",
        RestState::Waiting => "waiting",
        RestState::Paused => "paused",
        RestState::Stopped => "stopped",
        RestState::Failed => "failed",
        RestState::Done => "done",
    }
}

/// Money for people and JSON.
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}
