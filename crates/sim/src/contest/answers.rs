//! The answers, and when they come. They depend only on the seed and the question: a question
//! repeated after a crash gets the same answer.

use kumite_core::contest::{
    Confidence, Failed, Failure, Judgment, Measure, Score, Submission, Used,
};
use kumite_core::outcome::{Limit, LimitKind, Outcome, Usage};

use super::drawn::DrawnContest;
use crate::rng::Rng;

/// Practically for ever.
const NEVER_MS: u64 = 3_600_000;
/// Answers come at multiples of this, so that some of them coincide.
const STEP_MS: u64 = 100;

pub struct Answer<T> {
    pub says: Result<T, Failed>,
    pub takes_ms: u64,
    pub used: Used,
}

/// The end of an agent.
#[derive(Clone)]
pub struct Agent {
    pub outcome: Outcome,
    pub takes_ms: u64,
    pub usage: Usage,
    pub session: Option<String>,
}

/// The question: who is asked, about what, and which attempt it is.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub team: u32,
    pub round: u32,
    pub attempt: u32,
}

impl Asked {
    pub fn new(team: u32, round: u32, attempt: u32) -> Asked {
        Asked {
            team,
            round,
            attempt,
        }
    }
}

pub fn submit(drawn: &DrawnContest, asked: Asked) -> Answer<Submission> {
    let mut rng = chance(drawn, 1, asked, 0);
    let mut used = used(&mut rng);
    let takes_ms = takes(&mut rng, drawn.rules.submission_timeout_ms);
    let given = Submission::Given { bytes: rng.next() };
    let says = match rng.chance(drawn.rates.team) {
        false => Ok(given),
        true => match rng.below(10) {
            0..=2 => Err(passing(&mut rng)),
            3 => Err(failed(Failure::Lasting)),
            4..=5 => Err(failed(Failure::Unusable)),
            6..=7 => return slow(&mut rng, given, drawn.rules.submission_timeout_ms),
            _ => Ok(Submission::Malformed {
                why: "empty".to_owned(),
            }),
        },
    };
    if rng.chance(drawn.rates.team / 4) {
        used.waited_ms = rng.between(1, takes_ms + 50);
    }
    Answer {
        says,
        takes_ms,
        used,
    }
}

/// How often the agents of a try are limited before one of them comes to an end.
const LIMITS_MAX: u32 = 4;

/// How the `nth` agent of a try ends. Agents that died together with kumite do not count.
/// `now_ms` is wall clock time.
pub fn agent(drawn: &DrawnContest, asked: Asked, nth: u32, is_resumed: bool, now_ms: u64) -> Agent {
    let mut rng = chance(drawn, 5, asked, nth);
    let usage = Usage {
        input_tokens: rng.below(100),
        output_tokens: rng.below(100),
        usd_micros: rng.below(1_000),
    };
    let session = rng.chance(700).then(|| format!("s-{nth}"));
    let takes_ms = STEP_MS * rng.between(1, 5);
    let limited = rng.chance(drawn.rates.team) && nth <= LIMITS_MAX;
    let outcome = match (limited, rng.below(3)) {
        (true, 0) if is_resumed => Outcome::SessionGone(String::new()),
        (true, kind) => Outcome::Limited(Limit {
            kind: match kind {
                0 | 1 => LimitKind::Usage,
                _ => LimitKind::Overload,
            },
            until_ms: rng.chance(500).then(|| now_ms + rng.below(20_000)),
            words: String::new(),
        }),
        (false, _) => return last_agent(drawn, asked, usage, session),
    };
    Agent {
        outcome,
        takes_ms,
        usage,
        session,
    }
}

/// What it hands in, or how it fails, depends on the try alone.
fn last_agent(drawn: &DrawnContest, asked: Asked, usage: Usage, session: Option<String>) -> Agent {
    let answer = submit(drawn, asked);
    let mut rng = chance(drawn, 6, asked, 0);
    let outcome = match answer.says {
        Ok(_) => Outcome::Finished,
        Err(failed) if failed.failure == Failure::Lasting => Outcome::Missing(String::new()),
        Err(_) => match rng.below(if drawn.is_repeatable { 2 } else { 4 }) {
            0 => Outcome::Hung,
            1 => Outcome::Failed(String::new()),
            2 => Outcome::Killed,
            _ => Outcome::Lost(String::new()),
        },
    };
    Agent {
        outcome,
        takes_ms: answer.takes_ms,
        usage,
        session,
    }
}

