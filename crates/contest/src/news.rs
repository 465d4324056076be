//! What happens in a contest, for people and programs that follow it.

use kumite_core::contest::board::{standings, winner};
use kumite_core::contest::{Contest, Entry, Event, Failed, Round, Team, Verdict};
use kumite_host::clock::rfc3339;
use serde_json::{Value, json};

use crate::view;

/// One piece of news.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub at_ms: u64,
    /// The number of the team that it is about.
    pub team: Option<u32>,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    ContestStarted {
        teams: usize,
        rounds_max: u32,
    },
    ContestResumed,
    RoundStarted {
        round: u32,
    },
    Submitted {
        round: u32,
    },
    RoundScored {
        round: u32,
        score: f64,
        rank: Option<u32>,
    },
    RoundFailed {
        round: u32,
        why: String,
    },
    /// D4: said by the judge, or clear without one.
    Judged {
        round: u32,
        should_continue: bool,
        reasoning: String,
        confidence: f64,
    },
    /// A try came to nothing. Whether there is another one is seen in what follows.
    Trouble {
        round: u32,
        part: &'static str,
        attempt: u32,
        why: String,
    },
    TeamEnded {
        state: &'static str,
        reason: &'static str,
        message: Option<String>,
        score: Option<f64>,
        round: Option<u32>,
    },
    ContestEnded {
        state: &'static str,
        winner: Option<String>,
        score: Option<f64>,
    },
}

/// Turns entries into news by comparing each team with how it was before.
#[derive(Debug, Default)]
pub struct Reporter {
    teams: Vec<Seen>,
    ended: bool,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    round: u32,
    verdict: bool,
    judged: bool,
    out: bool,
}

impl Reporter {
    /// What is known before the first entry is not news.
    pub fn new(contest: &Contest) -> Reporter {
        Reporter {
            teams: contest.teams.iter().map(Seen::of).collect(),
            ended: contest.is_ended(),
        }
    }

    pub fn report(&mut self, entry: &Entry, contest: &Contest) -> Vec<News> {
        let mut all = Vec::new();
        let mut tell = |team, what| {
            all.push(News {
                at_ms: entry.at_ms,
                team,
                what,
            });
        };
        if let Some((team, what)) = said(&entry.event) {
            tell(team, what);
        }
        self.teams.resize(contest.teams.len(), Seen::default());
        for (index, (team, seen)) in (0u32..).zip(contest.teams.iter().zip(&mut self.teams)) {
            for what in seen.changes(contest, index, team) {
                tell(Some(index), what);
            }
            *seen = Seen::of(team);
        }
        if contest.is_ended() && !self.ended {
            self.ended = true;
            tell(None, ended(contest));
        }
        all
    }
}

impl Seen {
    fn of(team: &Team) -> Seen {
        let last = team.rounds.last();
        Seen {
            round: team.round(),
            verdict: last.is_some_and(|round| round.verdict != Verdict::Open),
            judged: last.is_some_and(|round| round.judgment.is_some()),
            out: team.exit().is_some(),
        }
    }

    fn changes(&self, contest: &Contest, index: u32, team: &Team) -> Vec<What> {
        let mut news = Vec::new();
        for round in &team.rounds {
            let number = round.number;
            if number < self.round {
                continue;
            }
            let old = number == self.round;
            if !old {
                news.push(What::RoundStarted { round: number });
            }
            if !(old && self.verdict) {
                news.extend(verdict(contest, index, round));
            }
            if !(old && self.judged) {
                news.extend(judged(round));
            }
        }
        if let (false, Some(exit)) = (self.out, team.exit()) {
            let best = team.best();
            news.push(What::TeamEnded {
                state: exit.reason.fate().name(),
                reason: exit.reason.name(),
                message: exit.message.clone(),
                score: best.and_then(Round::score).map(|score| score.as_f64()),
                round: best.map(|round| round.number),
            });
        }
        news
    }
}

