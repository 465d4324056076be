//! What the model does for leaders, the evaluator and the judge.
//!
//! Every answer depends only on its request: a leader's on its team and round, the
//! evaluator's on the submission, the judge's on the newest submission in its prompt.

use std::collections::BTreeMap;

use kumite_fake_model::{Act, Rule, Script};
use serde_json::json;

use super::arena::system_of;

const ROUNDS: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Leader,
    Evaluator,
    Judge,
}

/// Without orders every team hands in the text of [`said`], gets 50 points, and is told to go on.
#[derive(Default)]
pub struct Play {
    orders: BTreeMap<(Role, String, u32), Vec<Act>>,
    evaluator: Option<Vec<Act>>,
    judge: Option<Vec<Act>>,
    delay_ms: u64,
}

impl Play {
    pub fn new() -> Play {
        Play::default()
    }

    pub fn leader(self, team: &str, round: u32, acts: Vec<Act>) -> Play {
        self.order(Role::Leader, team, round, acts)
    }

    /// The answer about the submission of that round.
    pub fn evaluator(self, team: &str, round: u32, acts: Vec<Act>) -> Play {
        self.order(Role::Evaluator, team, round, acts)
    }

    pub fn judge(self, team: &str, round: u32, acts: Vec<Act>) -> Play {
        self.order(Role::Judge, team, round, acts)
    }

    /// The answer about all other submissions.
    pub fn evaluates(mut self, acts: Vec<Act>) -> Play {
        self.evaluator = Some(acts);
        self
    }

    pub fn judges(mut self, acts: Vec<Act>) -> Play {
        self.judge = Some(acts);
        self
    }

    /// The scores of a team, round by round.
    pub fn scores(self, team: &str, scores: &[f64]) -> Play {
        let each = (1u32..).zip(scores);
        each.fold(self, |play, (round, points)| {
            play.evaluator(team, round, vec![score(*points)])
        })
    }

    /// How long every answer takes.
    pub fn delay_ms(mut self, delay_ms: u64) -> Play {
        self.delay_ms = delay_ms;
        self
    }

    fn order(mut self, role: Role, team: &str, round: u32, acts: Vec<Act>) -> Play {
        self.orders.insert((role, team.to_owned(), round), acts);
        self
    }

    pub fn script(&self, teams: &[String]) -> Script {
        let mut rules = Vec::new();
        for team in teams {
            // The judge sees all rounds so far, so the rules for the newest round come first.
            for round in (1..=ROUNDS).rev() {
                for role in [Role::Leader, Role::Evaluator, Role::Judge] {
                    rules.push(self.rule(role, team, round));
                }
            }
        }
        for role in [Role::Evaluator, Role::Judge] {
            rules.push(Rule {
                when: String::new(),
                beside: mark(role).to_owned(),
                acts: self.otherwise(role),
            });
        }
        Script {
            rules,
            delay_ms: self.delay_ms,
            without_tools: true,
            ..Script::default()
        }
    }

    fn rule(&self, role: Role, team: &str, round: u32) -> Rule {
        let ordered = self.orders.get(&(role, team.to_owned(), round)).cloned();
        match role {
            Role::Leader => Rule {
                when: format!("This is round {round} of at most"),
                beside: system_of(team),
                acts: ordered.unwrap_or_else(|| vec![say(&said(team, round))]),
            },
            Role::Evaluator | Role::Judge => Rule {
                when: said(team, round),
                beside: mark(role).to_owned(),
                acts: ordered.unwrap_or_else(|| self.otherwise(role)),
            },
        }
    }

    fn otherwise(&self, role: Role) -> Vec<Act> {
        let acts = match role {
            Role::Leader => None,
            Role::Evaluator => self.evaluator.clone().or_else(|| Some(vec![score(50.0)])),
            Role::Judge => self.judge.clone().or_else(|| Some(vec![goes_on()])),
        };
        acts.unwrap_or_default()
    }
}

/// A text in the schema of this role's answers, and nowhere else.
pub fn mark(role: Role) -> &'static str {
    match role {
        Role::Leader => "",
        Role::Evaluator => "evaluator_comment",
        Role::Judge => "should_continue",
    }
}

/// The submission of a team in a round.
pub fn said(team: &str, round: u32) -> String {
    format!("{team} round {round}.")
}

pub fn say(text: &str) -> Act {
    let text = text.to_owned();
    Act::Say { text }
}

pub fn score(points: f64) -> Act {
    let value = json!({"score": points, "evaluator_comment": format!("worth {points}")});
    Act::Result { value }
}

pub fn goes_on() -> Act {
    verdict(true, "there is more to gain", 0.75)
}

pub fn stops() -> Act {
    verdict(false, "nothing more to gain", 0.9)
}

pub fn verdict(should_continue: bool, reasoning: &str, confidence_score: f64) -> Act {
    let value = json!({
        "should_continue": should_continue,
        "reasoning": reasoning,
        "confidence_score": confidence_score,
    });
    Act::Result { value }
}

pub fn error(status: u16) -> Act {
    let message = "it is broken".to_owned();
    Act::Error {
        status,
        message,
        times: None,
    }
}

pub fn once(act: Act) -> Act {
    let act = Box::new(act);
    Act::Only { times: 1, act }
}
