//! One team's way through its rounds: submit, measure, judge, save, and again.

use super::agents::Agents;
use super::effect::Effect;
use super::event::{Failed, Failure, Judgment, Measure, Submission};
use super::exit::Reason;
use super::notice::{Notice, Part, What};
use super::retry::{Retry, after_failure};
use super::rules::Rules;
use super::score::{Confidence, Score};
use super::state::{Bound, Limit, Measuring, Phase, Round, Team, Then, Verdict};

pub(super) const NO_TIME: &str = "no time was left";

/// A team at work, with everything about the contest that its rules need.
pub(super) struct TeamAtWork<'a> {
    pub rules: &'a Rules,
    pub index: u32,
    pub team: &'a mut Team,
    /// The wall-clock time, for the rows.
    pub now_ms: u64,
    /// The contest's own clock, for everything that is counted.
    pub clock_ms: u64,
    /// The remaining time of the contest.
    pub contest_left_ms: u64,
    /// Set if money is spent, with the name of the budget: nothing new begins.
    pub spent: Option<&'static str>,
    pub effects: &'a mut Vec<Effect>,
}

impl TeamAtWork<'_> {
    pub fn tell(&mut self, what: What) {
        let team = Some(self.index);
        self.effects.push(Effect::Announce(Notice { team, what }));
    }

    /// A try came to nothing.
    pub fn tell_trouble(&mut self, part: Part, attempt: u32, why: &str) {
        self.tell(What::Trouble {
            round: self.team.round(),
            part,
            attempt,
            why: why.to_owned(),
        });
    }

    pub fn begin_round(&mut self) {
        if let Some(spent) = self.spent {
            return self.leave_for_the_budget(spent);
        }
        if let Err(reason) = self.limit(self.rules.submission_timeout_ms, 0) {
            return self.leave(reason, Some(NO_TIME.to_owned()));
        }
        let round = Round {
            number: self.team.round() + 1,
            started_ms: self.now_ms,
            ended_ms: None,
            verdict: Verdict::Open,
            judgment: None,
            has_submission: false,
        };
        self.team.rounds.push(round);
        self.tell(What::RoundStarted {
            round: self.team.round(),
        });
        self.record_start();
        self.submit(1, 0);
    }

    fn record_start(&mut self) {
        self.effects.push(Effect::Begin {
            team: self.index,
            round: self.team.round(),
        });
    }

    pub fn submit(&mut self, attempt: u32, wait_ms: u64) {
        let limit = match self.limit(self.rules.submission_timeout_ms, wait_ms) {
            Ok(limit) => limit,
            Err(reason) => return self.fail(reason, NO_TIME),
        };
        self.clock_in(self.clock_ms.saturating_add(wait_ms));
        self.team.phase = Phase::Submitting {
            attempt,
            limit,
            agents: Agents::default(),
        };
        self.effects.push(Effect::Submit {
            team: self.index,
            round: self.team.round(),
            attempt,
            wait_ms,
            timeout_ms: limit.ms,
        });
    }

    pub fn submitted(&mut self, submission: &Submission) {
        self.clock_out();
        self.tell(What::Submitted {
            round: self.team.round(),
        });
        match submission {
            Submission::Given { .. } => {
                if let Some(round) = self.team.rounds.last_mut() {
                    round.has_submission = true;
                }
                self.evaluate();
            }
            Submission::Malformed { why } => self.round_failed(why),
        }
    }

    pub fn submit_failed(&mut self, attempt: u32, limit: Limit, failed: &Failed) {
        self.clock_out();
        self.tell_trouble(Part::Submission, attempt, &failed.why);
        if failed.failure == Failure::TimedOut {
            let reason = match limit.bound {
                Bound::Own => Reason::SubmissionTimeout,
                Bound::Team => Reason::late(self.team),
                Bound::Contest => Reason::ContestTimeout,
            };
            return self.fail(reason, &whose_time(limit, &failed.why));
        }
        let retry = match failed.failure {
            // A wrong key or a missing program will not be better next time.
            Failure::Lasting => Retry::Never,
            _ => after_failure(attempt, self.retries(), failed),
        };
        match retry {
            Retry::After { attempt, wait_ms } => self.submit(attempt, wait_ms),
            Retry::Never => self.fail(Reason::broken(self.team), &failed.why),
        }
    }

    fn retries(&self) -> u32 {
        let all = self.rules.submission_retries;
        self.team.retries.map_or(all, |own| own.min(all))
    }

    /// The round has its score: D4, step by step.
    pub fn scored(&mut self, score: Score, measures: Vec<Option<Measure>>) {
        if let Some(round) = self.team.rounds.last_mut() {
            round.verdict = Verdict::Scored { score, measures };
        }
        self.tell(What::RoundScored {
            round: self.team.round(),
            score,
            rank: None,
        });
        let (round, min) = (self.team.round(), self.rules.rounds_min);
        if round < min {
            let why = format!("round {round} of at least {min}: goes on without a judge");
            return self.weighed(certain(true, why));
        }
        if self.is_last() && !self.rules.judge_on_final_round {
            let why = format!("round {round} is the last one: ends without a judge");
            return self.weighed(certain(false, why));
        }
        self.judge(1, 0);
    }

    fn judge(&mut self, attempt: u32, wait_ms: u64) {
        let limit = match self.limit(self.rules.judgment_timeout_ms, wait_ms) {
            Ok(limit) => limit,
            Err(reason) => return self.no_time_to_judge(reason, NO_TIME),
        };
        self.clock_in(self.clock_ms.saturating_add(wait_ms));
        self.team.phase = Phase::Judging { attempt, limit };
        self.effects.push(Effect::Judge {
            team: self.index,
            round: self.team.round(),
            attempt,
            wait_ms,
            timeout_ms: limit.ms,
        });
    }

    pub fn judged(&mut self, judgment: &Judgment) {
        self.clock_out();
        self.weighed(judgment.clone());
    }

    /// D9: a judge that cannot be asked means "go on". The maximum still holds.
    pub fn judge_failed(&mut self, attempt: u32, limit: Limit, failed: &Failed) {
        self.clock_out();
        self.tell_trouble(Part::Judge, attempt, &failed.why);
        if let Some(reason) = self.out_of_time(limit, failed) {
            return self.no_time_to_judge(reason, &whose_time(limit, &failed.why));
        }
        match after_failure(attempt, self.rules.judge_retries, failed) {
            Retry::After { attempt, wait_ms } => self.judge(attempt, wait_ms),
            Retry::Never => self.weighed(no_judgment(&failed.why, self.is_last())),
        }
    }

    /// A team that has played all rounds is not late: only the judge was missing.
    fn no_time_to_judge(&mut self, reason: Reason, why: &str) {
        match self.is_last() {
            true => self.weighed(no_judgment(why, true)),
            false => self.leave(reason, Some(why.to_owned())),
        }
    }

    /// Applies the judgment. It is recorded, but in the last round the team ends in any case.
    fn weighed(&mut self, mut judgment: Judgment) {
        let is_last = self.is_last();
        judgment.should_continue &= !is_last;
        let goes_on = judgment.should_continue;
        self.keep_judgment(judgment);
        match (goes_on, is_last) {
            (true, _) => self.save(Then::NextRound),
            (false, true) => self.leave(Reason::MaxRoundsReached, None),
            (false, false) => self.leave(Reason::NoImprovementExpected, None),
        }
    }

    fn keep_judgment(&mut self, judgment: Judgment) {
        if let Some(round) = self.team.rounds.last_mut() {
            round.judgment = Some(judgment.clone());
        }
        let round = self.team.round();
        self.tell(What::Judged { round, judgment });
    }

    /// D9: nothing to measure, nothing to judge; the next round is told.
    fn round_failed(&mut self, why: &str) {
        let is_last = self.is_last();
        self.close_round(why);
        self.keep_judgment(certain(!is_last, format!("the round failed: {why}")));
        if !is_last {
            return self.save(Then::NextRound);
        }
        match self.team.best() {
            Some(_) => self.leave(Reason::MaxRoundsReached, None),
            None => self.leave(Reason::NoValidSubmission, Some(why.to_owned())),
        }
    }

    /// The process that worked for this team is gone: repeats its work, in the time that is left.
    pub fn resume(&mut self) {
        // Work since the last entry is lost, and is not charged.
        self.team.busy_since_ms = None;
        // The database may have been lost or replaced meanwhile, so all rows are written again.
        self.team.saved = 0;
        if let Phase::Submitting { .. } | Phase::Measuring { .. } | Phase::Judging { .. } =
            self.team.phase
        {
            self.record_start();
        }
        match self.team.phase.clone() {
            Phase::Queued | Phase::Out(_) => {}
            Phase::Submitting {
                attempt,
                limit,
                agents,
            } => self.submit_again(attempt, limit, agents),
            Phase::Judging { attempt, .. } => self.judge(attempt, 0),
            Phase::Measuring { metrics } => {
                for (index, it) in (0u32..).zip(metrics) {
                    if let Measuring::Open { attempt, .. } = it
                        && !self.measure(index, attempt, 0)
                    {
                        return;
                    }
                }
            }
            Phase::Saving { attempt, .. } => self.effects.push(Effect::Save {
                team: self.index,
                round: self.team.round(),
                attempt,
                wait_ms: 0,
            }),
        }
    }

    fn is_last(&self) -> bool {
        self.team.round() >= self.rules.rounds_max
    }
}

/// For a person: which time limit ran out.
pub(super) fn whose_time(limit: Limit, why: &str) -> String {
    match limit.bound {
        Bound::Own => why.to_owned(),
        Bound::Team => format!("the team's time is used up: {why}"),
        Bound::Contest => format!("the contest's time is used up: {why}"),
    }
}

/// D9: the judgment that is recorded if the judge could not be asked.
fn no_judgment(why: &str, is_last: bool) -> Judgment {
    let so = if is_last {
        ""
    } else {
        ", which means to go on"
    };
    Judgment {
        should_continue: true,
        reasoning: format!("the judge failed{so}: {why}"),
        confidence: Confidence::NONE,
    }
}

/// A judgment that needs no judge.
fn certain(should_continue: bool, reasoning: String) -> Judgment {
    Judgment {
        should_continue,
        reasoning,
        confidence: Confidence::FULL,
    }
}
