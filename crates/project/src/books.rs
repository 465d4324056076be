//! The total usage of all agents of a project, from usage.jsonl. The file only grows, so each byte
//! is read once, however often the totals are requested.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kumite_core::budget::dollars;
use schemars::JsonSchema;
use serde::Serialize;

use crate::announce::usd;
use crate::project::Project;
use crate::usage_log::{LINE_MAX, UsageLine};

/// Reads the lines of usage.jsonl that it has not read yet.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Identifies the file.
    inode: u64,
    offset: u64,
}

/// What a [`Follower`] finds.
pub enum Found {
    /// All lines follow again, from the first one.
    Begin,
    Line(Box<UsageLine>),
    /// A line that cannot be parsed.
    Nonsense,
}

/// The totals of a project, as far as its file has been read.
#[derive(Debug)]
pub struct Books {
    lines: Follower,
    rows: BTreeMap<Key, Sum>,
    unreadable: usize,
}

/// What the lines of one total have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub of: Of,
    pub day: String,
    pub phase: String,
    pub step: String,
    /// Its name in the settings, or the name of the model.
    pub program: String,
}

/// What the work was for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    Spec(String),
    Contest(String),
}

/// The total usage of some agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CostSum")]
pub struct Sum {
    pub agents: u64,
    /// Agents whose programs reported no price.
    pub unpriced: u64,
    pub cost_usd: f64,
    #[serde(skip)]
    pub usd_micros: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl Follower {
    pub fn at(path: PathBuf) -> Follower {
        Follower {
            path,
            inode: 0,
            offset: 0,
        }
    }

    /// Passes every new line to `each`. A missing file counts as empty.
    pub fn read(&mut self, mut each: impl FnMut(Found)) -> io::Result<()> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (self.inode, self.offset) = (0, 0);
                each(Found::Begin);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let found = file.metadata()?;
        if found.ino() != self.inode || found.len() < self.offset {
            (self.inode, self.offset) = (found.ino(), 0);
            each(Found::Begin);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut lines = BufReader::with_capacity(256 * 1024, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
            let known = serde_json::from_slice::<UsageLine>(&line);
            // A line that is being written has no end yet.
            let is_whole = line.ends_with(b"\n") || line.len() as u64 == LINE_MAX;
            if read == 0 || (known.is_err() && !is_whole) {
                return Ok(());
            }
            self.offset += read as u64;
            match known {
                Ok(line) => each(Found::Line(Box::new(line))),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => each(Found::Nonsense),
            }
        }
    }
}

impl Books {
    pub fn of(project: &Project) -> Books {
        Books::at(project.usage_file())
    }

    pub fn at(path: PathBuf) -> Books {
        Books {
            lines: Follower::at(path),
            rows: BTreeMap::new(),
            unreadable: 0,
        }
    }

    pub fn path(&self) -> &Path {
        &self.lines.path
    }

    /// Reads what is new.
    pub fn read(&mut self) -> io::Result<()> {
        self.lines.read(|found| match found {
            Found::Begin => {
                self.rows.clear();
                self.unreadable = 0;
            }
            Found::Line(line) => {
                let row = self.rows.entry(Key::of(&line)).or_default();
                row.add(Sum::of(&line));
            }
            Found::Nonsense => self.unreadable += 1,
        })
    }

    /// How many lines could not be parsed, and are left out.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// One total for each name that `name` returns; rows without a name are left out.
    pub fn by<'a, N: Ord>(&'a self, name: impl Fn(&'a Key) -> Option<N>) -> BTreeMap<N, Sum> {
        let mut sums: BTreeMap<N, Sum> = BTreeMap::new();
        for (key, sum) in &self.rows {
            if let Some(name) = name(key) {
                sums.entry(name).or_default().add(*sum);
            }
        }
        sums
    }

    /// The total of the rows that count.
    pub fn sum(&self, counts: impl Fn(&Key) -> bool) -> Sum {
        let mut all = self.by(|key| counts(key).then_some(()));
        all.remove(&()).unwrap_or_default()
    }
}

impl Key {
    fn of(line: &UsageLine) -> Key {
        Key {
            of: line.of(),
            day: line.day.clone(),
            phase: line.phase.clone(),
            step: line.step.clone(),
            program: line.program.clone(),
        }
    }
}

impl Of {
    pub fn name(&self) -> &str {
        match self {
            Of::Spec(name) | Of::Contest(name) => name,
        }
    }
}

impl Sum {
    fn of(line: &UsageLine) -> Sum {
        let usd_micros = line.usd_micros().unwrap_or(0);
        Sum {
            agents: 1,
            unpriced: u64::from(line.usd.is_none()),
            usd_micros,
            cost_usd: usd(usd_micros),
            input_tokens: line.input_tokens,
            output_tokens: line.output_tokens,
        }
    }

    /// Money for people; `none` if no agent reported a price. `+` marks a lower bound: some agents
    /// reported no price.
    pub fn money(&self, none: &str) -> String {
        match self.unpriced {
            0 => dollars(self.usd_micros),
            all if all == self.agents => none.to_owned(),
            _ => format!("{}+", dollars(self.usd_micros)),
        }
    }

    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    pub fn add(&mut self, more: Sum) {
        let add = |one: &mut u64, other: u64| *one = one.saturating_add(other);
        add(&mut self.agents, more.agents);
        add(&mut self.unpriced, more.unpriced);
        add(&mut self.usd_micros, more.usd_micros);
        add(&mut self.input_tokens, more.input_tokens);
        add(&mut self.output_tokens, more.output_tokens);
        self.cost_usd = usd(self.usd_micros);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    fn line(spec: &str, day: &str, usd: f64) -> String {
        format!(
            "{{\"time\":\"\",\"day\":\"{day}\",\"spec\":\"{spec}\",\"run\":1,\"phase\":\"\",\
             \"step\":\"impl\",\"round\":null,\"attempt\":null,\"agent\":\"\",\"program\":\"\",\
             \"kind\":\"\",\"outcome\":\"\",\"usd\":{usd},\"input_tokens\":2,\"output_tokens\":0}}\n"
        )
    }

    fn micros(books: &mut Books, spec: &str) -> u64 {
        books.read().unwrap();
        books
            .sum(|key| key.of == Of::Spec(spec.to_owned()))
            .usd_micros
    }

    #[test]
    fn house_4_4_what_is_appended_is_added_once_and_a_half_line_waits_for_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("usage.jsonl");
        let mut books = Books::at(path.clone());
        assert_eq!(micros(&mut books, "a"), 0);
        let half = line("a", "2", 0.2);
        fs::write(
            &path,
            line("a", "1", 0.1) + &line("b", "1", 2.0) + &half[..20],
        )
        .unwrap();
        assert_eq!(micros(&mut books, "a"), 100_000);
        assert_eq!(micros(&mut books, "a"), 100_000);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&half.as_bytes()[20..]).unwrap();
        // As floats the sum would be 0.30000000000000004.
        assert_eq!(micros(&mut books, "a"), 300_000);
        file.write_all(b"{}\n\n").unwrap();
        assert_eq!(micros(&mut books, "b"), 2_000_000);
        assert_eq!((books.unreadable(), books.sum(|_| true).agents), (1, 3));
        let days = books.by(|key| Some(key.day.as_str()));
        assert_eq!(days["1"].usd_micros, 2_100_000);
        // A new file with the same name is read from the beginning.
        fs::remove_file(&path).unwrap();
        fs::write(&path, line("a", "3", 7.0)).unwrap();
        assert_eq!(micros(&mut books, "a"), 7_000_000);
    }
}
