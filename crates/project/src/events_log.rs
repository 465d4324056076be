//! `events.jsonl`: what happened, in the predecessor's words, so that its readers keep working.

use std::fs::OpenOptions;
use std::io::{self, Read};

use kumite_core::engine::EffectKey;
use kumite_core::facts::{Findings, Verdict};
use kumite_core::names::Phase;
use kumite_core::notice::{NextAction, Notice};
use kumite_core::outcome::Outcome;
use kumite_core::run::{Because, Halt, Reason, Rest, SpecState, Step};
use kumite_files::{Access, Lines, open_plain};
use serde_json::{Value, json};

use crate::announce::{Announcement, outcome_detail, verify_log};
use crate::clock::rfc3339;
use crate::project::Spec;

/// Appends the lines for a notice, in one write so that lines of two writers never mix.
/// `again`: they may already be there, from before a crash.
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
    // A spec that was moved away is not created again; one in a worktree has its events here.
    if !spec.main_dir().is_dir() && !spec.exists() {
        return Ok(());
    }
    let mut log = Lines::open(&spec.events_file(), Access::Everybody)?;
    let key = format!("{}.{}", key.seq, key.index);
    let time = rfc3339(announcement.at_ms);
    let written = match again {
        true => {
            // A person's last line may lack its line end.
            log.repair(|line| serde_json::from_slice::<Value>(line).is_ok())?;
            let marks = [&key, &time].map(|mark| format!(":\"{mark}\""));
            log.count(&marks.each_ref().map(String::as_str))?
        }
        false => 0,
    };
    let mut text = String::new();
    for mut line in lines.into_iter().skip(written) {
        line["timestamp"] = time.as_str().into();
        line["level"] = announcement.notice.level().name().into();
        line["key"] = key.as_str().into();
        text.push_str(&line.to_string());
        text.push('\n');
    }
    log.append(&text)
}

/// All lines. A line that another program damaged is skipped, as every reader of this file does.
pub fn read(spec: &Spec) -> io::Result<Vec<Value>> {
    // An agent may have put a link or a pipe there: we do not follow it, and do not wait for it.
    let mut file = match open_plain(&spec.events_file(), OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(parse(&bytes))
}

pub fn parse(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
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
        } => round_ended(*round, *findings, *next),
        Notice::ReviewApproved { rounds } => vec![json!({
            "type": "approval:update",
            "message": format!("Document review approved after {rounds} rounds"),
            "phase": Phase::Review.name(),
            "approved": true,
        })],
        Notice::InspectionEnded { round, verdict } => vec![json!({
            "type": "inspection:complete",
            "message": format!("Inspection {round} completed: {}", verdict.word()),
            "roundNumber": round,
            "result": if *verdict == Verdict::Go { "go" } else { "stop" },
        })],
        Notice::ImplRetry {
            attempt,
            max,
            open,
            because,
        } => {
            let why = match because {
                Because::TasksOpen => format!("{open} incomplete tasks"),
                Because::Verify { name, .. } => format!("the command {name} failed"),
                Because::Phantom => "boxes are ticked, but no file has changed".to_owned(),
            };
            vec![failure(format!("Impl retry ({attempt}/{max}): {why}"))]
        }
        Notice::WorktreeCreated { path, branch, made } => vec![json!({
            "type": "worktree:create",
            "message": match made {
                true => format!("Worktree created: {path} ({branch})"),
                false => format!("Worktree taken over: {path} ({branch})"),
            },
            "worktreePath": path,
            "branch": branch,
        })],
        Notice::NoWorktree { why } => vec![json!({
            "type": "kumite:info",
            "message": format!("Works in the checkout: {why}"),
        })],
        Notice::VerifyStarted { name, agent } => vec![json!({
            "type": "kumite:verify",
            "message": format!("Command {name} started"),
            "name": name,
            "agentId": agent.to_string(),
            "log": verify_log(name, *agent),
        })],
        Notice::VerifyEnded { check, agent } => vec![json!({
            "type": "kumite:verify",
            "message": format!("Command {}: {}", check.name, check.outcome),
            "name": check.name,
            "outcome": check.outcome,
            "seconds": check.ms as f64 / 1000.0,
            "agentId": agent.to_string(),
            "log": verify_log(&check.name, *agent),
        })],
        Notice::Checkpoint { seq } => vec![json!({
            "type": "kumite:checkpoint",
            "message": format!("Checkpoint {seq}"),
            "checkpoint": seq,
        })],
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
        Notice::LimitWaiting { until_ms, words } => vec![json!({
            "type": "kumite:limit",
            "message": format!("Waiting for a usage limit: {words}"),
            "until": rfc3339(*until_ms),
        })],
        Notice::Warned(text) => vec![json!({"type": "kumite:warning", "message": text})],
        Notice::RunEnded { rest, message } => vec![run_ended(*rest, message)],
        Notice::RunQueued(_) | Notice::CheckoutBusy { .. } | Notice::PhaseEnded(_) => Vec::new(),
    }
}

/// The end of a round with its counts, and whether another one follows.
fn round_ended(round: u32, findings: Findings, next: NextAction) -> Vec<Value> {
    let mut lines = vec![json!({
        "type": "review:complete",
        "message": format!(
            "Document review round {round} completed: {} to fix, {} to discuss",
            findings.fix_required, findings.needs_discussion
        ),
        "roundNumber": round,
        "result": review_result(next),
        "nextAction": next.name(),
        "fixRequired": findings.fix_required,
        "needsDiscussion": findings.needs_discussion,
    })];
    if next == NextAction::Continue {
        let following = round.saturating_add(1);
        lines.push(json!({
            "type": "kumite:info",
            "message": format!("Document review continuing to round {following}"),
            "roundNumber": following,
        }));
    }
    lines
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
        Step::Write(_)
        | Step::Reply(_)
        | Step::Implement(_)
        | Step::Fix(_)
        | Step::Merge
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => {}
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

fn run_ended(rest: Rest, message: &str) -> Value {
    let failed = matches!(
        rest,
        Rest::JournalUnreadable | Rest::Halted(Halt::Failed(_))
    );
    let (kind, status) = match rest {
        Rest::Done(_) => ("auto-execution:complete", "completed"),
        Rest::JournalUnreadable | Rest::Halted(Halt::Failed(_)) => {
            ("auto-execution:fail", "failed")
        }
        Rest::Idle
        | Rest::JournalUnwritable
        | Rest::Halted(
            Halt::Waiting(_)
            | Halt::DeployDoubted
            | Halt::Limited { .. }
            | Halt::Stopped(_)
            | Halt::Paused(_),
        ) => ("auto-execution:stop", "stopped"),
    };
    json!({
        "type": kind,
        "message": message,
        "status": status,
        "reason": SpecState::from(rest).reason().map_or("", Reason::word),
        "errorMessage": failed.then_some(message),
    })
}
