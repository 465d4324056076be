//! Turns the text of a file into single settings with their places.

use super::value::Plain;
use super::{Error, Layer, Origin};
use crate::TextPosition;
use crate::tree::{self, Node, Table};

/// One setting as it was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub path: Vec<String>,
    /// Which table of `[[verify.command]]` this belongs to, counted from 0.
    pub item: Option<usize>,
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
    /// The place of what nobody wrote.
    pub fn nowhere() -> Where {
        Where {
            origin: Origin::Default,
            place: None,
        }
    }

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
    found.sort_by_key(|leaf| leaf.at);
    let mut places = Places::new(text);
    let given = found.into_iter().map(|leaf| Given {
        path: leaf.path,
        item: leaf.item,
        values: vec![leaf.value],
        from: Where {
            origin: layer.origin.clone(),
            place: Some(places.of(leaf.at)),
        },
    });
    Ok(given.collect())
}

/// A single setting, and the offset of its place.
pub(super) struct Leaf {
    at: usize,
    pub path: Vec<String>,
    pub item: Option<usize>,
    pub value: Plain,
}

/// Descends to the single settings; an agent's `env` is a single setting although it is a table.
fn collect(table: Table<usize>, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    for (key, node) in table {
        path.push(key);
        match node.value {
            Plain::Table(inner) if !inner.is_empty() && is_section(path) => {
                collect(inner, path, found);
            }
            value => spread(path, node.at, value, found),
        }
        path.pop();
    }
}

/// Adds a setting. A list of commands becomes one setting for each key of each command, so that an
/// error names the line of that key.
pub(super) fn spread(path: &[String], at: usize, value: Plain, found: &mut Vec<Leaf>) {
    let is_table = |item: &Node<usize>| matches!(item.value, Plain::Table(_));
    let items = match value {
        Plain::List(items) if path == ["verify", "command"] && items.iter().all(is_table) => items,
        value => {
            let (path, item) = (path.to_vec(), None);
            return found.push(Leaf {
                at,
                path,
                item,
                value,
            });
        }
    };
    let mut add = |at, item, key: Option<String>, value| {
        let path = path.iter().cloned().chain(key).collect();
        found.push(Leaf {
            at,
            path,
            item,
            value,
        });
    };
    // The list comes before its tables, and each table before its keys.
    let first = items.first().map_or(at, |item| item.at.min(at));
    add(first, None, None, Plain::List(Vec::new()));
    for (index, node) in items.into_iter().enumerate() {
        add(node.at, Some(index), None, Plain::Table(Table::new()));
        let Plain::Table(keys) = node.value else {
            continue;
        };
        for (key, inner) in keys {
            add(inner.at.max(node.at), Some(index), Some(key), inner.value);
        }
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
