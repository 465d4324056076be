//! Contests for the tests, told event by event.

pub use super::words::*;
use crate::contest::{
    By, Contest, Effect, Entry, Event, Failed, Measuring, Notice, Phase, Reason, Rules, Team,
    VERSION, What, decide,
};

/// A running contest, told event by event.
pub struct Play {
    pub contest: Contest,
    pub entries: Vec<Entry>,
    /// The effects of the last event.
    pub effects: Vec<Effect>,
    /// The notices of the last event.
    pub notices: Vec<Notice>,
    pub now_ms: u64,
}

impl Play {
    /// Teams `a`, `b`, and so on begin.
    pub fn start(teams: u32, rules: Rules) -> Play {
        let mut play = Play {
            contest: Contest::default(),
            entries: Vec::new(),
            effects: Vec::new(),
            notices: Vec::new(),
            now_ms: 1_000,
        };
        let teams = entrants(teams);
        play.tell(Event::Started { rules, teams });
        play
    }

    pub fn tell(&mut self, event: Event) -> &mut Play {
        let entry = Entry {
            version: VERSION,
            seq: self.entries.len() as u64 + 1,
            at_ms: self.now_ms,
            event,
        };
        let before = std::mem::take(&mut self.contest);
        let (contest, effects) = decide(before, &entry);
        self.contest = contest;
        (self.effects, self.notices) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Announce(notice) => self.notices.push(notice),
                other => self.effects.push(other),
            }
        }
        self.entries.push(entry);
        self
    }

    pub fn after(&mut self, ms: u64) -> &mut Play {
        self.now_ms += ms;
        self
    }

    pub fn team(&self, team: u32) -> &Team {
        &self.contest.teams[team as usize]
    }

    /// The current try of a submission, a judgment or a save.
    pub fn attempt(&self, team: u32) -> u32 {
        match &self.team(team).phase {
            Phase::Submitting { attempt, .. }
            | Phase::Judging { attempt, .. }
            | Phase::Saving { attempt, .. } => *attempt,
            other => panic!("nothing under way: {other:?}"),
        }
    }

    pub fn hands_in(&mut self, team: u32) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(submitted(team, round, attempt, given()))
    }

    pub fn hands_in_rubbish(&mut self, team: u32) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(submitted(team, round, attempt, malformed()))
    }

    pub fn submit_fails(&mut self, team: u32, failed: Failed) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(submit_failed(team, round, attempt, failed))
    }

    /// Every requested metric gives this score.
    pub fn is_measured(&mut self, team: u32, score: u64) -> &mut Play {
        while let Some((metric, attempt)) = self.open_metric(team) {
            let round = self.team(team).round();
            self.tell(measured(team, round, metric, attempt, found(score)));
        }
        self
    }

    pub fn measure_fails(&mut self, team: u32, failed: Failed) -> &mut Play {
        let (metric, attempt) = self.open_metric(team).unwrap();
        let round = self.team(team).round();
        self.tell(measure_failed(team, round, metric, attempt, failed))
    }

    fn open_metric(&self, team: u32) -> Option<(u32, u32)> {
        let Phase::Measuring { metrics } = &self.team(team).phase else {
            return None;
        };
        (0u32..).zip(metrics).find_map(|(index, it)| match it {
            Measuring::Open { attempt, .. } => Some((index, *attempt)),
            Measuring::Later | Measuring::Found(_) => None,
        })
    }

    pub fn judge_says(&mut self, team: u32, should_continue: bool) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(judged(team, round, attempt, should_continue))
    }

    pub fn judge_fails(&mut self, team: u32, failed: Failed) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(judge_failed(team, round, attempt, failed))
    }

    pub fn is_saved(&mut self, team: u32) -> &mut Play {
        let round = self.team(team).round();
        self.tell(Event::Saved { team, round })
    }

    pub fn save_fails(&mut self, team: u32) -> &mut Play {
        let (round, attempt) = (self.team(team).round(), self.attempt(team));
        self.tell(save_failed(team, round, attempt))
    }

    /// A whole round; the judge, if asked, says to go on.
    pub fn scores(&mut self, team: u32, score: u64) -> &mut Play {
        self.hands_in(team).is_measured(team, score);
        if matches!(self.team(team).phase, Phase::Judging { .. }) {
            self.judge_says(team, true);
        }
        self.is_saved(team)
    }

    pub fn cancel(&mut self) -> &mut Play {
        self.tell(Event::CancelRequested { by: By::User })
    }

    pub fn does(&mut self, effects: &[Effect]) -> &mut Play {
        assert_eq!(self.effects, effects);
        self
    }

    pub fn says(&mut self, notices: &[(Option<u32>, What)]) -> &mut Play {
        let said = self.notices.iter().map(|it| (it.team, it.what.clone()));
        assert_eq!(said.collect::<Vec<_>>(), notices);
        self
    }

    pub fn is_out(&mut self, team: u32, reason: Reason) -> &mut Play {
        let found = self.team(team).exit().map(|exit| exit.reason);
        assert_eq!(found, Some(reason));
        self
    }

    /// Its exit is decided and being saved to the database.
    pub fn leaves(&mut self, team: u32, reason: Reason) -> &mut Play {
        let phase = &self.team(team).phase;
        assert!(matches!(phase, Phase::Saving { .. }), "{phase:?}");
        let found = self.team(team).leaving().map(|exit| exit.reason);
        assert_eq!(found, Some(reason));
        self
    }

    pub fn is_in_round(&mut self, team: u32, round: u32) -> &mut Play {
        let phase = &self.team(team).phase;
        assert!(matches!(phase, Phase::Submitting { .. }), "{phase:?}");
        assert_eq!(self.team(team).round(), round);
        self
    }
}
