//! What is secret: values of environment variables with telling names, and text that looks like a
//! key.

use std::ops::Range;
use std::path::Path;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Shorter values are common words that may appear anywhere.
const LEAST: usize = 8;
/// The search looks for this many first bytes; the rest is compared.
const BEGINNING: usize = 16;

/// A key that is known by how it begins. It goes on for as long as its letters do.
struct Pattern {
    prefix: &'static [u8],
    /// So many letters have to follow.
    least: usize,
    /// These letters: [`is_word`], or else [`is_key`].
    word: bool,
    /// It stands at the beginning of a word: `task-` is none.
    apart: bool,
}

const fn pattern(prefix: &'static str, least: usize) -> Pattern {
    Pattern {
        prefix: prefix.as_bytes(),
        least,
        word: true,
        apart: false,
    }
}

const fn bearer(prefix: &'static str) -> Pattern {
    Pattern {
        word: false,
        ..pattern(prefix, 20)
    }
}

const PATTERNS: [Pattern; 15] = [
    bearer("Bearer "),
    bearer("bearer "),
    bearer("BEARER "),
    Pattern {
        apart: true,
        ..pattern("sk-", 20)
    },
    pattern("sk-ant-", 20),
    pattern("sk-proj-", 20),
    pattern("AIza", 30),
    pattern("ghp_", 20),
    pattern("gho_", 20),
    pattern("ghu_", 20),
    pattern("ghs_", 20),
    pattern("ghr_", 20),
    pattern("github_pat_", 20),
    pattern("xoxb-", 20),
    pattern("xoxp-", 20),
];

pub struct Secrets {
    values: Vec<Vec<u8>>,
    /// Finds where a secret may begin.
    beginnings: AhoCorasick,
    /// Which bytes are the first of one.
    firsts: [bool; 256],
    /// How many bytes it takes at most to tell whether one begins.
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
        let mut beginnings: Vec<&[u8]> = values
            .iter()
            .map(|value| &value[..value.len().min(BEGINNING)])
            .chain(PATTERNS.iter().map(|pattern| pattern.prefix))
            .collect();
        beginnings.dedup();
        let mut firsts = [false; 256];
        for beginning in &beginnings {
            firsts[usize::from(beginning[0])] = true;
        }
        let longest = values.iter().map(Vec::len);
        let patterns = PATTERNS.iter().map(Pattern::reach);
        let reach = longest.chain(patterns).max().unwrap_or(0);
        let beginnings = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(&beginnings)
            .expect("an environment is not that large");
        Secrets {
            values,
            beginnings,
            firsts,
            reach,
        }
    }

    /// Where the next secret may begin, at or after `from` and before `until`.
    pub fn next(&self, window: &[u8], from: usize, until: usize) -> Option<usize> {
        let found = self.beginnings.find(Input::new(window).range(from..))?;
        (found.start() < until).then_some(found.start())
    }

    /// The end of the longest secret that begins at `at`. `run` is the last key found, so that its
    /// end is searched only once.
    pub fn end(
        &self,
        window: &[u8],
        at: usize,
        before: [u8; 2],
        run: &mut Option<Range<usize>>,
    ) -> Option<usize> {
        let rest = &window[at..];
        let values = self.values.iter().filter(|value| rest.starts_with(value));
        let value = values.map(|value| at + value.len()).max();
        let before = two_before(window, at, before);
        let mut patterns = PATTERNS.iter();
        let key = patterns.find(|pattern| pattern.fits(rest, before) && pattern.is_whole(rest));
        let key = key.map(|pattern| {
            let from = at + pattern.reach();
            match run {
                Some(run) if run.start <= from && from <= run.end => run.end,
                _ => run.insert(from..run_end(window, from)).end,
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
            self.firsts[usize::from(rest[0])]
                && (self.values.iter().any(is_begun) || {
                    let before = two_before(window, *at, before);
                    let mut patterns = PATTERNS.iter();
                    patterns
                        .any(|pattern| rest.len() < pattern.reach() && pattern.fits(rest, before))
                })
        };
        (from..window.len()).find(may_begin).unwrap_or(window.len())
    }
}

impl Pattern {
    /// How many bytes tell whether it is one.
    fn reach(&self) -> usize {
        self.prefix.len() + self.least
    }

    fn is_whole(&self, rest: &[u8]) -> bool {
        rest.len() >= self.reach()
    }

    /// Whether nothing in `rest` speaks against it, as far as that goes.
    fn fits(&self, rest: &[u8], before: [u8; 2]) -> bool {
        let (prefix, letters) = rest.split_at(rest.len().min(self.prefix.len()));
        let letters = &letters[..letters.len().min(self.least)];
        let is_letter = if self.word { is_word } else { is_key };
        self.prefix.starts_with(prefix)
            && letters.iter().copied().all(is_letter)
            && (!self.apart || begins_word(before))
    }
}

/// Where the letters of a key end that goes on at `from`.
pub fn run_end(window: &[u8], from: usize) -> usize {
    let letters = window[from..].iter().take_while(|byte| is_key(**byte));
    from + letters.count()
}

/// The two bytes before `at`; `before` precedes the window.
pub fn two_before(window: &[u8], at: usize, before: [u8; 2]) -> [u8; 2] {
    match window[..at] {
        [] => before,
        [last] => [before[1], last],
        [.., second, last] => [second, last],
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_key(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=')
}

/// Also after an escaped newline or the like (`\n`), and after a colour (`ESC [ 3 1 m`).
fn begins_word([second, last]: [u8; 2]) -> bool {
    match last {
        b'n' | b'r' | b't' | b'b' | b'f' if second == b'\\' => true,
        b'm' => matches!(second, b'0'..=b'9' | b';' | b'['),
        _ => !is_word(last),
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    let is_number = value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
    let is_file = value.starts_with('/') && Path::new(value).exists();
    says_secret(name) && value.len() >= LEAST && !is_number && !is_file
}

fn says_secret(name: &str) -> bool {
    const ANYWHERE: [&str; 6] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
    ];
    // What these name is where a secret is, not the secret.
    const PLACES: [&str; 8] = [
        "FILE",
        "PATH",
        "DIR",
        "DIRECTORY",
        "SOCK",
        "SOCKET",
        "URL",
        "ENDPOINT",
    ];
    let name = name.to_ascii_uppercase();
    let mut words = name
        .split('_')
        .map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    let is_place = words
        .clone()
        .next_back()
        .is_some_and(|last| PLACES.contains(&last));
    let is_key = |word: &str| word.ends_with("KEY") || word.ends_with("KEYS") || word == "PASS";
    !name.starts_with("KUMITE_")
        && !is_place
        && (ANYWHERE.iter().any(|word| name.contains(word))
            || name.ends_with("_PAT")
            || words.any(is_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_secret() {
        for name in [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY2",
            "apikey",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
            "DB_PASS",
            "GOOGLE_CREDENTIALS",
            "GITLAB_PAT",
            "PRIVATE_KEY_PEM",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ] {
            assert!(says_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "SSH_AUTH_SOCK",
            "SSH_ASKPASS",
            "TLS_KEY_FILE",
            "TOKEN_PATH",
            "PASSWORD_STORE_DIR",
            "CREDENTIALS_DIRECTORY",
            "OIDC_TOKEN_URL",
            "KEYBOARD_LAYOUT",
            "KUMITE_TOKEN",
            "COMPAT",
            "PWD",
        ] {
            assert!(!says_secret(name), "{name}");
        }
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
