//! One team's way through its rounds: submit, measure, judge, save, and once more.

use super::effect::Effect;
use super::event::{Failed, Failure, Judgment, Measure, Submission};
use super::exit::{Exit, Reason};
use super::measure::overall;
use super::retry::{Retry, after_failed_save, after_failure};
use super::rules::Rules;
use super::score::Confidence;
use super::state::{Bound, Limit, Measuring, Phase, Round, Team, Then, Verdict};

/// A team at work, with all that its rules need of the contest.
pub(super) struct At<'a> {
    pub rules: &'a Rules,
    pub index: u32,
    pub team: &'a mut Team,
    pub now_ms: u64,
    /// What is left of the contest's time.
    pub contest_left_ms: u64,
    /// The money is spent: nothing new begins.
    pub is_spent: bool,
    pub effects: &'a mut Vec<Effect>,
}

impl At<'_> {
    pub fn begin_round(&mut self) {
        if self.is_spent {
            return self.leave_for_the_budget();
        }
        let round = Round {
            number: self.team.round() + 1,
            started_ms: self.now_ms,
            ended_ms: None,
            verdict: Verdict::Open,
            judgment: None,
            has_submission: false,
        };
        let number = round.number;
        self.team.rounds.push(round);
        self.effects.push(Effect::Begin {
            team: self.index,
            round: number,
        });
        self.submit(1, 0);
    }

    fn submit(&mut self, attempt: u32, wait_ms: u64) {
        let Some(limit) = self.limit(self.rules.submission_timeout_ms, wait_ms) else {
            return;
        };
        self.clock_in(wait_ms);
        self.team.phase = Phase::Submitting { attempt, limit };
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
        match submission {
            Submission::Given { .. } => {
                self.round().has_submission = true;
                let later = self.rules.metrics.iter().map(|_| Measuring::Later);
                let metrics = later.collect();
                self.team.phase = Phase::Measuring { metrics };
                self.measure_next();
            }
            Submission::Malformed { why } => self.round_failed(why),
        }
    }

    pub fn submit_failed(&mut self, attempt: u32, limit: Limit, failed: &Failed) {
        self.clock_out();
        if failed.failure == Failure::TimedOut {
            let reason = match limit.bound {
                Bound::Own => Reason::SubmissionTimeout,
                Bound::Team => Reason::late(self.team),
                Bound::Contest => Reason::ContestTimeout,
            };
            return self.fail(reason, &failed.why);
        }
        let retry = match failed.failure {
            // Nobody asked for patience with a team whose key is wrong.
            Failure::Lasting => Retry::Never,
            _ => after_failure(attempt, self.rules.submission_retries, failed),
        };
        match retry {
            Retry::After { attempt, wait_ms } => self.submit(attempt, wait_ms),
            Retry::Never => self.fail(Reason::broken(self.team), &failed.why),
        }
    }

    /// Programs first; the others when all of these have spoken and none has vetoed.
    fn measure_next(&mut self) {
        let Phase::Measuring { metrics } = &self.team.phase else {
            return;
        };
        if metrics
            .iter()
            .any(|it| matches!(it, Measuring::Open { .. }))
        {
            return;
        }
        let waiting = |program: bool| {
            let rules = (0u32..).zip(&self.rules.metrics).zip(metrics);
            let due = rules.filter(|((_, metric), it)| {
                metric.is_program == program && **it == Measuring::Later
            });
            due.map(|((index, _), _)| index).collect::<Vec<u32>>()
        };
        let vetoed = metrics
            .iter()
            .any(|it| matches!(it, Measuring::Found(measure) if measure.is_veto));
        let due = match (vetoed, waiting(true)) {
            (true, _) => Vec::new(),
            (false, programs) if programs.is_empty() => waiting(false),
            (false, programs) => programs,
        };
        if due.is_empty() {
            return self.scored();
        }
        for metric in due {
            if !self.measure(metric, 1, 0) {
                return;
            }
        }
    }

    /// False: there is no time left, and the team is out.
    fn measure(&mut self, metric: u32, attempt: u32, wait_ms: u64) -> bool {
        let own = self.rules.metrics[metric as usize].timeout_ms;
        let Some(limit) = self.limit(own, wait_ms) else {
            return false;
        };
        self.clock_in(wait_ms);
        if let Phase::Measuring { metrics } = &mut self.team.phase {
            metrics[metric as usize] = Measuring::Open { attempt, limit };
        }
        self.effects.push(Effect::Measure {
            team: self.index,
            round: self.team.round(),
            metric,
            attempt,
            wait_ms,
            timeout_ms: limit.ms,
        });
        true
    }

    pub fn measured(&mut self, metric: u32, measure: &Measure) {
        if let Phase::Measuring { metrics } = &mut self.team.phase {
            metrics[metric as usize] = Measuring::Found(measure.clone());
        }
        self.measure_next();
    }

    pub fn measure_failed(&mut self, metric: u32, attempt: u32, limit: Limit, failed: &Failed) {
        let rule = &self.rules.metrics[metric as usize];
        let why = format!("{}: {}", rule.name, failed.why);
        if let Some(reason) = self.out_of_time(limit, failed) {
            return self.fail(reason, &why);
        }
        match after_failure(attempt, rule.retries, failed) {
            Retry::After { attempt, wait_ms } => {
                self.measure(metric, attempt, wait_ms);
            }
            Retry::Never => self.fail(Reason::EvaluatorFailure, &why),
        }
    }

    /// All measures are in: D4, step by step.
    fn scored(&mut self) {
        self.clock_out();
        let Phase::Measuring { metrics } = &self.team.phase else {
            return;
        };
        let found = |it: &Measuring| match it {
            Measuring::Found(measure) => Some(measure.clone()),
            Measuring::Later | Measuring::Open { .. } => None,
        };
        let measures: Vec<Option<Measure>> = metrics.iter().map(found).collect();
        let Some(score) = overall(&self.rules.metrics, &measures) else {
            return self.fail(Reason::EvaluatorFailure, "no metric has a weight");
        };
        self.round().verdict = Verdict::Scored { score, measures };
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
        let Some(limit) = self.limit(self.rules.judgment_timeout_ms, wait_ms) else {
            return;
        };
        self.clock_in(wait_ms);
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
        if let Some(reason) = self.out_of_time(limit, failed) {
            return self.leave(reason, Some(failed.why.clone()));
        }
        match after_failure(attempt, self.rules.judge_retries, failed) {
            Retry::After { attempt, wait_ms } => self.judge(attempt, wait_ms),
            Retry::Never => self.weighed(Judgment {
                should_continue: true,
                reasoning: format!("the judge failed, so it goes on: {}", failed.why),
                confidence: Confidence::NONE,
            }),
        }
    }

    /// The judgment stands: what it says is kept, and at the maximum it ends all the same.
    fn weighed(&mut self, mut judgment: Judgment) {
        let is_last = self.is_last();
        judgment.should_continue &= !is_last;
        let goes_on = judgment.should_continue;
        self.round().judgment = Some(judgment);
        match (goes_on, is_last) {
            (true, _) => self.save(Then::NextRound),
            (false, true) => self.leave(Reason::MaxRoundsReached, None),
            (false, false) => self.leave(Reason::NoImprovementExpected, None),
        }
    }

    /// D9: nothing to measure, nothing to judge; the next round is told.
    fn round_failed(&mut self, why: &str) {
        let is_last = self.is_last();
        let round = self.round();
        round.verdict = Verdict::Failed {
            why: why.to_owned(),
        };
        round.judgment = Some(certain(!is_last, format!("the round failed: {why}")));
        if !is_last {
            return self.save(Then::NextRound);
        }
        match self.team.best() {
            Some(_) => self.leave(Reason::MaxRoundsReached, None),
            None => self.leave(Reason::NoValidSubmission, Some(why.to_owned())),
        }
    }

    pub fn save_failed(&mut self, attempt: u32, then: Then, why: &str) {
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
            Retry::Never => {
                self.team.phase = Phase::Out(Exit {
                    reason: Reason::DatabaseFailure,
                    message: Some(why.to_owned()),
                });
            }
        }
    }

    pub fn saved(&mut self, then: Then) {
        self.team.saved = self.team.round();
        match then {
            Then::NextRound => self.begin_round(),
            Then::Exit(exit) => self.team.phase = Phase::Out(exit),
        }
    }

    /// Whoever worked on it is gone: the same once more, with what is left of the time.
    pub fn resume(&mut self) {
        self.team.busy_since_ms = None;
        match self.team.phase.clone() {
            Phase::Queued | Phase::Out(_) => {}
            Phase::Submitting { attempt, .. } => self.submit(attempt, 0),
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
        }
        self.team.phase = Phase::Out(exit);
    }

    /// The round came to nothing, and the team is out.
    fn fail(&mut self, reason: Reason, why: &str) {
        self.clock_out();
        if matches!(self.team.phase, Phase::Measuring { .. }) {
            // The other metrics need not go on.
            self.effects.push(Effect::Halt { team: self.index });
        }
        self.close_round(why);
        self.leave(reason, Some(why.to_owned()));
    }

    fn leave(&mut self, reason: Reason, message: Option<String>) {
        self.save(Then::Exit(Exit { reason, message }));
    }

    fn leave_for_the_budget(&mut self) {
        let reason = match self.team.best() {
            Some(_) => Reason::BudgetReached,
            None => Reason::SubmissionFailure,
        };
        let message = Some("the budget of the contest is spent".to_owned());
        self.leave(reason, message);
    }

    fn save(&mut self, then: Then) {
        if let Some(round) = self.team.rounds.last_mut() {
            round.ended_ms.get_or_insert(self.now_ms);
        }
        self.team.phase = Phase::Saving { attempt: 1, then };
        self.effects.push(Effect::Save {
            team: self.index,
            round: self.team.round(),
            attempt: 1,
            wait_ms: 0,
        });
    }

    fn close_round(&mut self, why: &str) {
        if let Some(round) = self.team.rounds.last_mut()
            && round.verdict == Verdict::Open
        {
            round.verdict = Verdict::Failed {
                why: why.to_owned(),
            };
            round.ended_ms.get_or_insert(self.now_ms);
        }
    }

    /// The time that a try gets. None: there is none left, and the team has been told to go.
    fn limit(&mut self, own_ms: u64, wait_ms: u64) -> Option<Limit> {
        let so_far = self.team.used_ms + self.clock_ms();
        let team = self
            .rules
            .team_timeout_ms
            .map_or(u64::MAX, |all| all.saturating_sub(so_far));
        let contest = self.contest_left_ms.saturating_sub(wait_ms);
        let limits = [
            (own_ms, Bound::Own),
            (team, Bound::Team),
            (contest, Bound::Contest),
        ];
        let (ms, bound) = limits.into_iter().min_by_key(|(ms, _)| *ms)?;
        if ms > 0 {
            return Some(Limit { ms, bound });
        }
        let limit = Limit { ms, bound };
        let reason = self.whose(limit).unwrap_or(Reason::SubmissionTimeout);
        self.fail(reason, "no time was left");
        None
    }

    fn out_of_time(&self, limit: Limit, failed: &Failed) -> Option<Reason> {
        match failed.failure {
            Failure::TimedOut => self.whose(limit),
            Failure::Passing | Failure::Unusable | Failure::Lasting => None,
        }
    }

    /// The end that a limit of the team or of the contest means; none for the limit of one try.
    fn whose(&self, limit: Limit) -> Option<Reason> {
        match limit.bound {
            Bound::Own => None,
            Bound::Team => Some(Reason::late(self.team)),
            Bound::Contest => Some(Reason::ContestTimeout),
        }
    }

    fn is_last(&self) -> bool {
        self.team.round() >= self.rules.rounds_max
    }

    fn round(&mut self) -> &mut Round {
        let last = self.team.rounds.last_mut();
        last.expect("a team at work has a round")
    }

    fn clock_in(&mut self, wait_ms: u64) {
        let from = self.now_ms + wait_ms;
        self.team.busy_since_ms.get_or_insert(from);
    }

    fn clock_ms(&self) -> u64 {
        let since = self.team.busy_since_ms;
        since.map_or(0, |since| self.now_ms.saturating_sub(since))
    }

    fn clock_out(&mut self) {
        self.team.used_ms += self.clock_ms();
        self.team.busy_since_ms = None;
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
