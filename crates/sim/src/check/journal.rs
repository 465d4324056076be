//! The journal is the truth: a replay gives the live state, and everything that is done was
//! recorded before.

use kumite_core::engine::EffectKey;
use kumite_core::machine::Machine;

use super::{Replica, Verdict, broken};
use crate::story::{Effect, Entry, Story};
use crate::trace::{TraceLine, What};

impl<S: Story> Replica<S> {
    pub(super) fn see(&mut self, line: &TraceLine<S>) -> Verdict {
        match &line.what {
            What::Recorded(entry) => self.recorded(entry),
            What::Performed(key, effect) => self.performed(*key, effect),
            What::Refused(refused) => {
                self.due.retain(|(key, _)| key.seq != refused.seq);
                Ok(())
            }
            What::Dropped => {
                self.due.clear();
                Ok(())
            }
            What::Decided(live) => {
                self.same(live, "the host")?;
                match self.due.front() {
                    None => Ok(()),
                    Some(due) => broken("what is decided is done", format!("{due:?} is not")),
                }
            }
            What::Replayed(replayed) => {
                self.may_repeat = true;
                self.same(replayed, "the replay")
            }
            _ => Ok(()),
        }
    }

    /// What a process has not done when it dies is not done.
    pub(super) fn forget(&mut self) {
        self.due.clear();
    }

    fn recorded(&mut self, entry: &Entry<S>) -> Verdict {
        if entry.seq != self.seq + 1 {
            let sentence = format!("entry {} follows entry {}", entry.seq, self.seq);
            return broken("the journal counts without a gap", sentence);
        }
        self.seq = entry.seq;
        self.may_repeat = false;
        let before = std::mem::take(&mut self.machine);
        (self.machine, self.effects) = before.decide(entry);
        self.becomes_due();
        Ok(())
    }

    fn becomes_due(&mut self) {
        let seq = self.seq;
        let keyed = |(index, effect): (usize, &Effect<S>)| {
            let key = EffectKey { seq, index };
            (key, effect.clone())
        };
        self.due.extend(self.effects.iter().enumerate().map(keyed));
    }

    fn performed(&mut self, key: EffectKey, effect: &Effect<S>) -> Verdict {
        if std::mem::take(&mut self.may_repeat) {
            self.becomes_due();
        }
        match self.due.pop_front() {
            Some((due, ordered)) if due == key && ordered == *effect => Ok(()),
            due => broken(
                "nothing is done that the journal does not know",
                format!("{effect:?} is done, and {due:?} is due"),
            ),
        }
    }

    fn same(&self, other: &S::Machine, whose: &str) -> Verdict {
        if self.machine == *other {
            return Ok(());
        }
        let (mine, theirs) = (S::brief(&self.machine), S::brief(other));
        broken(
            "replay equals state",
            format!("the journal says {mine:?}, {whose} says {theirs:?}"),
        )
    }
}
