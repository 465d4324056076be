//! What is secret: names that say so, and text that looks like a key.

/// The letters of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Capitals and digits.
    Upper,
    Alnum,
    /// [`Letters::Alnum`], `_` and `-`.
    Word,
    /// [`Letters::Word`], and the other characters of base64 and tokens with dots.
    Key,
    /// The lines of a key in a file, even if they are numbered or escaped. A `-` ends them.
    Block,
}

/// A key that is recognised by its prefix. It ends with its last letter.
#[derive(Debug)]
pub struct Pattern {
    pub prefix: &'static str,
    /// How many letters must follow.
    least: usize,
    letters: Letters,
    /// It must begin a word: `task-` is not `sk-`.
    apart: bool,
}

const fn of(prefix: &'static str, least: usize, letters: Letters) -> Pattern {
    Pattern {
        prefix,
        least,
        letters,
        apart: false,
    }
}

const fn apart(prefix: &'static str, least: usize, letters: Letters) -> Pattern {
    Pattern {
        apart: true,
        ..of(prefix, least, letters)
    }
}

use Letters::{Alnum, Block, Key, Upper, Word};

/// Common beginnings of several [`PATTERNS`]. They are searched as one.
pub const STEMS: [&str; 3] = ["-----BEGIN ", "eyJ", "xox"];

pub const PATTERNS: &[Pattern] = &[
    of("Bearer ", 20, Key),
    of("bearer ", 20, Key),
    of("BEARER ", 20, Key),
    // OpenAI, Anthropic and similar services.
    apart("sk-", 20, Word),
    of("sk-ant-", 20, Word),
    of("sk-proj-", 20, Word),
    apart("gsk_", 20, Alnum),
    apart("xai-", 20, Alnum),
    apart("hf_", 30, Alnum),
    // Google.
    of("AIza", 30, Word),
    apart("ya29.", 20, Key),
    of("GOCSPX-", 20, Word),
    // GitHub and GitLab.
    of("ghp_", 20, Word),
    of("gho_", 20, Word),
    of("ghu_", 20, Word),
    of("ghs_", 20, Word),
    of("ghr_", 20, Word),
    of("github_pat_", 20, Word),
    of("glpat-", 20, Word),
    of("gldt-", 20, Word),
    of("glrt-", 20, Word),
    of("glptt-", 20, Word),
    of("glcbt-", 20, Word),
    of("glsoat-", 20, Word),
    // Slack.
    of("xoxb-", 20, Word),
    of("xoxp-", 20, Word),
    of("xoxa-", 20, Word),
    of("xoxr-", 20, Word),
    of("xoxs-", 20, Word),
    of("xapp-", 20, Word),
    of("hooks.slack.com/services/", 20, Key),
    // Stripe.
    of("sk_live_", 16, Alnum),
    of("sk_test_", 16, Alnum),
    of("rk_live_", 16, Alnum),
    of("rk_test_", 16, Alnum),
    of("whsec_", 20, Key),
    // Registries.
    apart("npm_", 30, Alnum),
    of("pypi-AgE", 40, Word),
    of("dckr_pat_", 20, Word),
    // Clouds.
    apart("AKIA", 16, Upper),
    apart("ASIA", 16, Upper),
    of("aws_secret_access_key=", 30, Key),
    of("aws_secret_access_key = ", 30, Key),
    of("AWS_SECRET_ACCESS_KEY=", 30, Key),
    of("SecretAccessKey\": \"", 30, Key),
    of("AccountKey=", 40, Key),
    of("SharedAccessKey=", 40, Key),
    of("dop_v1_", 30, Alnum),
    of("hvs.", 24, Word),
    apart("SG.", 50, Key),
    // JSON Web Tokens: `{"alg":`, `{"typ":` and `{"kid":` in base64.
    of("eyJhbGciOi", 20, Key),
    of("eyJ0eXAiOi", 20, Key),
    of("eyJraWQiOi", 20, Key),
    of("-----BEGIN PRIVATE KEY-----", 40, Block),
    of("-----BEGIN RSA PRIVATE KEY-----", 40, Block),
    of("-----BEGIN EC PRIVATE KEY-----", 40, Block),
    of("-----BEGIN OPENSSH PRIVATE KEY-----", 40, Block),
    of("-----BEGIN PGP PRIVATE KEY BLOCK-----", 40, Block),
];

impl Pattern {
    /// How many bytes are needed to recognise it.
    pub fn reach(&self) -> usize {
        self.prefix.len() + self.least
    }

    pub fn is_whole(&self, rest: &[u8]) -> bool {
        rest.len() >= self.reach()
    }

    /// Whether `rest` can be the beginning of such a key. `before` are the two bytes before it.
    pub fn fits(&self, rest: &[u8], before: [u8; 2]) -> bool {
        let (prefix, letters) = rest.split_at(rest.len().min(self.prefix.len()));
        let letters = &letters[..letters.len().min(self.least)];
        self.prefix.as_bytes().starts_with(prefix)
            && letters.iter().all(|byte| self.letters.have(*byte))
            && (!self.apart || begins_word(before))
    }

