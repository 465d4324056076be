//! A TOML file as a tree in which every node knows where it was written. `P` is that place, in
//! whatever form the reader needs it.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<P> {
    pub at: P,
    pub value: Value<P>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<P> {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node<P>>),
    Table(Table<P>),
    /// A date, or a number that is too large: no setting accepts these.
    Other,
}

pub(crate) type Table<P> = BTreeMap<String, Node<P>>;

/// A text that is not TOML: where, and what is wrong there.
pub(crate) struct Broken {
    pub offset: Option<usize>,
    pub message: String,
}

/// Editors neither show nor count a byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses a whole file. `at` gets the offset of a key or of a section's header, which is where a
/// long value begins, or of a value in a list.
pub(crate) fn parse<P>(text: &str, at: &impl Fn(usize) -> P) -> Result<Table<P>, Broken> {
    let parsed = DeTable::parse(text).map_err(|error| Broken {
        offset: error.span().map(|span| span.start),
        message: format!("not valid TOML: {}", error.message().trim()),
    })?;
    Ok(table(parsed.get_ref(), at))
}

fn table<P>(table: &DeTable<'_>, at: &impl Fn(usize) -> P) -> Table<P> {
    let entries = table.iter().map(|(key, value)| {
        let node = Node {
            // The header of a section begins before its name.
            at: at(key.span().start.min(value.span().start)),
            value: Value::of(value.get_ref(), at),
        };
        (key.get_ref().to_string(), node)
    });
    entries.collect()
}

impl<P> Value<P> {
    pub fn of(value: &DeValue<'_>, at: &impl Fn(usize) -> P) -> Value<P> {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(yes) => Value::Bool(*yes),
            DeValue::Integer(int) => {
                i64::from_str_radix(int.as_str(), int.radix()).map_or(Value::Other, Value::Int)
            }
            DeValue::Float(float) => float.as_str().parse().map_or(Value::Other, Value::Float),
            DeValue::Datetime(_) => Value::Other,
            DeValue::Array(items) => {
                let item = |item: &Spanned<DeValue<'_>>| Node {
                    at: at(item.span().start),
                    value: Value::of(item.get_ref(), at),
                };
                Value::List(items.iter().map(item).collect())
            }
            DeValue::Table(inner) => Value::Table(table(inner, at)),
        }
    }
}
