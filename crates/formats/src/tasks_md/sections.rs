//! The part of tasks.md that a box is in. An appendix or a checklist contains no work.

use crate::markdown::plain;

#[derive(Default)]
pub(super) struct Sections {
    /// The title has been read.
    begun: bool,
    /// The level of the current appendix or checklist.
    appendix: Option<usize>,
}

impl Sections {
    /// A section ends at a heading of the same or a higher level.
    pub fn enter(&mut self, level: usize, heading: &str) {
        // The title of the file never starts an appendix, whatever it says.
        let is_title = !std::mem::replace(&mut self.begun, true) && level == 1;
        if self.appendix.is_some_and(|outer| level > outer) {
            return;
        }
        self.appendix = (is_appendix(heading) && !is_title).then_some(level);
    }

    pub fn in_appendix(&self) -> bool {
        self.appendix.is_some()
    }
}

/// Only the beginning or the end of the heading counts, so that `Improve test coverage` stays work.
fn is_appendix(heading: &str) -> bool {
    let heading = plain(heading);
    let numbering = |mark: char| !mark.is_alphabetic();
    let begins = [
        "appendix",
        "checklist",
        "coverage",
        "requirements coverage",
        "付録",
        "附録",
    ];
    let ends = ["checklist", "appendix", "チェックリスト", "付録", "附録"];
    let text = heading.trim_start_matches(numbering);
    let tail = heading.split(['(', ':']).next().unwrap_or_default();
    let tail = tail.trim_end_matches(|mark: char| !mark.is_alphabetic() && mark != 'ー');
    begins.iter().any(|word| text.starts_with(word))
        || ends.iter().any(|word| tail.ends_with(word))
        || text.starts_with("チェックリスト")
}
