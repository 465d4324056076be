//! Nodes of a contest's files, and of the variables that override them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Number};

use super::problem::FileLine;
use crate::tree;

pub(super) type Node = tree::Node<FileLine>;
pub(super) type Value = tree::Value<FileLine>;
pub(super) type Table = tree::Table<FileLine>;

/// A text that is not TOML: the line, and what is wrong there.
pub(super) struct Broken {
    pub at: FileLine,
    pub message: String,
}

/// Parses a whole file as a table.
pub(super) fn parse(file: &Path, text: &str) -> Result<Node, Broken> {
    let text = tree::without_mark(text);
    let file: Arc<Path> = Arc::from(file);
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    // Lines are found without counting from the top each time.
    let breaks: Vec<usize> = newlines.map(|(offset, _)| offset).collect();
    let at = |offset: usize| FileLine {
        file: Arc::clone(&file),
        line: Some(breaks.partition_point(|one| *one < offset) + 1),
    };
    let table = tree::parse(text, &at).map_err(|broken| Broken {
        at: broken.offset.map_or_else(|| FileLine::whole(&file), at),
        message: broken.message,
    })?;
    Ok(Node {
        at: FileLine::whole(&file),
        value: Value::Table(table),
    })
}

impl Node {
    /// An empty table, for a section that is absent.
    pub fn empty(at: FileLine) -> Node {
        let value = Value::Table(Table::new());
        Node { at, value }
    }

    /// A value from the environment: a text, or JSON for a list or a table.
    pub fn of_variable(at: &FileLine, text: &str) -> Node {
        let is_json = text.starts_with(['[', '{']);
        let json = is_json.then(|| serde_json::from_str(text).ok()).flatten();
        match json {
            Some(json) => Node::of_json(at, &json),
            None => Node {
                at: at.clone(),
                value: Value::Text(text.to_owned()),
            },
        }
    }

    fn of_json(at: &FileLine, json: &serde_json::Value) -> Node {
        let value = match json {
            serde_json::Value::Null => Value::Other,
            serde_json::Value::Bool(yes) => Value::Bool(*yes),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(int), _) => Value::Int(int),
                (None, Some(float)) => Value::Float(float),
                (None, None) => Value::Other,
            },
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(items) => {
                Value::List(items.iter().map(|item| Node::of_json(at, item)).collect())
            }
            serde_json::Value::Object(members) => {
                let member = |(key, value): (&String, &serde_json::Value)| {
                    (key.clone(), Node::of_json(at, value))
                };
                Value::Table(members.iter().map(member).collect())
            }
        };
        let at = at.clone();
        Node { at, value }
    }

    /// None if it contains something that JSON cannot express.
    pub fn json(&self) -> Option<serde_json::Value> {
        Some(match &self.value {
            Value::Bool(yes) => (*yes).into(),
            Value::Int(int) => (*int).into(),
            Value::Float(float) => Number::from_f64(*float)?.into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items
                .iter()
                .map(Node::json)
                .collect::<Option<Vec<_>>>()?
                .into(),
            Value::Table(table) => {
                let member = |(key, node): (&String, &Node)| Some((key.clone(), node.json()?));
                table
                    .iter()
                    .map(member)
                    .collect::<Option<Map<_, _>>>()?
                    .into()
            }
            Value::Other => return None,
        })
    }

    /// As a person would recognise it in a message.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::Bool(yes) => yes.to_string(),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => float.to_string(),
            Value::Text(text) => {
                let mut short: String = text.chars().take(60).collect();
                if short.len() < text.len() {
                    short.push('…');
                }
                format!("{short:?}")
            }
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            Value::Other => "a date, or a number that is too large".to_owned(),
        }
    }
}
