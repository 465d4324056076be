//! What is wrong with a setting, and where.

use std::fmt;

use strsim::levenshtein;

use super::Origin;
use crate::TextPosition;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub origin: Origin,
    /// The place, if it is in a file.
    pub place: Option<TextPosition>,
    /// The setting, if the text could be read that far.
    pub key: Option<String>,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Default => write!(f, "settings: ")?,
            Origin::Env(name) => write!(f, "environment variable {name}: ")?,
            Origin::Flag(name) => write!(f, "{name}: ")?,
            Origin::Person(path) | Origin::Project(path) => {
                write!(f, "{}: ", path.display())?;
                if let Some(place) = self.place {
                    write!(f, "{place}: ")?;
                }
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The known key that was most likely meant, compared by its whole name and by its last part. Of two
/// that are equally near, the one in the same section was meant.
pub(crate) fn nearest(wanted: &str, known: impl Iterator<Item = String>) -> Option<String> {
    // Nobody mistypes longer names, and the time grows with the length.
    let wanted: String = wanted.chars().take(80).collect();
    known.min_by_key(|key| {
        let elsewhere = usize::from(section(&wanted) != section(key));
        let by_last = last_distance(last(&wanted), last(key)) + elsewhere;
        (levenshtein(&wanted, key).min(by_last), elsewhere)
    })
}

fn section(key: &str) -> &str {
    key.split('.').next().unwrap_or_default()
}

fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or_default()
}

/// A shortened name, such as `size` for `max_size`, counts as near.
fn last_distance(wanted: &str, known: &str) -> usize {
    let distance = levenshtein(wanted, known);
    let is_part = wanted.len() >= 3 && known.contains(wanted);
    if is_part { distance.min(1) } else { distance }
}
