//! tasks.md: check boxes, and the text around them.
//!
//! A task is a list item with a box, as GitHub reads it: at any depth, with any bullet, outside
//! code and comments. [`Task::counts`] tells which of them are required.

mod item;
mod sections;
mod trailers;
mod tree;

use kumite_core::facts::TaskFacts;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use sections::Sections;
pub use tree::{Node, tree};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// In the order of the file.
    pub items: Vec<Task>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// From 1.
    pub line: usize,
    pub done: bool,
    /// Written `- [ ]* 7.9` or `- [ ] 7.9*`: not required.
    pub optional: bool,
    /// `1.2`, `T001`, `FIX-1.1`
    pub id: Option<String>,
    pub title: String,
    /// Marked `(P)`: may be done at the same time as its neighbours.
    pub parallel: bool,
    pub requirements: Vec<String>,
    pub depends: Vec<String>,
    pub boundary: Option<String>,
    /// How many list items it is nested in.
    pub depth: usize,
    /// Whether the implementation is incomplete without it: not optional, and not in an appendix or
    /// checklist.
    pub counts: bool,
}

impl Tasks {
    pub fn facts(&self) -> TaskFacts {
        let counted = self.items.iter().filter(|task| task.counts);
        let (mut done, mut total) = (0, 0);
        for task in counted {
            total += 1;
            done += u32::from(task.done);
        }
        TaskFacts::Counted { done, total }
    }
}

/// Bytes that are not text are replaced, so that they cannot hide a box.
pub fn parse(bytes: &[u8]) -> Tasks {
    let text = String::from_utf8_lossy(crate::markdown::without_mark(bytes));
    let mut walk = Walk::new(&text);
    for (event, span) in Parser::new_ext(&text, Options::empty()).into_offset_iter() {
        walk.see(event, span);
    }
    trailers::read(&text, walk.found)
}

/// (done, total) as the predecessor counts: only boxes at the start of a line, but including
/// optional ones, those in code and those in a checklist.
pub fn legacy_count(bytes: &[u8]) -> (u32, u32) {
    let starts = |line: &&[u8], marks: &[&[u8]]| marks.iter().any(|mark| line.starts_with(mark));
    let (mut done, mut open) = (0, 0);
    for line in bytes.split(|byte| *byte == b'\n') {
        done += u32::from(starts(&line, &[b"- [x]", b"- [X]"]));
        open += u32::from(starts(&line, &[b"- [ ]"]));
    }
    (done, done + open)
}

/// A task, and where it begins and ends.
struct Found {
    task: Task,
    span: std::ops::Range<usize>,
}

struct Walk<'a> {
    text: &'a str,
    found: Vec<Found>,
    /// How many list items are open.
    depth: usize,
    /// How many other open blocks could hold a heading.
    quotes: usize,
    sections: Sections,
    heading: Option<(usize, String)>,
    /// A byte and its line, where counting continues: items come in order.
    counted: (usize, usize),
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Walk<'a> {
        Walk {
            text,
            found: Vec::new(),
            depth: 0,
            quotes: 0,
            sections: Sections::default(),
            heading: None,
            counted: (0, 1),
        }
    }

    fn see(&mut self, event: Event<'_>, span: std::ops::Range<usize>) {
        match event {
            Event::Start(Tag::Item) => {
                self.item(span);
                self.depth += 1;
            }
            Event::End(TagEnd::Item) => self.depth -= 1,
            Event::Start(Tag::BlockQuote(_)) => self.quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => self.quotes -= 1,
            Event::Start(Tag::Heading { level, .. }) if self.depth + self.quotes == 0 => {
                self.heading = Some((level as usize, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, text)) = self.heading.take() {
                    self.sections.enter(level, &text);
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, heading)) = &mut self.heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }

    fn item(&mut self, span: std::ops::Range<usize>) {
        let Some(mut task) = item::read(&self.text[span.clone()]) else {
            return;
        };
        task.line = self.line(span.start);
        task.depth = self.depth;
        task.counts = !task.optional && !self.sections.in_appendix();
        self.found.push(Found { task, span });
    }

    fn line(&mut self, offset: usize) -> usize {
        let (from, line) = self.counted;
        let passed = self.text.as_bytes().get(from..offset).unwrap_or_default();
        let breaks = passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted = (offset, line + breaks);
        self.counted.1
    }
}
