//! Short names for the events and effects of a contest.

use crate::contest::{
    Confidence, Effect, Entrant, Event, Failed, Failure, Judgment, Measure, Metric, Rules, Score,
    Submission, Used,
};

pub const SUBMISSION_MS: u64 = 300_000;
pub const METRIC_MS: u64 = 120_000;
pub const JUDGE_MS: u64 = 60_000;

pub fn entrants(count: u32) -> Vec<Entrant> {
    let letters = "abcdefgh".chars().take(count as usize);
    let enter = |letter: char| Entrant {
        id: letter.to_string(),
        name: format!("team {letter}"),
        retries: None,
    };
    letters.map(enter).collect()
}

/// The defaults, with one metric.
pub fn rules() -> Rules {
    Rules {
        metrics: vec![metric("quality", 1)],
        ..Rules::default()
    }
}

pub fn rounds(min: u32, max: u32) -> Rules {
    Rules {
        rounds_min: min,
        rounds_max: max,
        ..rules()
    }
}

pub fn metric(name: &str, weight: u32) -> Metric {
    Metric {
        name: name.to_owned(),
        weight,
        is_program: false,
        timeout_ms: METRIC_MS,
        retries: 3,
    }
}

pub fn program(name: &str, weight: u32) -> Metric {
    Metric {
        is_program: true,
        ..metric(name, weight)
    }
}

pub fn score(hundredths: u64) -> Score {
    Score::from_hundredths(hundredths).unwrap()
}

/// In whole points.
pub fn found(points: u64) -> Measure {
    Measure {
        score: score(points * 100),
        remark: "a remark".to_owned(),
        is_veto: false,
    }
}

pub fn veto() -> Measure {
    Measure {
        is_veto: true,
        ..found(90)
    }
}

pub fn given() -> Submission {
    Submission::Given { bytes: 10 }
}

pub fn malformed() -> Submission {
    let why = "it is empty".to_owned();
    Submission::Malformed { why }
}

pub fn failed(failure: Failure) -> Failed {
    Failed {
        failure,
        why: "no luck".to_owned(),
        retry_after_ms: None,
    }
}

pub fn passing() -> Failed {
    failed(Failure::Passing)
}

pub fn timed_out() -> Failed {
    failed(Failure::TimedOut)
}

pub fn cost(micros: u64) -> Used {
    Used {
        input_tokens: 10,
        output_tokens: 1,
        micros,
        waited_ms: 0,
    }
}

pub fn submitted(team: u32, round: u32, attempt: u32, submission: Submission) -> Event {
    let used = Used::default();
    Event::Submitted {
        team,
        round,
        attempt,
        submission,
        used,
    }
}

pub fn submit_failed(team: u32, round: u32, attempt: u32, failed: Failed) -> Event {
    let used = Used::default();
    Event::SubmitFailed {
        team,
        round,
        attempt,
        failed,
        used,
    }
}

pub fn measured(team: u32, round: u32, metric: u32, attempt: u32, measure: Measure) -> Event {
    let used = Used::default();
    Event::Measured {
        team,
        round,
        metric,
        attempt,
        measure,
        used,
    }
}

pub fn measure_failed(team: u32, round: u32, metric: u32, attempt: u32, failed: Failed) -> Event {
    let used = Used::default();
    Event::MeasureFailed {
        team,
        round,
        metric,
        attempt,
        failed,
        used,
    }
}

pub fn judgment(should_continue: bool) -> Judgment {
    Judgment {
        should_continue,
        reasoning: "because".to_owned(),
        confidence: Confidence::from_f64(0.7).unwrap(),
    }
}

pub fn judged(team: u32, round: u32, attempt: u32, should_continue: bool) -> Event {
    Event::Judged {
        team,
        round,
        attempt,
        judgment: judgment(should_continue),
        used: Used::default(),
    }
}

pub fn judge_failed(team: u32, round: u32, attempt: u32, failed: Failed) -> Event {
    let used = Used::default();
    Event::JudgeFailed {
        team,
        round,
        attempt,
        failed,
        used,
    }
}

pub fn save_failed(team: u32, round: u32, attempt: u32) -> Event {
    let why = "the disk is full".to_owned();
    Event::SaveFailed {
        team,
        round,
        attempt,
        why,
    }
}

pub fn summary_failed(attempt: u32) -> Event {
    let why = "the disk is full".to_owned();
    Event::SummaryFailed { attempt, why }
}

pub fn begin(team: u32, round: u32) -> Effect {
    Effect::Begin { team, round }
}

/// With the full time of its own.
pub fn submit(team: u32, round: u32, attempt: u32, wait_ms: u64) -> Effect {
    Effect::Submit {
        team,
        round,
        attempt,
        wait_ms,
        timeout_ms: SUBMISSION_MS,
    }
}

pub fn measure(team: u32, round: u32, metric: u32, attempt: u32, wait_ms: u64) -> Effect {
    Effect::Measure {
        team,
        round,
        metric,
        attempt,
        wait_ms,
        timeout_ms: METRIC_MS,
    }
}

pub fn judge(team: u32, round: u32, attempt: u32, wait_ms: u64) -> Effect {
    Effect::Judge {
        team,
        round,
        attempt,
        wait_ms,
        timeout_ms: JUDGE_MS,
    }
}

pub fn save(team: u32, round: u32, attempt: u32, wait_ms: u64) -> Effect {
    Effect::Save {
        team,
        round,
        attempt,
        wait_ms,
    }
}

pub fn summary(attempt: u32, wait_ms: u64) -> Effect {
    Effect::SaveSummary { attempt, wait_ms }
}

pub fn halt(team: u32) -> Effect {
    Effect::Halt { team }
}
