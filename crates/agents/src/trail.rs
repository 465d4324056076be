//! Reads a log while it grows, even across its rotation.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::logs::rotated;

/// A reader that comes back to see what is new.
pub struct Trail {
    path: PathBuf,
    /// Kept open, so that it is recognised when it has another name, or none.
    file: Option<File>,
}

impl Trail {
    pub fn new(path: PathBuf) -> Trail {
        Trail { path, file: None }
    }

    /// Calls `take` with everything that is new, in pieces of any size.
    pub fn read(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        loop {
            self.rest(&mut take)?;
            let newer = self.newer()?;
            if newer.is_empty() {
                return Ok(());
            }
            // Nobody writes to it any more, but something may have been written after our last
            // read.
            self.rest(&mut take)?;
            for file in newer {
                self.file = Some(file);
                self.rest(&mut take)?;
            }
        }
    }

    fn rest(&mut self, take: &mut impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => take(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The files that were begun after the current one, in order.
    fn newer(&self) -> io::Result<Vec<File>> {
        let known = self.file.as_ref().map(File::metadata).transpose()?;
        let is_known = |file: &Metadata| known.as_ref().is_some_and(|known| is_same(known, file));
        loop {
            let Some(current) = open(self.path.clone())? else {
                // Just renamed, or never there: a file that was renamed is complete.
                let older = open(rotated(&self.path))?;
                let older = older.filter(|(_, found)| !is_known(found));
                return Ok(older.into_iter().map(|(file, _)| file).collect());
            };
            if is_known(&current.1) {
                return Ok(Vec::new());
            }
            return match open(rotated(&self.path))? {
                // The file was renamed between the two looks.
                Some(older) if is_same(&older.1, &current.1) => continue,
                Some(older) if !is_known(&older.1) => Ok(vec![older.0, current.0]),
                _ => Ok(vec![current.0]),
            };
        }
    }
}

fn open(path: PathBuf) -> io::Result<Option<(File, Metadata)>> {
    match File::open(path) {
        Ok(file) => {
            let found = file.metadata()?;
            Ok(Some((file, found)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::supervisor::Log;

    fn read(trail: &mut Trail) -> String {
        let mut all = Vec::new();
        trail
            .read(|piece| {
                all.extend_from_slice(piece);
                Ok(())
            })
            .unwrap();
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn everything_is_read_once_however_often_it_is_rotated_between_two_looks() {
        // At most one rotation between two looks, at every 1, 2, 3 lines, with 6 lines per file.
        for every in 1..=6 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("agent.log");
            let mut log = Log::new(path.clone(), 100);
            let mut trail = Trail::new(path);
            assert_eq!(read(&mut trail), "", "it is not there yet");
            let (mut written, mut found) = (String::new(), String::new());
            for number in 0..100 {
                let line = format!("{number:07}\n");
                log.append(line.as_bytes());
                written += &line;
                if number % every == 0 {
                    found += &read(&mut trail);
                }
            }
            found += &read(&mut trail);
            assert_eq!(found, written, "every {every}");
        }
    }

    #[test]
    fn two_rotations_between_two_looks_lose_nothing_that_is_still_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        let mut trail = Trail::new(path.clone());
        fs::write(&path, "one ").unwrap();
        assert_eq!(read(&mut trail), "one ");
        for next in ["two ", "three "] {
            fs::rename(&path, rotated(&path)).unwrap();
            fs::write(&path, next).unwrap();
        }
        assert_eq!(read(&mut trail), "two three ");
    }

    #[test]
    fn a_log_that_was_just_rotated_is_read_by_a_newcomer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        fs::write(rotated(&path), "older ").unwrap();
        let mut trail = Trail::new(path.clone());
        assert_eq!(read(&mut trail), "older ");
        fs::write(&path, "newer").unwrap();
        assert_eq!(read(&mut trail), "newer");
    }
}
