//! The total cost of each spec, from usage.jsonl. The file only grows, so each byte is read once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use kumite_host::project::Project;
use kumite_host::status::Status;
use kumite_host::usage_log::Line;

/// The part of the file read so far.
#[derive(Default)]
struct Known {
    /// Identifies the file.
    inode: u64,
    offset: u64,
    usd: BTreeMap<String, f64>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Replaces the cost of the last run by the cost of all runs: each approval by hand begins a new
/// run.
pub fn add_up(project: &Project, specs: &mut [Status]) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut sums = known.take().unwrap_or_default();
    // An unreadable file is ignored here; `kumite cost` shows the error.
    let _ = sums.read(&project.usage_file());
    for status in specs {
        if let Some(usd) = sums.usd.get(&status.spec) {
            status.cost_usd = *usd;
        }
    }
    *known = Some(sums);
}

impl Known {
    fn read(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let found = file.metadata()?;
        if found.ino() != self.inode || found.len() < self.offset {
            *self = Known {
                inode: found.ino(),
                ..Known::default()
            };
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            self.offset += line.len() as u64;
            if let Ok(known) = serde_json::from_slice::<Line>(&line) {
                *self.usd.entry(known.spec).or_default() += known.usd.unwrap_or(0.0);
            }
            line.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn line(spec: &str, usd: f64) -> String {
        format!(
            "{{\"time\":\"\",\"day\":\"\",\"spec\":\"{spec}\",\"run\":1,\"phase\":\"\",\"step\":\"\",\
             \"round\":null,\"attempt\":null,\"agent\":\"\",\"program\":\"\",\"kind\":\"\",\
             \"outcome\":\"\",\"usd\":{usd},\"input_tokens\":0,\"output_tokens\":0}}\n"
        )
    }

    #[test]
    fn what_is_appended_is_added_once_and_a_half_line_waits_for_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("usage.jsonl");
        let half = line("a", 4.0);
        fs::write(&path, line("a", 1.0) + &line("b", 2.0) + &half[..20]).unwrap();
        let mut known = Known::default();
        known.read(&path).unwrap();
        known.read(&path).unwrap();
        assert_eq!(known.usd["a"], 1.0);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&half.as_bytes()[20..]).unwrap();
        known.read(&path).unwrap();
        assert_eq!(known.usd["a"], 5.0);
        assert_eq!(known.usd["b"], 2.0);
    }
}
