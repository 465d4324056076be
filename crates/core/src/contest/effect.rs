//! Instructions to the world. Each may be carried out twice: after a crash the open ones are
//! repeated.

use super::notice::Notice;

/// `wait_ms` comes before the work, `timeout_ms` ends it. The answer names team, round and attempt
/// again, so that a late one is told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// D7: the start of a round goes into the database. Nobody waits for it: the row is written
    /// again with the round.
    Begin {
        team: u32,
        round: u32,
    },
    Submit {
        team: u32,
        round: u32,
        attempt: u32,
        wait_ms: u64,
        timeout_ms: u64,
    },
    /// Another agent for the same try.
    Launch {
        team: u32,
        round: u32,
        attempt: u32,
        number: u32,
        /// The session that it goes on with.
        resume: Option<String>,
        /// It does not begin before this time of day.
        wake_ms: u64,
        timeout_ms: u64,
    },
    /// What the agent of this number has left is the submission.
    HandIn {
        team: u32,
        round: u32,
        attempt: u32,
        number: u32,
    },
    /// The account of this team is limited: others on it need not find that out by themselves.
    Limit {
        team: u32,
        until_ms: u64,
        words: String,
    },
    Measure {
        team: u32,
        round: u32,
        metric: u32,
        attempt: u32,
        wait_ms: u64,
        timeout_ms: u64,
    },
    Judge {
        team: u32,
        round: u32,
        attempt: u32,
        wait_ms: u64,
        timeout_ms: u64,
    },
    /// One transaction: everything that the database must know about this team up to this round.
    Save {
        team: u32,
        round: u32,
        attempt: u32,
        wait_ms: u64,
    },
    SaveSummary {
        attempt: u32,
        wait_ms: u64,
    },
    /// Ends all work for this team.
    Halt {
        team: u32,
    },
    /// Tells people.
    Announce(Notice),
    /// Nothing is left to do.
    End,
}

impl Effect {
    /// Whether it writes what the journal knows into the database.
    pub fn is_save(&self) -> bool {
        match self {
            Effect::Save { .. } | Effect::SaveSummary { .. } => true,
            Effect::Begin { .. }
            | Effect::Submit { .. }
            | Effect::Launch { .. }
            | Effect::HandIn { .. }
            | Effect::Limit { .. }
            | Effect::Measure { .. }
            | Effect::Judge { .. }
            | Effect::Halt { .. }
            | Effect::Announce(_)
            | Effect::End => false,
        }
    }
}
