//! A file that is appended to while that works, with a limited size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use kumite_files::{make_private_dir, private_mode};

use crate::logs::rotated;

pub struct Log {
    path: PathBuf,
    /// At most two files of half this size are kept. 0: one file of any size.
    max_bytes: u64,
    file: Option<File>,
    size: u64,
    trouble: Option<String>,
}

impl Log {
    pub fn new(path: PathBuf, max_bytes: u64) -> Log {
        Log {
            path,
            max_bytes,
            file: None,
            size: 0,
            trouble: None,
        }
    }

    /// Creates the file, so that readers find it before the first output.
    pub fn create(&mut self) {
        let opened = self.open().map(drop);
        self.note(opened);
    }

    /// Tries again every time: there may be space again.
    pub fn append(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let written = self.write(bytes);
        self.note(written);
    }

    /// The first error.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = bytes.len() as u64;
        self.open()?;
        if self.max_bytes > 0 && self.size > 0 && self.size + size > self.max_bytes / 2 {
            let older = rotated(&self.path);
            // On some file systems a rename over another file first writes all of it to the disk.
            let _ = fs::remove_file(&older);
            match fs::rename(&self.path, older) {
                Ok(()) => self.file = None,
                // A log that is too large is better than none.
                Err(error) => self.note(Err(error)),
            }
        }
        self.open()?.write_all(bytes)?;
        self.size += size;
        Ok(())
    }

    fn open(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                // A directory that exists keeps its rights: it may belong to the system.
                if let Some(parent) = self.path.parent().filter(|it| !it.exists()) {
                    make_private_dir(parent)?;
                }
                let file = OpenOptions::new()
                    .create(true)
                    .append(true)
                    .mode(private_mode(&self.path))
                    .open(&self.path)?;
                self.size = file.metadata()?.len();
                file
            }
        };
        Ok(self.file.insert(file))
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.trouble.get_or_insert_with(|| {
                format!("{} could not be written: {error}", self.path.display())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_was_written_the_last_half_to_whole_of_the_cap_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("logs/agent.log");
        let mut log = Log::new(path.clone(), 100);
        let mut written = String::new();
        for number in 0..1000 {
            let line = format!("{number:07}\n");
            log.append(line.as_bytes());
            written += &line;
            let older = fs::read_to_string(rotated(&path)).unwrap_or_default();
            let kept = older + &fs::read_to_string(&path).unwrap();
            assert!(written.ends_with(&kept));
            assert!(kept.len() <= 100, "{}", kept.len());
            assert!(kept.len() >= 50.min(written.len()), "{}", kept.len());
        }
        assert_eq!(log.trouble(), None);
        assert_eq!(fs::read_dir(dir.path().join("logs")).unwrap().count(), 2);
    }

    #[test]
    fn what_was_there_before_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        fs::write(&path, "x".repeat(60)).unwrap();
        let mut log = Log::new(path.clone(), 100);
        log.append(b"new");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read(rotated(&path)).unwrap().len(), 60);
    }

    #[test]
    fn a_log_that_cannot_be_rotated_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        fs::create_dir(rotated(&path)).unwrap();
        let mut log = Log::new(path.clone(), 100);
        (0..10).for_each(|_| log.append(&[b'x'; 20]));
        assert_eq!(fs::metadata(&path).unwrap().len(), 200);
        assert!(log.trouble().is_some());
    }

    #[test]
    fn without_a_cap_nothing_is_rotated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        let mut log = Log::new(path.clone(), 0);
        (0..100).for_each(|_| log.append(&[b'x'; 1000]));
        assert_eq!(fs::metadata(&path).unwrap().len(), 100_000);
        assert!(!rotated(&path).exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_once_and_tried_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        fs::create_dir(&path).unwrap();
        let mut log = Log::new(path.clone(), 0);
        log.append(b"lost");
        assert!(log.trouble().unwrap().contains("agent.log"));
        fs::remove_dir(&path).unwrap();
        log.append(b"kept");
        assert_eq!(fs::read(&path).unwrap(), b"kept");
        assert!(log.trouble().is_some());
    }
}
