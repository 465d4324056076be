//! `events.jsonl`: what happened, in the predecessor's words, so that its readers go on working.

use std::fs;
use std::io::{self, Write};

use kumite_core::engine::EffectKey;
use kumite_core::facts::Verdict;
use kumite_core::names::Phase;
use kumite_core::notice::{NextAction, Notice, RestState};
use kumite_core::outcome::Outcome;
use kumite_core::run::Step;
use serde_json::{Value, json};

use crate::announce::{Announcement, outcome_detail};
use crate::clock::rfc3339;
use crate::files;
use crate::project::Spec;

/// Appends what a notice means, in one write so that lines of two writers never mix.
/// `again`: it may stand there already, from before a crash.
pub fn append(
    spec: &Spec,
    key: EffectKey,
    announcement: &Announcement,
    again: bool,
) -> io::Result<()> {
    let lines = lines(&announcement.notice);
    if lines.is_empty() {
        return Ok(());
    }
    let key = format!("{}.{}", key.seq, key.index);
    if again && is_written(spec, &key) {
        return Ok(());
    }
    let mut text = String::new();
    for mut line in lines {
        line["timestamp"] = rfc3339(announcement.at_ms).into();
        line["key"] = key.as_str().into();
        text.push_str(&line.to_string());
        text.push('\n');
    }
    files::open_append(&spec.events_file())?.write_all(text.as_bytes())
}

/// Looks from the end, where it would be.
fn is_written(spec: &Spec, key: &str) -> bool {
    let text = fs::read(spec.events_file()).unwrap_or_default();
    let tail = &text[text.len().saturating_sub(64 * 1024)..];
    let wanted = format!("\"key\":\"{key}\"");
    String::from_utf8_lossy(tail).contains(&wanted)
}

fn lines(notice: &Notice) -> Vec<Value> {
    match notice {
        Notice::RunStarted { phase } => vec![json!({
            "type": "auto-execution:start",
            "message": "Auto-execution started",
            "status": "started",
            "startPhase": phase.map(Phase::name),
        })],
        Notice::PhaseStarted(phase) => vec![json!({
            "type": "phase:transition",
            "message": format!("Phase {} started", phase.name()),
            "oldPhase": before(*phase).map(Phase::name),
            "newPhase": phase.name(),
        })],
        Notice::StepStarted { step, agent, .. } => started(*step, &agent.to_string()),
        Notice::StepEnded {
            step,
            agent,
            outcome,
            ..
        } => {
            vec![ended(*step, &agent.to_string(), outcome)]
        }
        Notice::RoundEnded {
            round,
            findings,
            next,
        } => vec![json!({
            "type": "review:complete",
            "message": format!(
                "Document review round {round} completed: {} to fix, {} to discuss",
                findings.fix_required, findings.needs_discussion
            ),
            "roundNumber": round,
            "result": review_result(*next),
            "fixRequired": findings.fix_required,
            "needsDiscussion": findings.needs_discussion,
        })],
        Notice::InspectionEnded { round, verdict } => vec![json!({
            "type": "inspection:complete",
            "message": format!("Inspection {round} completed: {}", verdict_word(*verdict)),
            "roundNumber": round,
            "result": if *verdict == Verdict::Go { "go" } else { "stop" },
        })],
        Notice::ImplRetry { attempt, max, open } => {
            vec![failure(format!(
                "Impl retry ({attempt}/{max}): {open} incomplete tasks"
            ))]
        }
        Notice::ImplExhausted { max, .. } => {
            vec![failure(format!("Impl max retry exceeded ({max}/{max})"))]
        }
        Notice::DocumentApproved { document, .. } => vec![approval(document.name(), true)],
        Notice::DocumentRejected(document) => vec![approval(document.name(), false)],
        Notice::SaveFailed(why) => {
            vec![failure(format!(
                "Failed to persist state to spec.json: {why}"
            ))]
        }
        Notice::Warned(text) => vec![json!({"type": "kumite:warning", "message": text})],
        Notice::RunEnded {
            state,
            reason,
            message,
        } => vec![run_ended(*state, reason, message)],
        Notice::RunQueued | Notice::PhaseEnded(_) | Notice::ReviewApproved { .. } => Vec::new(),
    }
}

fn before(phase: Phase) -> Option<Phase> {
    Phase::ALL.into_iter().rev().find(|other| *other < phase)
}

fn started(step: Step, agent: &str) -> Vec<Value> {
    let mut lines = vec![json!({
        "type": "agent:start",
        "message": format!("Agent started: {}", step.name()),
        "agentId": agent,
        "phase": step.phase().name(),
        "step": step.name(),
    })];
    let round = |kind: &str, what: &str, number: u32| {
        json!({
            "type": format!("{kind}:start"),
            "message": format!("{what} {number} starting"),
            "roundNumber": number,
        })
    };
    match step {
        Step::Review(r) => lines.push(round("review", "Document review round", r.number)),
        Step::Inspect(r) => lines.push(round("inspection", "Inspection", r.number)),
        Step::Write(_) | Step::Reply(_) | Step::Implement(_) | Step::Fix(_) | Step::Merge => {}
    }
    lines
}

fn ended(step: Step, agent: &str, outcome: &Outcome) -> Value {
    let finished = *outcome == Outcome::Finished;
    let name = crate::announce::outcome_name(outcome);
    json!({
        "type": if finished { "agent:complete" } else { "agent:fail" },
        "message": format!("Agent {name}: {}", step.name()),
        "agentId": agent,
        "phase": step.phase().name(),
        "step": step.name(),
        "outcome": name,
        "errorMessage": outcome_detail(outcome),
    })
}

fn review_result(next: NextAction) -> &'static str {
    match next {
        NextAction::Continue => "pending",
        NextAction::Approved => "go",
        NextAction::Paused => "stop",
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Go => "GO",
        Verdict::Nogo => "NOGO",
    }
}

fn failure(message: String) -> Value {
    json!({
        "type": "auto-execution:fail",
        "message": message,
        "status": "failed",
        "errorMessage": message,
    })
}

fn approval(phase: &str, approved: bool) -> Value {
    json!({
        "type": "approval:update",
        "message": format!("{phase} {}", if approved { "approved" } else { "rejected" }),
        "phase": phase,
        "approved": approved,
    })
}

fn run_ended(state: RestState, reason: &str, message: &str) -> Value {
    let (kind, status) = match state {
        RestState::Done => ("auto-execution:complete", "completed"),
        RestState::Failed => ("auto-execution:fail", "failed"),
        RestState::Idle | RestState::Waiting | RestState::Paused | RestState::Stopped => {
            ("auto-execution:stop", "stopped")
        }
    };
    json!({
        "type": kind,
        "message": message,
        "status": status,
        "reason": reason,
        "errorMessage": (state == RestState::Failed).then_some(message),
    })
}
