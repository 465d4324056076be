//! How a round and a team come to their end, and into the database.

use super::effect::Effect;
use super::exit::{Exit, Reason};
use super::notice::{Part, What};
use super::retry::{Retry, after_failed_save};
use super::state::{Phase, Then, Verdict};
use super::team::TeamAtWork;

impl TeamAtWork<'_> {
    pub fn save_failed(&mut self, attempt: u32, then: Then, why: &str) {
        self.tell_trouble(Part::Database, attempt, why);
        match after_failed_save(attempt) {
            Retry::After { attempt, wait_ms } => {
                self.team.phase = Phase::Saving { attempt, then };
                self.effects.push(Effect::Save {
                    team: self.index,
                    round: self.team.round(),
                    attempt,
                    wait_ms,
                });
            }
            Retry::Never => self.end(Exit {
                reason: Reason::DatabaseFailure,
                message: Some(why.to_owned()),
            }),
        }
    }

    pub fn saved(&mut self, then: Then) {
        self.team.saved = self.team.round();
        match then {
            Then::NextRound => self.begin_round(),
            Then::Exit(exit) => self.end(exit),
        }
    }

    fn end(&mut self, exit: Exit) {
        self.tell(What::TeamEnded {
            reason: exit.reason,
            message: exit.message.clone(),
            best: self.team.best_score(),
        });
        self.team.phase = Phase::Out(exit);
    }

    pub fn cancel(&mut self) {
        self.clock_out();
        let exit = match self.team.leaving() {
            Some(exit) => exit.clone(),
            None => Exit {
                reason: Reason::Cancelled,
                message: None,
            },
        };
        if self.team.exit().is_none() {
            self.effects.push(Effect::Halt { team: self.index });
            self.close_round("cancelled");
            self.end(exit);
        }
    }

    /// The round came to nothing, and the team is out.
    pub fn fail(&mut self, reason: Reason, why: &str) {
        self.clock_out();
        if matches!(self.team.phase, Phase::Measuring { .. }) {
            // The other metrics need not go on.
            self.effects.push(Effect::Halt { team: self.index });
        }
        self.close_round(why);
        self.leave(reason, Some(why.to_owned()));
    }

    pub fn leave(&mut self, reason: Reason, message: Option<String>) {
        self.save(Then::Exit(Exit { reason, message }));
    }

    pub fn leave_for_the_budget(&mut self, spent: &str) {
        let reason = match self.team.best() {
            Some(_) => Reason::BudgetReached,
            None => Reason::SubmissionFailure,
        };
        self.leave(reason, Some(spent.to_owned()));
    }

    pub fn save(&mut self, then: Then) {
        self.end_round();
        self.team.phase = Phase::Saving { attempt: 1, then };
        self.effects.push(Effect::Save {
            team: self.index,
            round: self.team.round(),
            attempt: 1,
            wait_ms: 0,
        });
    }

    pub fn close_round(&mut self, why: &str) {
        if let Some(round) = self.team.rounds.last_mut()
            && round.verdict == Verdict::Open
        {
            let why = why.to_owned();
            round.verdict = Verdict::Failed { why: why.clone() };
            let round = round.number;
            self.tell(What::RoundFailed { round, why });
        }
        self.end_round();
    }

    pub fn end_round(&mut self) {
        if let Some(round) = self.team.rounds.last_mut() {
            // The clock on the wall may have been set back.
            let ended_ms = self.now_ms.max(round.started_ms);
            round.ended_ms.get_or_insert(ended_ms);
        }
    }
}
