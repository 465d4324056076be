//! What is in the place of a spec, from deeds alone.

use kumite_core::journal::Event;
use kumite_core::outcome::Outcome;
use kumite_core::place::Prepared;

use crate::specs::deed::Deed;
use crate::specs::place::Worktree;

/// Tells two contents of a place apart: protected files, code, documents.
pub type Content = (u64, u64, u64);

#[derive(Clone, Debug, Default)]
pub struct PlaceTruth {
    pub made: bool,
    pub damaged: bool,
    pub code: u64,
    pub protected: u64,
    documents: u64,
}

impl PlaceTruth {
    pub fn learn(&mut self, deed: &Deed) {
        match deed {
            Deed::Code(code) => self.code = code.number,
            Deed::Protected(number) => self.protected = *number,
            Deed::Damage(_) => self.damaged = true,
            Deed::Mend => self.damaged = false,
            Deed::Worktree(worktree) => self.made = *worktree == Worktree::Made,
            Deed::PutBack(kept) => {
                self.protected = kept.protected;
                self.documents += 1;
            }
            _ => self.documents += 1,
        }
    }

    pub fn content(&self) -> Content {
        (self.protected, self.code, self.documents)
    }
}

/// Whether the step that makes a place has ended well, and left one.
pub fn is_ready(event: &Event) -> bool {
    let Event::AgentEnded { ended, look, .. } = event else {
        return false;
    };
    let prepared = look.facts().and_then(|facts| facts.prepared.as_ref());
    ended.outcome == Outcome::Finished && matches!(prepared, Some(Prepared::Ready(_)))
}
