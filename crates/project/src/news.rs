//! `news.jsonl`: everything that happens in a project, in one order, whichever process caused it. A
//! follower remembers one position, and gets exactly what came after it, even after a restart.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use kumite_core::engine::EffectKey;
use kumite_files::{Access, Lines, make_private_dir, open_append, open_locked};
use serde_json::{Value, json};

/// Two files of this size are kept.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How much is read at once, from the end.
const TAIL: u64 = 64 * 1024;
/// How much is read at once.
const PIECE: u64 = 256 * 1024;
const NAME: &str = "news.jsonl";
const OLD: &str = "news.old.jsonl";

/// A place between two lines: which file, and its offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    file: u64,
    offset: u64,
}

impl std::fmt::Display for Position {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:x}-{}", self.file, self.offset)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Position, ()> {
        let (file, offset) = text.split_once('-').ok_or(())?;
        Ok(Position {
            file: u64::from_str_radix(file, 16).map_err(|_| ())?,
            offset: offset.parse().map_err(|_| ())?,
        })
    }
}

/// The key of news about a spec or a contest: its name, and the effect that announced it.
pub fn key(subject: &str, effect: EffectKey) -> String {
    format!("{subject} {}.{}", effect.seq, effect.index)
}

/// The journal entry that news with such a key comes from.
pub fn entry_of(news: &Value) -> Option<u64> {
    let (_, effect) = news["key"].as_str()?.rsplit_once(' ')?;
    effect.split('.').next()?.parse().ok()
}

/// Appends one piece of news. `key` identifies it for ever; `again`: it may already be there, from
/// before a crash.
pub fn append(runtime: &Path, key: &str, mut news: Value, again: bool) -> io::Result<()> {
    news["key"] = key.into();
    let mut log = Lines::of(open(runtime)?);
    if again && log.count(&[&format!("\"key\":{}", json!(key))])? > 0 {
        return Ok(());
    }
    log.append(&format!("{news}\n"))
}

/// The file, locked, with its first line. A full file is rotated.
fn open(runtime: &Path) -> io::Result<File> {
    make_private_dir(runtime)?;
    let path = runtime.join(NAME);
    loop {
        let mut file = open_locked(&path, || open_append(&path, Access::Private))?;
        match file.metadata()?.len() {
            0 => {
                let first = json!({ "news": format!("{:x}", new_number(runtime)?) });
                file.write_all(format!("{first}\n").as_bytes())?;
                return Ok(file);
            }
            size if size > MAX_BYTES => fs::rename(&path, runtime.join(OLD))?,
            _ => return Ok(file),
        }
    }
}

/// Greater than the number of every earlier file: a directory may be removed and created again
/// within a millisecond, and the clock may have gone back since the last file was full.
fn new_number(runtime: &Path) -> io::Result<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
    let old = numbered(&runtime.join(OLD))?.map_or(0, |(_, number)| number);
    Ok(now.max(old.saturating_add(1)))
}

/// One line, and the position after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub position: Position,
    pub news: Value,
}

/// Reads news as it comes.
#[derive(Debug)]
pub struct Reader {
    runtime: PathBuf,
    file: Option<File>,
    position: Position,
    partial: Vec<u8>,
}

