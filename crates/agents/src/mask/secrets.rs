//! What is secret: values of environment variables with telling names, and text that looks like a
//! key.

use std::ops::Range;
use std::path::Path;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use kumite_core::secret::{Letters, PATTERNS, Pattern, STEMS, says_secret};

/// Shorter values are common words that may appear anywhere.
const LEAST: usize = 8;
/// The search looks for this many first bytes; the rest is compared.
const BEGINNING: usize = 16;
/// The search compares this many bytes at once if every beginning has them.
const LONG: usize = 4;

pub struct Secrets {
    values: Vec<Vec<u8>>,
    /// Find where a secret may begin: the long beginnings and the short ones. Apart, because a
    /// search is as slow as its shortest word makes it.
    beginnings: [AhoCorasick; 2],
    /// By the first byte of a secret: whether a value begins with it, and the patterns that do.
    firsts: Vec<(bool, Vec<&'static Pattern>)>,
    /// How many bytes are needed at most to recognise the beginning of a secret.
    reach: usize,
}

impl Secrets {
    /// The secrets of a program with this environment.
    pub fn of(env: &[(String, String)]) -> Secrets {
        let mut values = Vec::new();
        for (_, value) in env.iter().filter(|(name, value)| is_secret(name, value)) {
            let value = value.trim();
            let escaped = serde_json::Value::from(value).to_string();
            values.push(escaped.as_bytes()[1..escaped.len() - 1].to_vec());
            values.push(value.as_bytes().to_vec());
        }
        values.sort();
        values.dedup();
        let mut firsts = vec![(false, Vec::new()); 256];
        for value in &values {
            firsts[usize::from(value[0])].0 = true;
        }
        for pattern in PATTERNS {
            firsts[usize::from(pattern.prefix.as_bytes()[0])]
                .1
                .push(pattern);
        }
        let longest = values.iter().map(Vec::len);
        let patterns = PATTERNS.iter().map(Pattern::reach);
        let reach = longest.chain(patterns).max().unwrap_or(0);
        let (long, short) = beginnings(&values)
            .into_iter()
            .partition(|beginning| beginning.len() >= LONG);
        Secrets {
            beginnings: [search(long), search(short)],
            values,
            firsts,
            reach,
        }
    }

    /// The places in `window` before `until` where a secret may begin, from left to right.
    pub fn places(&self, window: &[u8], until: usize) -> impl Iterator<Item = usize> {
        let next = move |search: &AhoCorasick, from: usize| {
            let found = search.find(Input::new(window).range(from..))?;
            (found.start() < until).then_some(found.start())
        };
        let mut found = self.beginnings.each_ref().map(|search| next(search, 0));
        std::iter::from_fn(move || {
            let place = found.into_iter().flatten().min()?;
            for (search, found) in self.beginnings.iter().zip(&mut found) {
                if *found == Some(place) {
                    *found = next(search, place + 1);
                }
            }
            Some(place)
        })
    }

    /// The end of the longest secret that begins at `at`. `run` is the last key found, so that its
    /// end is searched only once.
    pub fn end(
        &self,
        window: &[u8],
        at: usize,
        before: [u8; 2],
        run: &mut Option<Run>,
    ) -> Option<usize> {
        let rest = &window[at..];
        let values = self.values.iter().filter(|value| rest.starts_with(value));
        let value = values.map(|value| at + value.len()).max();
        let before = two_before(window, at, before);
        let mut patterns = self.firsts[usize::from(rest[0])].1.iter();
        let key = patterns.find(|pattern| pattern.fits(rest, before) && pattern.is_whole(rest));
        let key = key.map(|pattern| {
            let from = at + pattern.reach();
            match run {
                Some(run) if run.at.start <= from && from <= run.at.end => run.at.end,
                _ => run.insert(Run::new(window, from, pattern.run())).at.end,
            }
        });
        value.max(key)
    }

    /// The first place where a secret may begin that needs more input to decide.
    pub fn undecided(&self, window: &[u8], before: [u8; 2]) -> usize {
        let from = window.len().saturating_sub(self.reach - 1);
        let may_begin = |at: &usize| {
            let rest = &window[*at..];
            let is_begun = |value: &Vec<u8>| value.len() > rest.len() && value.starts_with(rest);
            let (is_value, patterns) = &self.firsts[usize::from(rest[0])];
            let before = two_before(window, *at, before);
            let is_key = |pattern: &&Pattern| !pattern.is_whole(rest) && pattern.fits(rest, before);
            *is_value && self.values.iter().any(is_begun) || patterns.iter().any(is_key)
        };
        (from..window.len()).find(may_begin).unwrap_or(window.len())
    }
}

fn search(beginnings: Vec<&[u8]>) -> AhoCorasick {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(beginnings)
        .expect("an environment is not that large")
}

/// All beginnings to search for. If one begins with another, the shorter one finds both.
fn beginnings(values: &[Vec<u8>]) -> Vec<&[u8]> {
    let values = values.iter();
    let mut all: Vec<&[u8]> = values
        .map(|value| &value[..value.len().min(BEGINNING)])
        .chain(PATTERNS.iter().map(|pattern| pattern.prefix.as_bytes()))
        .chain(STEMS.map(str::as_bytes))
        .collect();
    all.sort_unstable();
    all.dedup_by(|one, before| one.starts_with(before));
    all
}

/// The letters of a key that continues.
pub struct Run {
    pub at: Range<usize>,
    pub letters: Letters,
}

impl Run {
    pub fn new(window: &[u8], from: usize, letters: Letters) -> Run {
        let mut rest = window[from..].iter();
        let end = rest.position(|byte| !letters.have(*byte));
        let at = from..end.map_or(window.len(), |end| from + end);
        Run { at, letters }
    }
}

/// The two bytes before `at`; `before` precedes the window.
pub fn two_before(window: &[u8], at: usize, before: [u8; 2]) -> [u8; 2] {
    match window[..at] {
        [] => before,
        [last] => [before[1], last],
        [.., second, last] => [second, last],
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    let is_number = value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
    let is_file = value.starts_with('/') && Path::new(value).exists();
    says_secret(name) && value.len() >= LEAST && !is_number && !is_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_is_one_for_few_words_with_room_for_values() {
        // Above 64 patterns the library uses another search, which is several times slower.
        assert!(beginnings(&[]).len() <= 48, "{}", beginnings(&[]).len());
    }

    #[test]
    fn short_values_numbers_and_files_are_not_secret() {
        for value in ["", "false", "1234567", "64000000", " short ", "/usr/bin"] {
            assert!(!is_secret("A_TOKEN", value), "{value}");
        }
        for value in ["hunter22", "a1b2c3d4", "/no/such/file/at/all"] {
            assert!(is_secret("A_TOKEN", value), "{value}");
        }
    }
}
