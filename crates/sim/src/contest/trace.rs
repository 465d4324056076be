//! What happened in a contest, line by line. The checkers see nothing else.

use std::fmt;
use std::rc::Rc;

use kumite_core::contest::{Contest, Effect, Entry};

use super::database::Row;

#[derive(Clone, Debug)]
pub struct Line {
    pub at_ms: u64,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    /// An entry is in the journal.
    Recorded(Rc<Entry>),
    /// An effect is carried out.
    Performed(Effect),
    /// The remaining effects are cancelled: a cancel came with the start.
    Dropped,
    /// The database has stored a transaction.
    Wrote(Rc<[Row]>),
    /// kumite died.
    Crashed,
    /// The journal was replayed, with this state as the result.
    Replayed(Box<Contest>),
    FaultsOver,
    /// The story ends here, in this state. `is_stuck`: it is not over, but nothing happens any
    /// more.
    Over {
        contest: Box<Contest>,
        is_stuck: bool,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8} ms  {}", self.at_ms, self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Recorded(entry) => {
                write!(
                    f,
                    "entry {} at {}: {:?}",
                    entry.seq, entry.at_ms, entry.event
                )
            }
            What::Performed(effect) => write!(f, "  {effect:?}"),
            What::Dropped => write!(f, "  the rest is moot"),
            What::Wrote(rows) => {
                write!(f, "  the database has")?;
                rows.iter().try_for_each(|row| write!(f, " {row:?}"))
            }
            What::Crashed => write!(f, "*** kumite died"),
            What::Replayed(contest) => write!(f, "replayed to {:?}", contest.stage),
            What::FaultsOver => write!(f, "=== no more faults"),
            What::Over { contest, is_stuck } => {
                for team in &contest.teams {
                    writeln!(f, "{team:?}")?;
                }
                let word = if *is_stuck { "stuck" } else { "the end" };
                write!(f, "=== {word}")
            }
        }
    }
}
