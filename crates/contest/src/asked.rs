//! What was asked for, and the event that answers it. The answer names team, round and try again, so
//! that a late one is told apart.

use kumite_core::contest::{AgentEnd, Event, Judgment, Measure, Submission, Used};

use crate::work::Missed;

#[derive(Clone, Copy, Debug)]
pub struct TryKey {
    pub team: u32,
    pub round: u32,
    pub attempt: u32,
}

#[derive(Clone, Copy, Debug)]
pub enum Asked {
    Submit(TryKey),
    /// And the number of the metric.
    Measure(TryKey, u32),
    Judge(TryKey),
    Save(TryKey),
    Summary {
        attempt: u32,
    },
}

impl TryKey {
    pub fn new(team: u32, round: u32, attempt: u32) -> TryKey {
        TryKey {
            team,
            round,
            attempt,
        }
    }

    fn parts(self) -> (u32, u32, u32) {
        (self.team, self.round, self.attempt)
    }

    pub fn submitted(self, submission: Submission, used: Used) -> Event {
        let (team, round, attempt) = self.parts();
        Event::Submitted {
            team,
            round,
            attempt,
            submission,
            used,
        }
    }

    pub fn agent_ended(self, number: u32, over: AgentEnd) -> Event {
        let (team, round, attempt) = self.parts();
        Event::AgentEnded {
            team,
            round,
            attempt,
            number,
            over,
        }
    }

    pub fn measured(self, metric: u32, measure: Measure, used: Used) -> Event {
        let (team, round, attempt) = self.parts();
        Event::Measured {
            team,
            round,
            metric,
            attempt,
            measure,
            used,
        }
    }

    pub fn judged(self, judgment: Judgment, used: Used) -> Event {
        let (team, round, attempt) = self.parts();
        Event::Judged {
            team,
            round,
            attempt,
            judgment,
            used,
        }
    }
}

impl Asked {
    /// It came to nothing.
    pub fn failed(self, missed: Missed) -> Event {
        let Missed { failed, used } = missed;
        let (team, round, attempt) = self.at().parts();
        match self {
            Asked::Submit(_) => Event::SubmitFailed {
                team,
                round,
                attempt,
                failed,
                used,
            },
            Asked::Measure(_, metric) => Event::MeasureFailed {
                team,
                round,
                metric,
                attempt,
                failed,
                used,
            },
            Asked::Judge(_) => Event::JudgeFailed {
                team,
                round,
                attempt,
                failed,
                used,
            },
            Asked::Save(_) => Event::SaveFailed {
                team,
                round,
                attempt,
                why: failed.why,
            },
            Asked::Summary { attempt } => Event::SummaryFailed {
                attempt,
                why: failed.why,
            },
        }
    }

    /// A summary belongs to no team.
    pub fn at(self) -> TryKey {
        match self {
            Asked::Submit(at) | Asked::Measure(at, _) | Asked::Judge(at) | Asked::Save(at) => at,
            Asked::Summary { attempt } => TryKey::new(0, 0, attempt),
        }
    }
}
