//! The evaluation of a submission: the order of the metrics, and how their results become one
//! score.

use super::effect::Effect;
use super::event::{Failed, Measure};
use super::exit::Reason;
use super::notice::Part;
use super::retry::{Retry, after_failure};
use super::rules::Metric;
use super::score::Score;
use super::state::{Limit, Measuring, Phase};
use super::team::{NO_TIME, TeamAtWork, whose_time};

impl TeamAtWork<'_> {
    pub fn evaluate(&mut self) {
        let later = self.rules.metrics.iter().map(|_| Measuring::Later);
        let metrics = later.collect();
        self.team.phase = Phase::Measuring { metrics };
        self.measure_next();
    }

    /// Programs first; the other metrics when all programs are done and none has vetoed.
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
            return self.all_measured();
        }
        for metric in due {
            if !self.measure(metric, 1, 0) {
                return;
            }
        }
    }

    /// False: no time is left, and the team is out.
    pub fn measure(&mut self, metric: u32, attempt: u32, wait_ms: u64) -> bool {
        let own = self.rules.metrics[metric as usize].timeout_ms;
        let limit = match self.limit(own, wait_ms) {
            Ok(limit) => limit,
            Err(reason) => {
                self.fail(reason, NO_TIME);
                return false;
            }
        };
        if let Phase::Measuring { metrics } = &mut self.team.phase {
            metrics[metric as usize] = Measuring::Open {
                attempt,
                from_ms: self.clock_ms.saturating_add(wait_ms),
                limit,
            };
        }
        self.clock_in_metrics();
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
        self.clock_out();
        if let Phase::Measuring { metrics } = &mut self.team.phase {
            metrics[metric as usize] = Measuring::Found(measure.clone());
        }
        self.clock_in_metrics();
        self.measure_next();
    }

    pub fn measure_failed(&mut self, metric: u32, attempt: u32, limit: Limit, failed: &Failed) {
        self.clock_out();
        self.tell_trouble(Part::Evaluator, attempt, &failed.why);
        let rule = &self.rules.metrics[metric as usize];
        let why = format!("{}: {}", rule.name, failed.why);
        if let Some(reason) = self.out_of_time(limit, failed) {
            return self.fail(reason, &whose_time(limit, &why));
        }
        match after_failure(attempt, rule.retries, failed) {
            Retry::After { attempt, wait_ms } => {
                self.measure(metric, attempt, wait_ms);
            }
            Retry::Never => self.fail(Reason::EvaluatorFailure, &why),
        }
    }

    fn all_measured(&mut self) {
        let Phase::Measuring { metrics } = &self.team.phase else {
            return;
        };
        let found = |it: &Measuring| match it {
            Measuring::Found(measure) => Some(measure.clone()),
            Measuring::Later | Measuring::Open { .. } => None,
        };
        let measures: Vec<Option<Measure>> = metrics.iter().map(found).collect();
        match overall(&self.rules.metrics, &measures) {
            Some(score) => self.scored(score, measures),
            None => self.fail(Reason::EvaluatorFailure, "no metric has a weight"),
        }
    }
}

/// The weighted mean, rounded to two places. A veto makes it zero. None while measures are missing.
pub fn overall(metrics: &[Metric], measures: &[Option<Measure>]) -> Option<Score> {
    if measures.iter().flatten().any(|measure| measure.is_veto) {
        return Some(Score::ZERO);
    }
    let mut sum = 0;
    let mut weights = 0;
    for (metric, measure) in metrics.iter().zip(measures) {
        let weight = u64::from(metric.weight);
        sum += measure.as_ref()?.score.hundredths() * weight;
        weights += weight;
    }
    // Rounded half up, in whole numbers.
    let mean = (2 * sum + weights).checked_div(2 * weights)?;
    Score::from_hundredths(mean)
}
