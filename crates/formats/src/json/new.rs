//! New values to write.

use super::Value;
use super::layout::Layout;

#[derive(Clone, Debug)]
pub(crate) enum New<'k> {
    Bool(bool),
    Count(u32),
    Text(&'k str),
    Array(Vec<New<'k>>),
    Object(Vec<(&'k str, New<'k>)>),
}

impl New<'_> {
    /// Whether the file already has this value, in any spelling.
    pub fn is(&self, old: Value<'_>) -> bool {
        match self {
            New::Bool(new) => old.as_bool() == Some(*new),
            New::Count(new) => old.as_count() == Some(*new),
            New::Text(new) => old.as_str().is_some_and(|old| old == *new),
            New::Array(_) | New::Object(_) => false,
        }
    }

    pub fn is_same_kind(&self, old: Value<'_>) -> bool {
        match self {
            New::Array(_) => old.is_array(),
            New::Object(_) => old.is_object(),
            New::Bool(_) | New::Count(_) | New::Text(_) => false,
        }
    }

    /// Writes the value; `inside` is the layout between its own brackets, if it has any.
    pub fn write(&self, inside: &Layout, out: &mut String) {
        match self {
            New::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
            New::Count(count) => out.push_str(&count.to_string()),
            New::Text(text) => quote(text, out),
            New::Array(items) => {
                let bare = items.iter().map(|item| (None, item));
                write_all(('[', ']'), bare, inside, out);
            }
            New::Object(members) => {
                let keyed = members.iter().map(|(key, value)| (Some(*key), value));
                write_all(('{', '}'), keyed, inside, out);
            }
        }
    }
}

fn write_all<'a, 'k: 'a>(
    (open, close): (char, char),
    elements: impl ExactSizeIterator<Item = (Option<&'a str>, &'a New<'k>)>,
    layout: &Layout,
    out: &mut String,
) {
    out.push(open);
    let empty = elements.len() == 0;
    for (index, (key, value)) in elements.enumerate() {
        if index == 0 {
            out.push_str(&layout.first);
        } else {
            out.push(',');
            out.push_str(&layout.between);
        }
        write_element(key, value, layout, &layout.nested(), out);
    }
    if !empty {
        out.push_str(&layout.last);
    }
    out.push(close);
}

pub(super) fn write_element(
    key: Option<&str>,
    value: &New<'_>,
    layout: &Layout,
    inside: &Layout,
    out: &mut String,
) {
    if let Some(key) = key {
        quote(key, out);
        out.push_str(&layout.colon);
    }
    value.write(inside, out);
}

fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
