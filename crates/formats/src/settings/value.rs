//! A value in TOML, and its conversion to a setting.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{Size, Span, Usd};
use crate::tree::{Node, Value};

/// A value, whose parts have an offset in the file.
pub(super) type Plain = Value<usize>;

/// What is allowed, as the end of a sentence.
pub(super) type Allowed = String;

impl Plain {
    pub fn bool(&self) -> Result<bool, Allowed> {
        match self {
            Plain::Bool(yes) => Ok(*yes),
            _ => Err("true or false".to_owned()),
        }
    }

    pub fn count<T: TryFrom<i64> + Copy + Into<i64>>(
        &self,
        range: RangeInclusive<T>,
    ) -> Result<T, Allowed> {
        let (low, high): (i64, i64) = ((*range.start()).into(), (*range.end()).into());
        let fits = match self {
            Plain::Int(int) if (low..=high).contains(int) => T::try_from(*int).ok(),
            _ => None,
        };
        fits.ok_or_else(|| format!("a whole number from {low} to {high}"))
    }

    pub fn span(&self) -> Result<Span, Allowed> {
        let span = match self {
            Plain::Text(text) => Span::parse(text),
            _ => None,
        };
        span.ok_or_else(|| {
            "a duration such as \"500ms\", \"90s\", \"15m\", \"2h\" or \"8d\"".to_owned()
        })
    }

    /// A duration above zero.
    pub fn span_above_zero(&self) -> Result<Span, Allowed> {
        let span = self.span()?;
        match span.duration().is_zero() {
            true => Err("a duration above zero, such as \"90s\"".to_owned()),
            false => Ok(span),
        }
    }

    /// A limit in bytes; 0, with or without quotes, means no limit.
    pub fn size(&self) -> Result<Size, Allowed> {
        let size = match self {
            Plain::Text(text) => Size::parse(text),
            Plain::Int(0) => Size::parse("0"),
            _ => None,
        };
        size.ok_or_else(|| {
            "a size such as \"500MB\", \"2GB\" or \"64KiB\", or 0 for no limit".to_owned()
        })
    }

    pub fn text(&self) -> Result<String, Allowed> {
        match self {
            Plain::Text(text) if !text.contains('\0') => Ok(text.clone()),
            _ => Err("text in quotes".to_owned()),
        }
    }

    pub fn some_text(&self) -> Result<String, Allowed> {
        let text = self.text().ok().filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| "text in quotes that is not empty".to_owned())
    }

    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Allowed> {
        let found = match self {
            Plain::Text(text) => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        let names = || words.iter().map(|(word, _)| format!("\"{word}\""));
        found
            .map(|(_, it)| *it)
            .ok_or_else(|| names().collect::<Vec<_>>().join(" or "))
    }

    pub fn texts(&self) -> Result<Vec<String>, Allowed> {
        let texts = match self {
            Plain::List(items) => items.iter().map(|item| item.value.text()).collect(),
            _ => Err(String::new()),
        };
        texts.map_err(|_| "a list of texts, such as [\"--verbose\"]".to_owned())
    }

    pub fn text_map(&self) -> Result<BTreeMap<String, String>, Allowed> {
        let named = |(key, node): (&String, &Node<usize>)| {
            let usable = !key.is_empty() && !key.contains(['=', '\0']);
            usable
                .then(|| node.value.text().ok().map(|text| (key.clone(), text)))
                .flatten()
        };
        let map = match self {
            Plain::Table(members) => members.iter().map(named).collect(),
            _ => None,
        };
        map.ok_or_else(|| "a table of texts, such as { NAME = \"value\" }".to_owned())
    }

    pub fn usd(&self) -> Result<Usd, Allowed> {
        let usd = match self {
            Plain::Int(int) => Usd::from_dollars(*int as f64),
            Plain::Float(float) => Usd::from_dollars(*float),
            _ => None,
        };
        usd.ok_or_else(|| {
            "a number of US dollars from 0 to 1000000, where 0 means no budget".to_owned()
        })
    }
}

/// As TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

pub(super) fn quoted_list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}
