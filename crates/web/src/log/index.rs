//! Where the lines of a file begin, without keeping the file in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The start of every line with a multiple of this number is stored.
const EVERY: u64 = 256;

const CHUNK: usize = 1024 * 1024;

/// An index of a file that only grows. Lines are counted from 0 here.
#[derive(Clone, Debug)]
pub struct Index {
    /// Where the lines 0, [`EVERY`], 2 * [`EVERY`] ... begin.
    starts: Vec<u64>,
    /// How many complete lines there are.
    whole: u64,
    /// How many bytes of the file have been read.
    seen: u64,
    /// Where the last complete line ends.
    end: u64,
    /// True if the rest without a newline counts as a line too, because nobody will finish it.
    is_closed: bool,
}

impl Default for Index {
    fn default() -> Index {
        Index {
            starts: vec![0],
            whole: 0,
            seen: 0,
            end: 0,
            is_closed: false,
        }
    }
}

impl Index {
    /// Reads the new part of `file`, up to the size `bytes`.
    pub fn extend(&mut self, file: &File, bytes: u64) -> io::Result<()> {
        let mut buffer = Vec::new();
        while self.seen < bytes {
            let wanted = CHUNK.min(usize::try_from(bytes - self.seen).unwrap_or(CHUNK));
            buffer.resize(wanted, 0);
            match file.read_at(&mut buffer, self.seen) {
                Ok(0) => break,
                Ok(count) => self.take(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) {
        for at in memchr::memchr_iter(b'\n', bytes) {
            self.whole += 1;
            self.end = self.seen + at as u64 + 1;
            if self.whole.is_multiple_of(EVERY) {
                self.starts.push(self.end);
            }
        }
        self.seen += bytes.len() as u64;
    }

    /// Whether there is text after the last newline.
    pub fn has_rest(&self) -> bool {
        self.seen > self.end
    }

    pub fn close(&mut self, is_closed: bool) {
        self.is_closed = is_closed;
    }

    pub fn count(&self) -> u64 {
        self.whole + u64::from(self.is_closed && self.has_rest())
    }

    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Where the counted lines end.
    pub fn end(&self) -> u64 {
        match self.is_closed {
            true => self.seen,
            false => self.end,
        }
    }

    /// The nearest stored line at or before `line`, and where it begins.
    pub fn near(&self, line: u64) -> (u64, u64) {
        let last = self.starts.len() - 1;
        let at = usize::try_from(line / EVERY).map_or(last, |at| at.min(last));
        (at as u64 * EVERY, self.starts[at])
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn a_line_counts_when_it_has_an_end_or_nobody_writes_it_any_more() {
        let cases = [("", 0, 0), ("a", 0, 1), ("a\n", 1, 1), ("a\n\nb", 2, 3)];
        for (text, open, closed) in cases {
            let mut index = Index::default();
            index.extend(&file(text), text.len() as u64).unwrap();
            assert_eq!(index.count(), open, "{text:?}");
            index.close(true);
            assert_eq!(index.count(), closed, "{text:?}");
            assert_eq!(index.end(), text.len() as u64, "{text:?}");
        }
    }

    #[test]
    fn an_index_that_grew_in_steps_is_the_index_of_the_whole() {
        let lines: Vec<String> = (0..1000).map(|line| format!("line {line}\n")).collect();
        let text = lines.concat();
        let file = file(&text);
        let mut grown = Index::default();
        for bytes in (0..text.len() as u64).step_by(7).chain([text.len() as u64]) {
            grown.extend(&file, bytes).unwrap();
        }
        let mut whole = Index::default();
        whole.extend(&file, text.len() as u64).unwrap();
        assert_eq!(grown.starts, whole.starts);
        assert_eq!((grown.count(), whole.count()), (1000, 1000));
        let start = |line: u64| lines[..line as usize].concat().len() as u64;
        assert_eq!(whole.near(0), (0, 0));
        assert_eq!(whole.near(255), (0, 0));
        assert_eq!(whole.near(256), (256, start(256)));
        assert_eq!(whole.near(999), (768, start(768)));
        assert_eq!(whole.near(u64::MAX), (768, start(768)));
    }
}
