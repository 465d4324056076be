//! D4: what a judge gets to see, and the built-in judge without a model.
//!
//! The question is whether the score is likely to improve within a few rounds. The rules look only
//! at the scores, in hundredths: when the last real gain was and how large it was, how much the
//! scores vary, and how much is left to 100. A gain is real if it is at least one point, and more than
//! the variation explains.

#[cfg(test)]
mod tests;

use super::board::standings;
use super::event::{Judgment, Measure};
use super::rules::Rules;
use super::score::{Confidence, Score};
use super::state::{Contest, Round, Verdict};

/// What a judge knows about a team. It contains no names, ids or order of teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamRecord {
    /// The current round, or the one that was just scored.
    pub round: u32,
    pub rounds_min: u32,
    pub rounds_max: u32,
    /// The finished rounds, oldest first.
    pub past: Vec<Past>,
    /// The best scores of the other teams, highest first, without disqualified teams.
    pub others: Vec<Score>,
}

/// One finished round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    pub round: u32,
    pub score: Option<Score>,
    pub remarks: Vec<Remark>,
    /// Why there is no score.
    pub failed: Option<String>,
}

/// The evaluator's remark about one metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub metric: String,
    pub score: Score,
    pub text: String,
}

impl TeamRecord {
    /// The record of this team. A team that does not exist has no past.
    pub fn of(contest: &Contest, team: u32) -> TeamRecord {
        let rules = &contest.rules;
        let own = contest.teams.get(team as usize);
        let past = own.into_iter().flat_map(|team| team.finished());
        let rivals = standings(contest)
            .into_iter()
            .filter(|line| line.team != team && line.rank.is_some());
        TeamRecord {
            round: own.map_or(0, |team| team.round()),
            rounds_min: rules.rounds_min,
            rounds_max: rules.rounds_max,
            past: past.map(|round| Past::of(rules, round)).collect(),
            others: rivals.filter_map(|line| Some(line.best?.0)).collect(),
        }
    }

    /// The highest score so far, and the latest round that has it (D5).
    pub fn best(&self) -> Option<(Score, u32)> {
        let scored = self.past.iter();
        scored
            .filter_map(|past| Some((past.score?, past.round)))
            .max()
    }
}

impl Past {
    fn of(rules: &Rules, round: &Round) -> Past {
        let (remarks, failed) = match &round.verdict {
            Verdict::Open => (Vec::new(), None),
            Verdict::Failed { why } => (Vec::new(), Some(why.clone())),
            Verdict::Scored { measures, .. } => {
                let measures = rules.metrics.iter().zip(measures);
                let remarks = measures.filter_map(|(metric, measure)| {
                    measure.as_ref().map(|it| Remark::of(&metric.name, it))
                });
                (remarks.collect(), None)
            }
        };
        Past {
            round: round.number,
            score: round.score(),
            remarks,
            failed,
        }
    }
}

impl Remark {
    fn of(metric: &str, measure: &Measure) -> Remark {
        Remark {
            metric: metric.to_owned(),
            score: measure.score,
            text: measure.remark.clone(),
        }
    }
}

/// Points, in hundredths; differences may be below zero.
type Points = i64;

const POINT: Points = 100;
/// This close to 100, a round is not worth its price.
const ROOM_LEAST: Points = 5 * POINT;
/// Two equal rounds mean little while this much is left.
const ROOM_EARLY: Points = 20 * POINT;
/// After one step back the loss can be recovered; that is worthwhile while this much is left.
const ROOM_AFTER_A_STEP_BACK: Points = 10 * POINT;
/// A gain smaller than the swing divided by this is not real.
const SWING_PART: Points = 3;
/// A gain this large is enough to continue after one round without any.
const MOMENTUM: Points = 4 * POINT;

/// The indicators in the scores.
struct Signs {
    rounds_left: u32,
    /// Rounds with a score.
    scored: usize,
    best: Points,
    /// What is missing to 100.
    room: Points,
    /// The latest real gain, and how many scored rounds followed it.
    gain: Points,
    since: usize,
    /// The difference between the last two rounds.
    step: Points,
    failed: usize,
}

