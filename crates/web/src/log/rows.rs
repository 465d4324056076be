//! Splits a stream of bytes into lines, and cuts lines that are too long for a page.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// The most bytes of a line that are shown.
pub const LINE_MAX: usize = 64 * 1024;

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub number: u64,
    /// Without its newline.
    pub bytes: Vec<u8>,
    /// The line was longer than [`LINE_MAX`].
    pub is_cut: bool,
}

/// Passes each line, and whether it was cut, to `each` until that one breaks.
pub fn each_line(
    mut from: impl BufRead,
    mut each: impl FnMut(&[u8], bool) -> ControlFlow<()>,
) -> io::Result<()> {
    // The beginning of a line whose end is not in the buffer yet.
    let mut begun = Vec::new();
    let (mut is_begun, mut is_cut) = (false, false);
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            if is_begun {
                let _ = each(&begun, is_cut);
            }
            return Ok(());
        }
        let end = memchr::memchr(b'\n', buffer);
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        let used = piece.len() + usize::from(end.is_some());
        if end.is_some() && !is_begun {
            let shown = &piece[..piece.len().min(LINE_MAX)];
            if each(shown, shown.len() < piece.len()).is_break() {
                return Ok(());
            }
        } else {
            let room = LINE_MAX - begun.len();
            is_cut |= piece.len() > room;
            begun.extend_from_slice(&piece[..piece.len().min(room)]);
            is_begun = true;
            if end.is_some() {
                if each(&begun, is_cut).is_break() {
                    return Ok(());
                }
                begun.clear();
                (is_begun, is_cut) = (false, false);
            }
        }
        from.consume(used);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(text: &[u8], buffer: usize) -> Vec<(Vec<u8>, bool)> {
        let mut lines = Vec::new();
        each_line(BufReader::with_capacity(buffer, text), |line, is_cut| {
            lines.push((line.to_vec(), is_cut));
            ControlFlow::Continue(())
        })
        .unwrap();
        lines
    }

    #[test]
    fn lines_are_the_same_whatever_the_buffer() {
        for text in [
            "",
            "\n",
            "a",
            "a\n",
            "\n\na\n\nbcd\n",
            "abcdefgh\ni\njklmnopq",
        ] {
            let expected: Vec<_> = text.lines().map(|it| (it.into(), false)).collect();
            for buffer in 1..12 {
                assert_eq!(
                    lines(text.as_bytes(), buffer),
                    expected,
                    "{text:?} {buffer}"
                );
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        let long = vec![b'x'; LINE_MAX + 1];
        let exact = vec![b'y'; LINE_MAX];
        let text = [&long[..], b"\n", &exact, b"\nz"].concat();
        for buffer in [1000, 10 * LINE_MAX] {
            let found = lines(&text, buffer);
            assert_eq!(found.len(), 3);
            assert_eq!((found[0].0.len(), found[0].1), (LINE_MAX, true));
            assert_eq!(found[1], (exact.clone(), false));
            assert_eq!(found[2], (b"z".to_vec(), false));
        }
    }

    #[test]
    fn whoever_has_enough_gets_no_more() {
        let mut seen = 0;
        each_line(&b"a\nb\nc\n"[..], |_, _| {
            seen += 1;
            ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(seen, 1);
    }
}
