//! Turns the text of a file into single settings with their places.

use super::value::Plain;
use super::{Error, Layer, Origin};
use crate::TextPosition;
use crate::tree::{self, Table};

/// One setting as it was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub path: Vec<String>,
    /// The possible meanings, the likeliest first. A file is exact; a variable is text that may
    /// also be a number.
    pub values: Vec<Plain>,
    pub from: Where,
}

#[derive(Clone, Debug)]
pub(super) struct Where {
    pub origin: Origin,
    pub place: Option<TextPosition>,
}

impl Where {
    pub fn error(&self, key: Option<&str>, message: impl Into<String>) -> Error {
        Error {
            origin: self.origin.clone(),
            place: self.place,
            key: key.map(str::to_owned),
            message: message.into(),
        }
    }
}

/// The settings of a file, in order.
pub(super) fn read(layer: &Layer<'_>) -> Result<Vec<Given>, Error> {
    let text = tree::without_mark(layer.text);
    let table = tree::parse(text, &|offset| offset).map_err(|broken| {
        let from = Where {
            origin: layer.origin.clone(),
            place: broken.offset.map(|offset| TextPosition::of(text, offset)),
        };
        from.error(None, broken.message)
    })?;
    let mut found = Vec::new();
    collect(table, &mut Vec::new(), &mut found);
    found.sort_by_key(|(offset, _, _)| *offset);
    let mut places = Places::new(text);
    let given = found.into_iter().map(|(offset, path, value)| Given {
        path,
        values: vec![value],
        from: Where {
            origin: layer.origin.clone(),
            place: Some(places.of(offset)),
        },
    });
    Ok(given.collect())
}

type Leaf = (usize, Vec<String>, Plain);

/// Descends to the single settings; an agent's `env` is a single setting although it is a table.
fn collect(table: Table<usize>, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    for (key, node) in table {
        path.push(key);
        match node.value {
            Plain::Table(inner) if !inner.is_empty() && is_section(path) => {
                collect(inner, path, found);
            }
            value => found.push((node.at, path.clone(), value)),
        }
        path.pop();
    }
}

fn is_section(path: &[String]) -> bool {
    match path {
        [_] => true,
        [first, second] => first == "agents" || (first == "agent" && second == "phase"),
        _ => false,
    }
}

/// Counts on from one place to the next, so that many places in one text cost no more than one.
struct Places<'a> {
    text: &'a str,
    seen: usize,
    place: TextPosition,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Places<'a> {
        let place = TextPosition { line: 1, column: 1 };
        let seen = 0;
        Places { text, seen, place }
    }

    /// Offsets must come in order.
    fn of(&mut self, offset: usize) -> TextPosition {
        let passed = self.text.get(self.seen..offset).unwrap_or_default();
        for character in passed.chars() {
            match character {
                '\n' => {
                    self.place.line += 1;
                    self.place.column = 1;
                }
                _ => self.place.column += 1,
            }
        }
        self.seen = offset;
        self.place
    }
}