    /// Its letters once it is recognised: it is masked to the end of the word.
    pub fn run(&self) -> Letters {
        match self.letters {
            Upper | Alnum | Word | Key => Key,
            Block => Block,
        }
    }
}

impl Letters {
    pub fn have(self, byte: u8) -> bool {
        match self {
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alnum => byte.is_ascii_alphanumeric(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Key => Word.have(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'='),
            Block => {
                byte.is_ascii_alphanumeric()
                    || byte.is_ascii_whitespace()
                    || !byte.is_ascii()
                    || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b'|' | b':')
            }
        }
    }
}

/// A word can also begin after an escaped newline or the like (`\n`), and after a colour (`ESC [ 3
/// 1 m`).
fn begins_word([second, last]: [u8; 2]) -> bool {
    match last {
        b'n' | b'r' | b't' | b'b' | b'f' if second == b'\\' => true,
        b'm' => matches!(second, b'0'..=b'9' | b';' | b'['),
        _ => !Word.have(last),
    }
}

/// Whether the value of a variable or flag with this name is secret.
pub fn says_secret(name: &str) -> bool {
    const ANYWHERE: [&str; 6] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
    ];
    // Such names give the place of a secret, not the secret.
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
        .split(['_', '-'])
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

/// An argument list that may be shown: without keys, and without the values of secret flags.
pub fn shown_args(args: &[String]) -> Vec<String> {
    let before = args.iter().map(String::as_str);
    let before = std::iter::once("").chain(before);
    let shown = before.zip(args).map(|(before, arg)| {
        let is_named = before.starts_with('-') && !before.contains('=') && says_secret(before);
        match is_named && is_value(arg) {
            true => "…".to_owned(),
            false => shown_arg(arg),
        }
    });
    shown.collect()
}

fn shown_arg(arg: &str) -> String {
    let assigned = arg.match_indices(['=', ':']).find(|(at, _)| {
        let name = arg[..*at].rsplit([' ', ',', '=', ':', '"', '\'']).next();
        name.is_some_and(says_secret) && is_value(&arg[at + 1..])
    });
    match assigned {
        Some((at, _)) => format!("{}…", &arg[..=at]),
        None if looks_secret(arg) || has_password(arg) => "…".to_owned(),
        None => arg.to_owned(),
    }
}

/// `--max-tokens 4096` is not a secret.
fn is_value(text: &str) -> bool {
    let text = text.trim_matches([' ', '"', '\'']);
    !text.is_empty() && !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'))
}

/// `https://me:secret@host`.
fn has_password(text: &str) -> bool {
    let rest = text.split_once("://").map(|(_, rest)| rest);
    let user = rest.and_then(|rest| rest.split(['/', '?', '#']).next()?.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':'))
}

fn looks_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    let before = |at: usize| match bytes[..at] {
        [] => *b"\n\n",
        [last] => [b'\n', last],
        [.., second, last] => [second, last],
    };
    let is_key = |at: usize, pattern: &Pattern| {
        pattern.is_whole(&bytes[at..]) && pattern.fits(&bytes[at..], before(at))
    };
    (0..bytes.len()).any(|at| PATTERNS.iter().any(|pattern| is_key(at, pattern)))
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
            "--api-key",
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
            "--key-file",
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
    fn arguments_are_shown_without_their_secrets() {
        let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";
        let rows: &[(&[&str], &[&str])] = &[
            (&["--token", "hunter2", "-v"], &["--token", "…", "-v"]),
            (&["--api-key=hunter2"], &["--api-key=…"]),
            (&["-H", "X-Api-Key: hunter2"], &["-H", "X-Api-Key:…"]),
            (
                &["env", "DB_PASSWORD=x", "run"],
                &["env", "DB_PASSWORD=…", "run"],
            ),
            (&[key, "-c", "x=1"], &["…", "-c", "x=1"]),
            (&["https://me:it@host/x"], &["…"]),
            (&["https://me@host/x"], &["https://me@host/x"]),
            (
                &["--max-tokens", "4096", "--max-tokens=1"],
                &["--max-tokens", "4096", "--max-tokens=1"],
            ),
            (&["--key-file", "/etc/key"], &["--key-file", "/etc/key"]),
            (
                &["{step}", "--model", "opus"],
                &["{step}", "--model", "opus"],
            ),
        ];
        for (args, shown) in rows {
            let args: Vec<String> = args.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(shown_args(&args), *shown);
        }
    }

    #[test]
    fn nothing_is_looked_for_that_is_shorter_than_three_letters() {
        let prefixes = PATTERNS.iter().map(|pattern| pattern.prefix).chain(STEMS);
        assert!(prefixes.into_iter().all(|prefix| prefix.len() >= 3));
    }
}
