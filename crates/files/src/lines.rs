//! Files of lines that only grow, and that several processes may write. Each line is one write. A
//! full disk or a crash can leave a torn last line: it never spoils the next one.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::open::{Access, open_append};

/// Lines are far shorter. A repeated line is near the end, too.
const TAIL: u64 = 64 * 1024;

#[derive(Debug)]
pub struct Lines {
    file: File,
}

impl Lines {
    /// Opens the file, and creates it and its directories.
    pub fn open(path: &Path, access: Access) -> io::Result<Lines> {
        open_append(path, access).map(Lines::of)
    }

    /// A file that is open for appending and reading.
    pub fn of(file: File) -> Lines {
        Lines { file }
    }

    /// Appends whole lines, or nothing. A torn last line of another process stays a separate line.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        let mut last = [b'\n'];
        if end > 0 {
            self.file.read_exact_at(&mut last, end - 1)?;
        }
        let written = match last {
            [b'\n'] => self.file.write_all(lines.as_bytes()),
            _ => self.file.write_all(format!("\n{lines}").as_bytes()),
        };
        written.inspect_err(|_| {
            // Half a line would spoil the next one too.
            let _ = self.file.set_len(end);
        })
    }

    /// Removes a torn last line. One that `is_whole` lacks only its line end, and gets it; so does
    /// one that is too long to be ours.
    pub fn repair(&mut self, is_whole: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        let tail = self.tail(TAIL)?;
        let torn = &tail[whole_lines(&tail).len()..];
        let is_long = torn.len() == tail.len() && (tail.len() as u64) < end;
        match torn {
            [] => Ok(()),
            torn if is_long || is_whole(torn) => self.file.write_all(b"\n"),
            torn => self.file.set_len(end - torn.len() as u64),
        }
    }

    /// How many lines near the end contain all these marks.
    pub fn count(&self, marks: &[&str]) -> io::Result<usize> {
        let tail = self.tail(TAIL)?;
        let text = String::from_utf8_lossy(&tail);
        let lines = text.lines();
        Ok(lines
            .filter(|line| marks.iter().all(|mark| line.contains(mark)))
            .count())
    }

    /// The last bytes of the file, at most `max`.
    pub fn tail(&self, max: u64) -> io::Result<Vec<u8>> {
        let end = self.file.metadata()?.len();
        let from = end.saturating_sub(max);
        let mut bytes = vec![0; usize::try_from(end - from).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }
}

/// The bytes without an unfinished last line.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}