/// What the agent of a try left.
pub fn handed_in(drawn: &DrawnContest, asked: Asked) -> Submission {
    let malformed = Submission::Malformed {
        why: "nothing".to_owned(),
    };
    submit(drawn, asked).says.unwrap_or(malformed)
}

pub fn measure(drawn: &DrawnContest, asked: Asked, metric: u32) -> Answer<Measure> {
    let mut rng = chance(drawn, 2, asked, metric);
    let used = used(&mut rng);
    let rule = &drawn.rules.metrics[metric as usize];
    let takes_ms = takes(&mut rng, rule.timeout_ms);
    let vetoes = if rule.is_program { 60 } else { 10 };
    let found = Measure {
        score: score(&mut rng),
        remark: String::new(),
        is_veto: rng.chance(vetoes),
    };
    if !rng.chance(drawn.rates.evaluator) {
        return Answer {
            says: Ok(found),
            takes_ms,
            used,
        };
    }
    let says = match rng.below(8) {
        0..=3 => Err(passing(&mut rng)),
        4..=5 => Err(failed(Failure::Unusable)),
        6 => Err(failed(Failure::Lasting)),
        _ => return slow(&mut rng, found, rule.timeout_ms),
    };
    Answer {
        says,
        takes_ms,
        used,
    }
}

pub fn judge(drawn: &DrawnContest, asked: Asked) -> Answer<Judgment> {
    let mut rng = chance(drawn, 3, asked, 0);
    let used = used(&mut rng);
    let takes_ms = takes(&mut rng, drawn.rules.judgment_timeout_ms);
    let judgment = Judgment {
        should_continue: rng.chance(750),
        reasoning: String::new(),
        confidence: Confidence::FULL,
    };
    if !rng.chance(drawn.rates.judge) {
        return Answer {
            says: Ok(judgment),
            takes_ms,
            used,
        };
    }
    let says = match rng.below(6) {
        0..=2 => Err(passing(&mut rng)),
        3 => Err(failed(Failure::Unusable)),
        4 => Err(failed(Failure::Lasting)),
        _ => return slow(&mut rng, judgment, drawn.rules.judgment_timeout_ms),
    };
    Answer {
        says,
        takes_ms,
        used,
    }
}

/// Whether this try to save the rows of a round fails.
pub fn save_fails(drawn: &DrawnContest, asked: Asked) -> bool {
    chance(drawn, 4, asked, 0).chance(drawn.rates.save)
}

pub fn timed_out() -> Failed {
    failed(Failure::TimedOut)
}

fn chance(drawn: &DrawnContest, what: u64, asked: Asked, metric: u32) -> Rng {
    let parts = [asked.team, asked.round, asked.attempt, metric];
    let mut key = drawn.seed ^ (what << 56);
    for part in parts {
        key = Rng::new(key ^ u64::from(part)).next();
    }
    Rng::new(key)
}

fn takes(rng: &mut Rng, limit_ms: u64) -> u64 {
    STEP_MS * rng.between(1, (limit_ms / STEP_MS).min(12))
}

/// It hangs, or takes a little longer than allowed.
fn slow<T>(rng: &mut Rng, says: T, limit_ms: u64) -> Answer<T> {
    let takes_ms = match rng.chance(500) {
        true => NEVER_MS,
        false => limit_ms + STEP_MS * rng.between(1, 20),
    };
    Answer {
        says: Ok(says),
        takes_ms,
        used: used(rng),
    }
}

fn used(rng: &mut Rng) -> Used {
    Used {
        input_tokens: rng.below(100),
        output_tokens: rng.below(100),
        micros: rng.below(1_000),
        waited_ms: 0,
    }
}

/// Few different values, so that scores are often equal, and some others in between.
fn score(rng: &mut Rng) -> Score {
    let hundredths = match rng.chance(700) {
        true => 1_000 * rng.between(0, 10),
        false => rng.between(0, 10_000),
    };
    Score::from_hundredths(hundredths).unwrap_or_default()
}

fn failed(failure: Failure) -> Failed {
    Failed {
        failure,
        why: String::new(),
        retry_after_ms: None,
    }
}

fn passing(rng: &mut Rng) -> Failed {
    let asks = rng.chance(150);
    let ms = rng.weighed(&[(4, 200), (4, 5_000), (2, 40_000), (1, u64::MAX)]);
    Failed {
        retry_after_ms: asks.then_some(ms),
        ..failed(Failure::Passing)
    }
}
