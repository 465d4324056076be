//! What agents and people really did to the files of a spec.

use kumite_core::facts::{Findings, Permitted, TaskFacts, Verdict};
use kumite_core::names::{Document, Phase};

use super::place::{Code, Damage, Kept, Worktree};

/// One deed of an agent or a person. The files ([`super::disk`]) and the ground truth
/// ([`super::truth`]) each draw their own conclusions from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// Wrote the document.
    Document(Document),
    /// Wrote tasks.md with these boxes.
    Boxes(TaskFacts),
    /// Ticked up to this many boxes.
    Tick(u32),
    Review(u32),
    Reply(Reply),
    Inspection(Inspection),
    /// Wrote a claim into spec.json.
    Says(SpecJsonClaim),
    /// Left an unreadable spec.json.
    Garble,
    Repair,
    Permit(Permitted),
    /// The project has git from now on.
    Git,
    /// Made a commit, if there is git.
    Commit,
    /// This phase was finished before the story began.
    Earlier(Phase),
    /// Changed the code, or put an older one back.
    Code(Code),
    /// Changed protected files; the number tells versions apart.
    Protected(u64),
    /// Removed a task that is not done.
    DropTask,
    /// Left a worktree that cannot be used.
    Damage(Damage),
    Mend,
    /// Made a worktree, or a part of it.
    Worktree(Worktree),
    /// Put tasks.md and the protected files back to a checkpoint.
    PutBack(Kept),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    pub number: u32,
    /// The file, with or without its table.
    pub file: Option<Option<Findings>>,
    pub counts: Option<Findings>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inspection {
    pub number: u32,
    /// The report, with or without its verdict.
    pub file: Option<Option<Verdict>>,
    pub recorded: Option<Verdict>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecJsonClaim {
    Generated(Document),
    ReviewComplete(u32),
    ReplyComplete(u32),
    ReviewApproved,
}