fn said(event: &Event) -> Option<(Option<u32>, What)> {
    let trouble = |team: u32, round, part, attempt, failed: &Failed| {
        let why = failed.why.clone();
        let what = What::Trouble {
            round,
            part,
            attempt,
            why,
        };
        Some((Some(team), what))
    };
    match event {
        Event::Started { rules, teams } => {
            let (teams, rounds_max) = (teams.len(), rules.rounds_max);
            Some((None, What::ContestStarted { teams, rounds_max }))
        }
        Event::Resumed => Some((None, What::ContestResumed)),
        Event::Submitted { team, round, .. } => {
            let round = *round;
            Some((Some(*team), What::Submitted { round }))
        }
        Event::SubmitFailed {
            team,
            round,
            attempt,
            failed,
            ..
        } => trouble(*team, *round, "submission", *attempt, failed),
        Event::MeasureFailed {
            team,
            round,
            attempt,
            failed,
            ..
        } => trouble(*team, *round, "evaluator", *attempt, failed),
        Event::JudgeFailed {
            team,
            round,
            attempt,
            failed,
            ..
        } => trouble(*team, *round, "judge", *attempt, failed),
        Event::SaveFailed {
            team,
            round,
            attempt,
            why,
        } => {
            let what = What::Trouble {
                round: *round,
                part: "database",
                attempt: *attempt,
                why: why.clone(),
            };
            Some((Some(*team), what))
        }
        Event::SummaryFailed { attempt, why } => {
            let what = What::Trouble {
                round: 0,
                part: "database",
                attempt: *attempt,
                why: why.clone(),
            };
            Some((None, what))
        }
        Event::Measured { .. }
        | Event::Judged { .. }
        | Event::Saved { .. }
        | Event::SummarySaved
        | Event::CancelRequested { .. } => None,
    }
}

fn verdict(contest: &Contest, index: u32, round: &Round) -> Option<What> {
    match &round.verdict {
        Verdict::Open => None,
        Verdict::Scored { score, .. } => {
            let lines = standings(contest);
            let line = lines.iter().find(|line| line.team == index);
            Some(What::RoundScored {
                round: round.number,
                score: score.as_f64(),
                rank: line.and_then(|line| line.rank),
            })
        }
        Verdict::Failed { why } => Some(What::RoundFailed {
            round: round.number,
            why: why.clone(),
        }),
    }
}

fn judged(round: &Round) -> Option<What> {
    let judgment = round.judgment.as_ref()?;
    Some(What::Judged {
        round: round.number,
        should_continue: judgment.should_continue,
        reasoning: judgment.reasoning.clone(),
        confidence: judgment.confidence.as_f64(),
    })
}

fn ended(contest: &Contest) -> What {
    let winner = winner(contest).map(|team| &contest.teams[team as usize]);
    let best = winner.and_then(Team::best).and_then(Round::score);
    What::ContestEnded {
        state: view::state(contest, false).word(),
        winner: winner.map(|team| team.id.clone()),
        score: best.map(|score| score.as_f64()),
    }
}

impl News {
    /// One object a line.
    pub fn to_json(&self, id: &str, contest: &Contest) -> Value {
        let (kind, mut fields) = match &self.what {
            What::ContestStarted { teams, rounds_max } => (
                "contest_started",
                json!({ "teams": teams, "rounds_max": rounds_max }),
            ),
            What::ContestResumed => ("contest_resumed", json!({})),
            What::RoundStarted { round } => ("round_started", json!({ "round": round })),
            What::Submitted { round } => ("submitted", json!({ "round": round })),
            What::RoundScored { round, score, rank } => (
                "round_scored",
                json!({ "round": round, "score": score, "rank": rank }),
            ),
            What::RoundFailed { round, why } => {
                ("round_failed", json!({ "round": round, "message": why }))
            }
            What::Judged {
                round,
                should_continue,
                reasoning,
                confidence,
            } => (
                "judged",
                json!({
                    "round": round,
                    "should_continue": should_continue,
                    "reasoning": reasoning,
                    "confidence_score": confidence,
                }),
            ),
            What::Trouble {
                round,
                part,
                attempt,
                why,
            } => (
                "trouble",
                json!({ "round": round, "part": part, "attempt": attempt, "message": why }),
            ),
            What::TeamEnded {
                state,
                reason,
                message,
                score,
                round,
            } => (
                "team_ended",
                json!({
                    "state": state,
                    "exit_reason": reason,
                    "message": message,
                    "score": score,
                    "round": round,
                }),
            ),
            What::ContestEnded {
                state,
                winner,
                score,
            } => (
                "contest_ended",
                json!({ "state": state, "winner": winner, "score": score }),
            ),
        };
        fields["time"] = json!(rfc3339(self.at_ms));
        fields["type"] = json!(kind);
        fields["execution_id"] = json!(id);
        if let Some(team) = self.team.and_then(|team| contest.teams.get(team as usize)) {
            fields["team_id"] = json!(team.id);
            fields["team_name"] = json!(team.name);
        }
        fields
    }
}
