//! The end of a stream.

use memchr::memrchr;

/// How much foreign text fits into one of our sentences.
const SENTENCE_MAX: usize = 300;

/// Remembers the end of a stream.
pub struct Tail {
    bytes: Vec<u8>,
    size: usize,
}

impl Tail {
    pub fn new(size: usize) -> Tail {
        Tail {
            bytes: Vec::new(),
            size,
        }
    }

    pub fn push(&mut self, piece: &[u8]) {
        let piece = &piece[piece.len().saturating_sub(self.size)..];
        let keep = self.size - piece.len();
        // Rarely, not at every small piece, because it moves the whole tail.
        if self.bytes.len() + piece.len() > 2 * self.size {
            self.bytes.drain(..self.bytes.len().saturating_sub(keep));
        }
        self.bytes.extend_from_slice(piece);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The last line that is not blank, as bytes.
    pub fn last(&self) -> &[u8] {
        last(&self.bytes)
    }

    /// The same for people, shortened.
    pub fn last_line(&self) -> String {
        last_line(&self.bytes)
    }
}

/// The last line that is not blank, for people, shortened.
pub fn last_line(text: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(last(text)))
}

/// How much of an agent's last text is shown to a person.
const PARAGRAPH_MAX: usize = 600;

/// The end of a text as one line of limited length: a question is usually at the end.
pub fn paragraph(text: &str) -> String {
    let words = text.split(|it: char| it.is_whitespace() || it.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.chars().count().checked_sub(PARAGRAPH_MAX) {
        None | Some(0) => line,
        Some(more) => ['…'].into_iter().chain(line.chars().skip(more)).collect(),
    }
}

/// One line of bounded length, without control characters.
pub fn shorten(text: &str) -> String {
    let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut letters = text.trim().chars().map(printable);
    let mut short: String = letters.by_ref().take(SENTENCE_MAX).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

pub(super) fn last(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let start = memrchr(b'\n', text).map_or(0, |newline| newline + 1);
    text[start..].trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_the_end_of_a_text_on_one_line() {
        assert_eq!(
            paragraph(" I looked.\n\n\tWhich\u{7} one?\n"),
            "I looked. Which one?"
        );
        assert_eq!(paragraph(" \n"), "");
        let long = paragraph(&format!("{}どれですか？", "字".repeat(1000)));
        assert!(
            long.starts_with("…字") && long.ends_with("字どれですか？"),
            "{long}"
        );
        assert_eq!(long.chars().count(), PARAGRAPH_MAX + 1);
    }

    #[test]
    fn the_last_line_that_says_something_counts() {
        let mut tail = Tail::new(16);
        for piece in ["a very long first line\n", "err", "or: no\r\n", "  \n\n"] {
            tail.push(piece.as_bytes());
        }
        assert_eq!(tail.last_line(), "error: no");
    }

    #[test]
    fn a_tail_stays_small() {
        let mut tail = Tail::new(16);
        (0..1000).for_each(|_| tail.push(b"0123456789"));
        assert!(tail.bytes.len() <= 32);
    }

    #[test]
    fn long_words_are_cut_between_letters() {
        let cut = shorten(&"ü".repeat(400));
        assert_eq!(cut.chars().count(), 301);
        assert_eq!(shorten("two\nlines\u{1b}[0m"), "two lines [0m");
    }
}
