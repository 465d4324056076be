//! Without a person, failing commands, open boxes and boxes without a change use up at most the
//! allowed retries.

use kumite_core::journal::Event;
use kumite_core::run::Step;

use super::proven::launched;
use crate::check::{Verdict, broken};
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

#[derive(Default)]
pub struct Retries {
    max: u8,
    /// How often impl was begun again, for each spec. None: no impl was begun.
    specs: Vec<Option<u32>>,
}

impl Retries {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        let entry = match &line.what {
            What::Began(Terms {
                machines, rules, ..
            }) => {
                self.max = rules.retries_max;
                self.specs.resize(*machines, None);
                return Ok(());
            }
            What::Recorded(entry) => entry,
            _ => return Ok(()),
        };
        let retries = &mut self.specs[line.machine];
        match (&entry.event, launched(replica)) {
            (Event::AgentEnded { ended, .. }, Some((_, Step::Implement(_)))) => {
                // A limit and a lost agent cost nothing.
                let is_same =
                    ended.outcome != kumite_core::outcome::Outcome::Finished && !replica.is_retry();
                if !is_same {
                    *retries = Some(retries.map_or(0, |retries| retries + 1));
                }
            }
            (Event::AgentEnded { .. } | Event::WaitOver { .. }, _) => {}
            (_, Some((_, Step::Implement(_)))) => *retries = Some(0),
            _ => *retries = None,
        }
        match retries.is_some_and(|retries| retries > u32::from(self.max)) {
            false => Ok(()),
            true => broken(
                "failing commands use up the retries",
                format!("impl begins again, after {} retries", self.max),
            ),
        }
    }
}

impl Replica {
    /// The last entry says that impl is tried again.
    fn is_retry(&self) -> bool {
        use kumite_core::effect::Effect;
        use kumite_core::notice::Notice;
        let retries = |it: &Effect| matches!(it, Effect::Announce(Notice::ImplRetry { .. }));
        self.effects.iter().any(retries)
    }
}
