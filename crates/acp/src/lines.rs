//! Reads lines of bounded length from a pipe.

use std::io::{self, BufRead};

use memchr::memchr;

/// Longer lines are skipped: no real message is that long, and memory is limited.
pub const LINE_MAX: usize = 8 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    Whole(Vec<u8>),
    /// The line had this many bytes.
    TooLong(u64),
}

/// The next line without its newline. Text after the last newline is a line too.
pub fn next(from: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut line = Vec::new();
    let mut skipped = 0;
    loop {
        let piece = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        let ended = piece.is_empty();
        if ended && line.is_empty() && skipped == 0 {
            return Ok(None);
        }
        let newline = memchr(b'\n', piece);
        let taken = &piece[..newline.unwrap_or(piece.len())];
        let length = line.len() + taken.len();
        if skipped > 0 || length > LINE_MAX {
            skipped += length as u64;
            line = Vec::new();
        } else {
            line.extend_from_slice(taken);
        }
        let used = taken.len() + usize::from(newline.is_some());
        from.consume(used);
        if ended || newline.is_some() {
            return Ok(Some(match skipped {
                0 => Received::Whole(line),
                bytes => Received::TooLong(bytes),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(text: &[u8], buffer: usize) -> Vec<Received> {
        let mut from = BufReader::with_capacity(buffer, text);
        let mut found = Vec::new();
        while let Some(line) = next(&mut from).unwrap() {
            found.push(line);
        }
        found
    }

    fn whole(text: &str) -> Received {
        Received::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        for buffer in [1, 2, 3, 100] {
            let found = lines(b"one\n\ntwo and\nrest", buffer);
            let expected = [whole("one"), whole(""), whole("two and"), whole("rest")];
            assert_eq!(found, expected, "buffer of {buffer}");
        }
        assert_eq!(lines(b"", 8), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_counted_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; LINE_MAX + 1];
        text.extend_from_slice(b"\nnext\n");
        let too_long = Received::TooLong(LINE_MAX as u64 + 1);
        assert_eq!(lines(&text, 64 * 1024), [too_long, whole("next")]);
        let mut text = vec![b'x'; LINE_MAX];
        text.push(b'\n');
        let found = lines(&text, 64 * 1024);
        assert!(matches!(found.as_slice(), [Received::Whole(line)] if line.len() == LINE_MAX));
    }
}
