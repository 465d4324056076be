//! Keeps secrets out of everything that is written down.
//!
//! The output of an agent comes in pieces, and a secret may be cut at the end of any piece. So text
//! that could be the beginning of a secret is held back until more is known, and nothing else is:
//! text without secrets passes without being copied.

mod secrets;

use std::borrow::Cow;
use std::rc::Rc;

use kumite_core::outcome::Outcome;
use kumite_core::secret::Letters;

use crate::said::{Said, outcome_words};
use secrets::Run;
pub use secrets::Secrets;

/// Replaces a secret.
const MASK: &[u8] = b"***";

/// In a text that was cut, even this many first letters of a secret are masked.
const CUT_LEAST: usize = 4;

/// Masks one stream.
pub struct Mask {
    secrets: Rc<Secrets>,
    state: State,
}

struct State {
    /// Text that may be the beginning of a secret.
    held: Vec<u8>,
    /// How much of it is already masked, as the end of another secret.
    covered: usize,
    /// The last masked text is a key that may continue, with these letters.
    open: Option<Letters>,
    /// The last two bytes before the held text.
    before: [u8; 2],
}

impl Mask {
    pub fn new(secrets: Rc<Secrets>) -> Mask {
        Mask {
            secrets,
            state: State::new(),
        }
    }

    /// What can be shown now.
    pub fn feed<'a>(&mut self, piece: &'a [u8]) -> Cow<'a, [u8]> {
        self.state.feed(&self.secrets, piece)
    }

    /// The rest: no more input follows.
    pub fn finish(&mut self) -> Vec<u8> {
        self.state.finish(&self.secrets)
    }
}

impl Secrets {
    /// `text` without secrets, and without the beginning of a secret where it was cut (`…`).
    pub fn mask(&self, text: &str) -> String {
        let Some(cut) = text.rfind('…') else {
            return self.mask_whole(text);
        };
        let (head, tail) = text.split_at(cut);
        let begun = self.undecided(head.as_bytes(), State::new().before);
        match head.len() - begun >= CUT_LEAST {
            true => format!("{}***{}", self.mask_whole(&head[..begun]), tail),
            false => self.mask_whole(text),
        }
    }

    pub fn mask_outcome(&self, mut outcome: Outcome) -> Outcome {
        self.mask_all(outcome_words(&mut outcome));
        outcome
    }

    pub fn mask_said(&self, mut said: Said) -> Said {
        self.mask_all(said.words());
        said
    }

    fn mask_all<'a>(&self, words: impl IntoIterator<Item = &'a mut String>) {
        for words in words {
            *words = self.mask(words);
        }
    }

    fn mask_whole(&self, text: &str) -> String {
        let mut state = State::new();
        let masked = state.pass(self, text.as_bytes(), text.len());
        String::from_utf8_lossy(&masked).into_owned()
    }
}

impl State {
    fn new() -> State {
        State {
            held: Vec::new(),
            covered: 0,
            open: None,
            before: [b'\n'; 2],
        }
    }

    fn feed<'a>(&mut self, secrets: &Secrets, piece: &'a [u8]) -> Cow<'a, [u8]> {
        if self.held.is_empty() {
            let until = secrets.undecided(piece, self.before);
            return self.pass(secrets, piece, until);
        }
        let mut window = std::mem::take(&mut self.held);
        window.extend_from_slice(piece);
        let until = secrets.undecided(&window, self.before);
        Cow::Owned(self.pass(secrets, &window, until).into_owned())
    }

    fn finish(&mut self, secrets: &Secrets) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let rest = self.pass(secrets, &held, held.len()).into_owned();
        *self = State::new();
        rest
    }

    /// Masks every secret that begins in `window` before `until`, and holds the rest back.
    /// Overlapping secrets are masked as one.
    fn pass<'a>(&mut self, secrets: &Secrets, window: &'a [u8], until: usize) -> Cow<'a, [u8]> {
        let mut out = Vec::new();
        // Everything before this is in `out`, or masked.
        let mut done = self.covered;
        // The last key that was found, as far as it is known.
        let mut run: Option<Run> = None;
        if let Some(letters) = self.open {
            let on = Run::new(window, done, letters);
            done = on.at.end;
            run = Some(on);
        }
        for at in secrets.places(window, until) {
            let Some(end) = secrets.end(window, at, self.before, &mut run) else {
                continue;
            };
            if at >= done {
                out.extend_from_slice(&window[done..at]);
                out.extend_from_slice(MASK);
            }
            done = done.max(end);
        }
        self.open = run.and_then(|run| (run.at.end == window.len()).then_some(run.letters));
        self.held = window[until..].to_vec();
        self.covered = done.saturating_sub(until);
        self.before = secrets::two_before(window, until, self.before);
        let rest = &window[done.min(until)..until];
        if out.is_empty() {
            return Cow::Borrowed(rest);
        }
        out.extend_from_slice(rest);
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests;