impl Reader {
    /// Begins with what comes from now on.
    pub fn at_end(runtime: &Path) -> io::Result<Reader> {
        let newest = match numbered(&runtime.join(NAME))? {
            Some(newest) => Some(newest),
            // Another process is just rotating.
            None => numbered(&runtime.join(OLD))?,
        };
        let Some((mut file, number)) = newest else {
            return Ok(Reader::new(runtime));
        };
        // A line that is being written is still to come.
        let end = last_line_end(&file)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Reader {
            file: Some(file),
            position: Position {
                file: number,
                offset: end,
            },
            ..Reader::new(runtime)
        })
    }

    /// Begins after `position`. None: the news there is no longer kept, or never existed.
    pub fn behind(runtime: &Path, position: Position) -> io::Result<Option<Reader>> {
        // Before there was any news.
        if position == Position::default() && !runtime.join(OLD).exists() {
            return Ok(Some(Reader::new(runtime)));
        }
        for name in [NAME, OLD] {
            let Some((mut file, number)) = numbered(&runtime.join(name))? else {
                continue;
            };
            if number == position.file {
                if file.metadata()?.len() < position.offset {
                    return Ok(None);
                }
                file.seek(SeekFrom::Start(position.offset))?;
                return Ok(Some(Reader {
                    file: Some(file),
                    position,
                    ..Reader::new(runtime)
                }));
            }
        }
        Ok(None)
    }

    /// Begins with the oldest that is kept.
    pub fn new(runtime: &Path) -> Reader {
        Reader {
            runtime: runtime.to_owned(),
            file: None,
            position: Position::default(),
            partial: Vec::new(),
        }
    }

    /// After the last line that was read.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The next piece of news; empty means that there is no more.
    pub fn read(&mut self) -> io::Result<Vec<Item>> {
        let mut items = Vec::new();
        while items.is_empty() {
            if self.read_piece(&mut items)? {
                continue;
            }
            let Some(next) = self.next()? else {
                break;
            };
            // Nobody writes to the old file any more, but something may have been written after our
            // last read.
            while self.read_piece(&mut items)? {}
            self.begin(next)?;
        }
        Ok(items)
    }

    /// Returns whether there was anything.
    fn read_piece(&mut self, items: &mut Vec<Item>) -> io::Result<bool> {
        let Some(file) = &mut self.file else {
            return Ok(false);
        };
        let mut bytes = Vec::new();
        file.take(PIECE).read_to_end(&mut bytes)?;
        self.take(&bytes, items);
        Ok(!bytes.is_empty())
    }

    fn take(&mut self, bytes: &[u8], items: &mut Vec<Item>) {
        self.partial.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(length) = self.partial[from..].iter().position(|byte| *byte == b'\n') {
            let line = &self.partial[from..from + length];
            from += length + 1;
            self.position.offset += length as u64 + 1;
            // The first line of the file, or one that was cut off, is not news.
            match serde_json::from_slice::<Value>(line) {
                Ok(news) if news.get("key").is_some() => items.push(Item {
                    position: self.position,
                    news,
                }),
                _ => {}
            }
        }
        self.partial.drain(..from);
    }

    /// The file after the one that was read to its end.
    fn next(&self) -> io::Result<Option<(File, u64)>> {
        let mut found = Vec::new();
        for name in [OLD, NAME] {
            found.extend(numbered(&self.runtime.join(name))?);
        }
        let newer = found
            .into_iter()
            .filter(|(_, number)| *number > self.position.file);
        Ok(newer.min_by_key(|(_, number)| *number))
    }

    fn begin(&mut self, (mut file, number): (File, u64)) -> io::Result<()> {
        file.rewind()?;
        self.file = Some(file);
        self.position = Position {
            file: number,
            offset: 0,
        };
        self.partial.clear();
        Ok(())
    }
}

fn last_line_end(file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    while end > 0 {
        let from = end.saturating_sub(TAIL);
        let mut bytes = vec![0; usize::try_from(end - from).unwrap_or(0)];
        file.read_exact_at(&mut bytes, from)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(from + at as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}

/// The newest news that `fits`, the newest first. Lines without `mark` are not even parsed.
pub fn newest(
    runtime: &Path,
    mark: &str,
    count: usize,
    fits: impl Fn(&Value) -> bool,
) -> io::Result<Vec<Value>> {
    let mut found = Vec::new();
    for name in [NAME, OLD] {
        let bytes = match fs::read(runtime.join(name)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let lines = bytes.rsplit(|byte| *byte == b'\n');
        let marked =
            lines.filter_map(|line| str::from_utf8(line).ok().filter(|it| it.contains(mark)));
        let known = marked.filter_map(|line| serde_json::from_str(line).ok());
        found.extend(known.filter(|it| fits(it)).take(count - found.len()));
    }
    Ok(found)
}

/// A file of news and its number, which is in its first line.
fn numbered(path: &Path) -> io::Result<Option<(File, u64)>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = [0; 64];
    let count = file.read_at(&mut bytes, 0)?;
    let line = bytes[..count].split(|byte| *byte == b'\n').next();
    let first: Option<Value> = line.and_then(|line| serde_json::from_slice(line).ok());
    let number = first.and_then(|it| u64::from_str_radix(it["news"].as_str()?, 16).ok());
    Ok(number.map(|number| (file, number)))
}

#[cfg(test)]
mod tests;
