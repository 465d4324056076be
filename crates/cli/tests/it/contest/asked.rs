//! What the model was asked: by which role, for which team, in which round.

use serde_json::Value;

use super::arena::{Arena, system_of};
use super::play::{Role, mark, said};
use crate::world::{lines, text};

/// One request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub role: Role,
    pub team: String,
    pub round: u32,
    pub system: String,
    pub prompt: String,
    /// How many messages came with the prompt, besides the system text.
    pub messages: usize,
}

impl Arena {
    /// All requests so far, in order.
    pub fn asked(&self) -> Vec<Asked> {
        let log = std::fs::read_to_string(self.world.path("requests.jsonl"));
        let log = log.unwrap_or_default();
        let end = log.rfind('\n').map_or(0, |end| end + 1);
        let requests = lines(&log[..end]);
        requests.iter().map(|it| self.read(&it["body"])).collect()
    }

    /// The requests of one role, for a team and a round.
    pub fn asked_of(&self, role: Role, team: &str, round: u32) -> Vec<Asked> {
        let is_it = |it: &Asked| it.role == role && it.team == team && it.round == round;
        self.asked().into_iter().filter(is_it).collect()
    }

    pub fn count(&self, role: Role, team: &str, round: u32) -> usize {
        self.asked_of(role, team, round).len()
    }

    /// `[leader, evaluator, judge]`, for all teams and rounds.
    pub fn counts(&self) -> [usize; 3] {
        let asked = self.asked();
        [Role::Leader, Role::Evaluator, Role::Judge]
            .map(|role| asked.iter().filter(|it| it.role == role).count())
    }

    /// The prompt of a leader.
    pub fn prompt(&self, team: &str, round: u32) -> String {
        let mut asked = self.asked_of(Role::Leader, team, round);
        let asked = asked.pop();
        asked
            .unwrap_or_else(|| panic!("{team} had no round {round}"))
            .prompt
    }

    fn read(&self, body: &Value) -> Asked {
        let messages = body["messages"].as_array().unwrap();
        let of = |role: &str| {
            let found = messages.iter().rfind(|message| message["role"] == role);
            found
                .map(|message| text(&message["content"]))
                .unwrap_or_default()
        };
        let (system, prompt) = (of("system"), of("user"));
        let tools = body["tools"].to_string();
        let is = |role: &Role| tools.contains(mark(*role));
        let role = [Role::Evaluator, Role::Judge].into_iter().find(is);
        let role = role.unwrap_or(Role::Leader);
        let (team, round) = match role {
            Role::Leader => (self.leader_of(&system), round_of(&prompt)),
            Role::Evaluator | Role::Judge => self.newest_said(&prompt),
        };
        Asked {
            role,
            team,
            round,
            messages: messages.iter().filter(|it| it["role"] != "system").count(),
            system,
            prompt,
        }
    }

    fn leader_of(&self, system: &str) -> String {
        let teams = self.teams().iter();
        let mut of = teams.filter(|team| system.contains(&system_of(team)));
        of.next().cloned().unwrap_or_default()
    }

    /// The newest submission that a text mentions.
    fn newest_said(&self, prompt: &str) -> (String, u32) {
        let all = (1..=10u32).rev().flat_map(|round| {
            let teams = self.teams().iter();
            teams.map(move |team| (team.clone(), round))
        });
        let mut told = all.filter(|(team, round)| prompt.contains(&said(team, *round)));
        told.next().unwrap_or_default()
    }
}

fn round_of(prompt: &str) -> u32 {
    let after = prompt.split("This is round ").nth(1).unwrap_or_default();
    let number = after.split_whitespace().next().unwrap_or_default();
    number.parse().unwrap_or(0)
}
