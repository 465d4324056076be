//! The journal is the truth: a replay gives the live state, and every write to spec.json belongs to
//! an entry.

use kumite_core::effect::Effect;
use kumite_core::run::{Run, decide};

use super::{Replica, Verdict, broken};
use crate::trace::{Line, What};

pub fn see(replica: &mut Replica, line: &Line) -> Verdict {
    match &line.what {
        What::Recorded(entry) => {
            if entry.seq != replica.seq + 1 {
                let sentence = format!("entry {} follows entry {}", entry.seq, replica.seq);
                return broken("the journal counts without a gap", sentence);
            }
            replica.seq = entry.seq;
            let before = std::mem::take(&mut replica.run);
            (replica.run, replica.effects) = decide(before, entry);
            Ok(())
        }
        What::Decided(live) => same(replica, live, "the engine"),
        What::Replayed(run) => same(replica, run, "the replay"),
        What::Saved(key, changes) => {
            let ordered = match replica.effects.get(key.index) {
                Some(Effect::Save(ordered)) => key.seq == replica.seq && ordered == changes,
                _ => false,
            };
            match ordered {
                true => Ok(()),
                false => broken(
                    "every change of spec.json belongs to a recorded entry",
                    format!(
                        "{changes:?} was written, and entry {} did not ask for it",
                        key.seq
                    ),
                ),
            }
        }
        _ => Ok(()),
    }
}

fn same(replica: &Replica, other: &Run, whose: &str) -> Verdict {
    if replica.run == *other {
        return Ok(());
    }
    let (mine, theirs) = (&replica.run.state, &other.state);
    broken(
        "replay equals state",
        format!("the journal says {mine:?}, {whose} says {theirs:?}"),
    )
}