/// Whether another round is worth it, by scores alone.
pub fn by_rules(case: &TeamRecord) -> Judgment {
    let signs = Signs::of(case);
    let (should_continue, percent, why) = weigh(&signs);
    // Failed rounds make the verdict less certain.
    let lost = 5 * u32::try_from(signs.failed.min(4)).unwrap_or(0);
    let percent = match signs.rounds_left {
        0 => 100,
        _ => percent.saturating_sub(lost).max(50),
    };
    Judgment {
        should_continue,
        reasoning: format!("round {} of {}: {why}", case.round, case.rounds_max),
        confidence: Confidence::from_percent(percent),
    }
}

/// The verdict, its certainty in percent, and the reason.
fn weigh(signs: &Signs) -> (bool, u32, String) {
    let (best, room) = (points(signs.best), points(signs.room));
    let gain = points(signs.gain);
    if signs.rounds_left == 0 {
        return (
            false,
            100,
            format!("no round is left, the best score is {best}"),
        );
    }
    if signs.scored == 0 {
        return (true, 60, "there is no score to judge by yet".to_owned());
    }
    if signs.room <= ROOM_LEAST {
        let why = format!("{best} leaves {room} to 100, which no round is worth");
        return (false, 90, why);
    }
    if signs.scored == 1 {
        let why = format!("one score says little, and {best} leaves {room} to 100");
        return (true, 75, why);
    }
    if signs.since == 0 {
        let sure = 60 + u32::try_from(3 * signs.gain / POINT).unwrap_or(0).min(35);
        let why = format!("the newest round gained {gain}, and {best} leaves {room} to 100");
        return (true, sure, why);
    }
    if signs.scored == 2 {
        return weigh_two(signs);
    }
    if signs.since == 1 && signs.gain >= MOMENTUM {
        let why = format!(
            "the newest round added nothing to {best}, but the one before gained {gain} and {room} are left to 100"
        );
        return (true, 60, why);
    }
    let sure = 60 + u32::try_from(10 * signs.since).unwrap_or(30).min(30);
    let why = match signs.gain {
        0 => format!(
            "{} scored rounds without a gain, the best is {best}",
            signs.scored
        ),
        _ => format!(
            "the last real gain was {gain}, scored rounds since then: {}, the best is {best}",
            signs.since
        ),
    };
    (false, sure, why)
}

/// Two scores, and the second is no gain.
fn weigh_two(signs: &Signs) -> (bool, u32, String) {
    let (best, room) = (points(signs.best), points(signs.room));
    let step = points(signs.step.abs());
    let (least, what) = match signs.step <= -POINT {
        true => (
            ROOM_AFTER_A_STEP_BACK,
            format!("the second score fell by {step}"),
        ),
        false => (ROOM_EARLY, format!("the two scores differ by {step} only")),
    };
    match signs.room >= least {
        true => (true, 60, format!("{what}, but {best} leaves {room} to 100")),
        false => (
            false,
            60,
            format!("{what}, and {best} leaves no more than {room} to 100"),
        ),
    }
}

impl Signs {
    fn of(case: &TeamRecord) -> Signs {
        let scores: Vec<Points> = case
            .past
            .iter()
            .filter_map(|past| Points::try_from(past.score?.hundredths()).ok())
            .collect();
        let least = (swing(&scores) / SWING_PART).max(POINT);
        let mut gain = 0;
        let mut since = scores.len().saturating_sub(1);
        let mut level = scores.first().copied().unwrap_or(0);
        for (index, score) in scores.iter().enumerate() {
            if score - level >= least {
                gain = score - level;
                since = scores.len() - 1 - index;
                level = *score;
            }
        }
        let best = scores.iter().copied().max().unwrap_or(0);
        let step = match scores.as_slice() {
            [.., before, newest] => newest - before,
            _ => 0,
        };
        Signs {
            rounds_left: case.rounds_max.saturating_sub(case.round),
            scored: scores.len(),
            best,
            room: 100 * POINT - best,
            gain,
            since,
            step,
            failed: case.past.iter().filter(|past| past.score.is_none()).count(),
        }
    }
}

/// The average fall, over all falls.
fn swing(scores: &[Points]) -> Points {
    let falls: Vec<Points> = scores
        .windows(2)
        .map(|pair| pair[0] - pair[1])
        .filter(|fall| *fall > 0)
        .collect();
    let count = Points::try_from(falls.len()).unwrap_or(1).max(1);
    falls.iter().sum::<Points>() / count
}

fn points(hundredths: Points) -> String {
    format!("{}.{:02}", hundredths / POINT, hundredths % POINT)
}
