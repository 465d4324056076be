//! A place is never lost with work in it, and whatever a step has left there is a checkpoint before
//! the next one begins.

use std::collections::BTreeMap;

use kumite_core::change::Change;
use kumite_core::effect::Effect;
use kumite_core::facts::Look;
use kumite_core::journal::{Entry, Event};
use kumite_core::run::Step;

use super::ground::{Content, PlaceTruth, is_ready};
use super::proven::launched;
use crate::check::{Verdict, broken};
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::place::Worktree;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

const LOST: &str = "a place is never lost with work in it";
const KEPT: &str = "what a step has left is kept before the next one begins";
const GROWS: &str = "checkpoints are numbered by their entries";

#[derive(Default)]
pub struct Checkpoints {
    specs: Vec<Book>,
}

/// The state of one spec.
#[derive(Default)]
struct Book {
    truth: PlaceTruth,
    /// The content of each commit that kumite has made.
    commits: BTreeMap<String, Content>,
    kept: Option<(u64, Content)>,
    /// What the place had when the next step was decided on.
    due: Option<Content>,
    /// The code with which the implementation began in the place.
    begin: Option<u64>,
    /// The work is merged, so the place may go.
    merged: bool,
}

impl Checkpoints {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        if let What::Began(Terms { machines, .. }) = &line.what {
            self.specs.resize_with(*machines, Book::default);
        }
        let book = &mut self.specs[line.machine];
        match &line.what {
            What::Own(News::Done(_, deed)) => book.learn(deed),
            What::Recorded(entry) => {
                book.recorded(entry, replica);
                Ok(())
            }
            What::Performed(_, Effect::Keep { seq, commit }) => book.keep(*seq, commit),
            What::Started(_, step, _) => book.started(*step),
            _ => Ok(()),
        }
    }
}

impl Book {
    fn learn(&mut self, deed: &Deed) -> Verdict {
        let was_made = self.truth.made;
        self.truth.learn(deed);
        match deed {
            Deed::Worktree(Worktree::None | Worktree::Half) if was_made && !self.merged => {
                broken(LOST, format!("{deed:?} replaces a worktree"))
            }
            _ => Ok(()),
        }
    }

    fn recorded(&mut self, entry: &Entry, replica: &Replica) {
        let now = self.truth.content();
        let look = match &entry.event {
            Event::StartRequested { look, .. } => look.as_ref(),
            Event::Admitted { look }
            | Event::WaitOver { look }
            | Event::AgentEnded { look, .. } => Some(look),
            _ => None,
        };
        let facts = look.and_then(Look::facts);
        let seen = facts.and_then(|facts| facts.place.content());
        let content = match &entry.event {
            Event::UndoRequested { content, .. } => Some(content),
            _ => seen,
        };
        if let Some(content) = content {
            let known = self.commits.entry(content.commit.clone());
            known.or_insert(now);
        }
        if is_ready(&entry.event) {
            self.begin = Some(self.truth.code);
            self.merged = false;
        }
        if replica.saves().any(|it| *it == Change::Deployed) {
            (self.merged, self.begin) = (true, None);
        }
        if launched(replica).is_some() {
            // Without a look, the next agent goes on with the same step.
            let is_due = content.is_some() && self.truth.made && !self.truth.damaged;
            self.due = is_due.then_some(now);
        }
    }

    fn keep(&mut self, seq: u64, commit: &str) -> Verdict {
        let Some(content) = self.commits.get(commit) else {
            return broken(KEPT, format!("{commit} is kept, and nobody has seen it"));
        };
        let kept = (seq, *content);
        let grows = match self.kept {
            None => true,
            Some(last) => seq > last.0 || kept == last,
        };
        self.kept = Some(kept);
        match grows {
            true => Ok(()),
            false => broken(GROWS, format!("{commit} is kept as {seq}")),
        }
    }

    fn started(&mut self, step: Step) -> Verdict {
        let has_work = self.begin.is_some_and(|begin| begin != self.truth.code);
        match step {
            // It works in a place of its own, for a moment.
            Step::Baseline => return Ok(()),
            Step::Prepare(_) if has_work => {
                return broken(LOST, format!("{step:?} starts, and there is work"));
            }
            _ => {}
        }
        let kept = self.kept.map(|(_, content)| content);
        match self.due.take() {
            Some(due) if kept != Some(due) => {
                broken(KEPT, format!("{step:?} starts on {due:?}; kept: {kept:?}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e8_3_a_checkpoint_that_goes_back_is_noticed() {
        let mut book = Book::default();
        book.commits.insert("c0".to_owned(), (0, 0, 0));
        book.commits.insert("c1".to_owned(), (0, 1, 0));
        assert_eq!(book.keep(4, "c0"), Ok(()));
        assert_eq!(book.keep(4, "c0"), Ok(()), "after a crash it is kept again");
        let rule = |seen: Verdict| seen.map_err(|broken| broken.rule);
        assert_eq!(rule(book.keep(4, "c1")), Err(GROWS));
        assert_eq!(rule(book.keep(3, "c1")), Err(GROWS));
    }
}
