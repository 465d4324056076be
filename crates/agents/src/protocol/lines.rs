//! Cuts a stream of bytes into lines, without copying where possible.

use memchr::{memchr, memrchr};

/// Longer lines are ignored. They are tool output; no result is that long.
pub const LINE_MAX: usize = 4 * 1024 * 1024;

#[derive(Default)]
pub struct Lines {
    /// The beginning of an unfinished line.
    partial: Vec<u8>,
    /// The unfinished line is already too long: the rest of it is dropped.
    skipping: bool,
    /// How many lines were too long since the last call of `take_left_out`.
    left_out: usize,
}

impl Lines {
    /// Calls `take` with whole lines, one or several at a time, without the last newline.
    pub fn feed(&mut self, piece: &[u8], mut take: impl FnMut(&[u8])) {
        let mut rest = piece;
        if self.skipping || !self.partial.is_empty() {
            let Some(end) = memchr(b'\n', piece) else {
                return self.keep(piece);
            };
            self.keep(&piece[..end]);
            if !self.skipping {
                take(&self.partial);
            }
            self.begin_anew();
            rest = &piece[end + 1..];
        }
        if let Some(end) = memrchr(b'\n', rest) {
            take(&rest[..end]);
            rest = &rest[end + 1..];
        }
        self.keep(rest);
    }

    /// The text after the last newline.
    pub fn tail(&self) -> &[u8] {
        &self.partial
    }

    /// How many lines were too long since the last call.
    pub fn take_left_out(&mut self) -> usize {
        std::mem::take(&mut self.left_out)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skipping {
            return;
        }
        if self.partial.len() + bytes.len() > LINE_MAX {
            self.partial = Vec::new();
            self.skipping = true;
            self.left_out += 1;
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn begin_anew(&mut self) {
        self.skipping = false;
        self.partial.clear();
        // One long line should not occupy its memory for hours.
        self.partial.shrink_to(64 * 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.feed(piece, |block| {
                found.extend(block.split(|&byte| byte == b'\n').map(<[u8]>::to_vec))
            });
        }
        (found, lines.tail().to_vec())
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let text = b"one\ntwo\n\nfour and more\nfive";
        let whole = lines_of(&[text]);
        assert_eq!(whole.0, [&b"one"[..], b"two", b"", b"four and more"]);
        assert_eq!(whole.1, b"five");
        for size in 1..text.len() {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let filled = |lines: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
                lines.into_iter().filter(|line| !line.is_empty()).collect()
            };
            let (lines, tail) = lines_of(&pieces);
            assert_eq!(
                (filled(lines), tail),
                (filled(whole.0.clone()), whole.1.clone())
            );
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_one_is_not() {
        let long = vec![b'x'; LINE_MAX / 2 + 1];
        let (lines, tail) = lines_of(&[&long, &long, &long, b"x\nnext\n"]);
        assert_eq!((lines, tail), (vec![b"next".to_vec()], Vec::new()));
    }

    #[test]
    fn lines_that_are_left_out_are_counted_once() {
        let mut lines = Lines::default();
        let long = vec![b'x'; LINE_MAX / 2 + 1];
        for piece in [&long[..], &long, &long, b"\nshort\n", &long, &long] {
            lines.feed(piece, |_| {});
        }
        assert_eq!((lines.take_left_out(), lines.take_left_out()), (2, 0));
    }
}
