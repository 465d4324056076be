//! The notices of a contest: as JSON for programs, and as messages for people who are not looking.

use kumite_core::contest::{Contest, End, Fate, Notice, What};
use kumite_core::notice::Level;
use kumite_project::clock::rfc3339;
use kumite_project::notify::Message;
use kumite_project::toast::{Toast, ToastLevel};
use serde_json::{Value, json};

/// A notice with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub at_ms: u64,
    /// The number of the team that it is about.
    pub team: Option<u32>,
    pub what: What,
}

impl News {
    pub fn new(at_ms: u64, notice: Notice) -> News {
        let Notice { team, what } = notice;
        News { at_ms, team, what }
    }

    /// One object a line (contract).
    pub fn to_json(&self, id: &str, contest: &Contest) -> Value {
        let (kind, mut fields) = fields(&self.what);
        fields["time"] = json!(rfc3339(self.at_ms));
        fields["type"] = json!(kind);
        fields["execution_id"] = json!(id);
        if let Some(team) = self.team.and_then(|team| contest.teams.get(team as usize)) {
            fields["team_id"] = json!(team.id);
            fields["team_name"] = json!(team.name);
        }
        fields
    }

    /// One line of news: the same, with what the page shows for a moment.
    pub fn to_news(&self, id: &str, contest: &Contest) -> Value {
        Toast::add_to(toast(&self.what), self.to_json(id, contest))
    }

    /// What people hear who are not looking (B4). None: they need not know.
    pub fn message(&self, id: &str, contest: &Contest) -> Option<Message> {
        let (text, level, is_urgent) = match &self.what {
            What::ContestEnded { end, winner } => {
                let level = match end {
                    End::Done | End::Cancelled => Level::Info,
                    End::Failed => Level::Error,
                };
                let won = winner.as_ref();
                let won = won.map(|(team, score)| format!(": {team} won with {score}"));
                let text = format!("contest {}{}", end.name(), won.unwrap_or_default());
                (text, level, true)
            }
            What::TeamEnded {
                reason, message, ..
            } => {
                let level = match reason.fate() {
                    Fate::Done => return None,
                    Fate::Failed | Fate::Disqualified => Level::Warn,
                };
                let team = self.team.and_then(|team| contest.teams.get(team as usize));
                let name = team.map_or("a team", |team| team.name.as_str());
                let why = message.as_ref().map(|why| format!(": {why}"));
                let reason = reason.name().replace('_', " ");
                let text = format!("{name} is out, {reason}{}", why.unwrap_or_default());
                (text, level, false)
            }
            What::ContestStarted { .. }
            | What::ContestResumed
            | What::RoundStarted { .. }
            | What::Submitted { .. }
            | What::RoundScored { .. }
            | What::RoundFailed { .. }
            | What::Judged { .. }
            | What::Trouble { .. } => return None,
        };
        Some(Message {
            title: id.to_owned(),
            text,
            level,
            is_urgent,
            json: self.to_json(id, contest),
        })
    }
}

/// None: the pages show it, and that is enough.
fn toast(what: &What) -> Option<Toast> {
    match what {
        What::ContestStarted { teams, .. } => {
            let text = format!("started with {teams} teams");
            Some(Toast::new(ToastLevel::Info, &text))
        }
        What::ContestEnded { end, winner } => {
            let level = match end {
                End::Done => ToastLevel::Good,
                End::Failed | End::Cancelled => ToastLevel::Warn,
            };
            let won = winner.as_ref();
            let won = won.map(|(team, score)| format!("{team} wins with {score}"));
            let won = won.as_deref().unwrap_or("nobody wins");
            Some(Toast::new(level, &format!("{}: {won}", end.name())))
        }
        What::ContestResumed
        | What::RoundStarted { .. }
        | What::Submitted { .. }
        | What::RoundScored { .. }
        | What::RoundFailed { .. }
        | What::Judged { .. }
        | What::Trouble { .. }
        | What::TeamEnded { .. } => None,
    }
}

fn fields(what: &What) -> (&'static str, Value) {
    match what {
        What::ContestStarted { teams, rounds_max } => (
            "contest_started",
            json!({ "teams": teams, "rounds_max": rounds_max }),
        ),
        What::ContestResumed => ("contest_resumed", json!({})),
        What::RoundStarted { round } => ("round_started", json!({ "round": round })),
        What::Submitted { round } => ("submitted", json!({ "round": round })),
        What::RoundScored { round, score, rank } => (
            "round_scored",
            json!({ "round": round, "score": score.as_f64(), "rank": rank }),
        ),
        What::RoundFailed { round, why } => {
            ("round_failed", json!({ "round": round, "message": why }))
        }
        What::Judged { round, judgment } => (
            "judged",
            json!({
                "round": round,
                "should_continue": judgment.should_continue,
                "reasoning": judgment.reasoning,
                "confidence_score": judgment.confidence.as_f64(),
            }),
        ),
        What::Trouble {
            round,
            part,
            attempt,
            why,
        } => (
            "trouble",
            json!({ "round": round, "part": part.name(), "attempt": attempt, "message": why }),
        ),
        What::TeamEnded {
            reason,
            message,
            best,
        } => (
            "team_ended",
            json!({
                "state": reason.fate().name(),
                "exit_reason": reason.name(),
                "message": message,
                "score": best.map(|(score, _)| score.as_f64()),
                "round": best.map(|(_, round)| round),
            }),
        ),
        What::ContestEnded { end, winner } => (
            "contest_ended",
            json!({
                "state": end.name(),
                "winner": winner.as_ref().map(|(team, _)| team),
                "score": winner.as_ref().map(|(_, score)| score.as_f64()),
            }),
        ),
    }
}
