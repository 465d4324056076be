//! A patch as git prints it: files, hunks and lines. Anything else in it is passed over.

use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The name after the change; of a removed file, the one before it.
    pub path: String,
    /// The name before a renaming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    pub how: How,
    pub added: u32,
    pub removed: u32,
    /// Not shown line by line.
    pub binary: bool,
    #[serde(skip)]
    pub hunks: Vec<Hunk>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Added,
    Removed,
    Renamed,
    #[default]
    Changed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// `@@ -1,3 +1,4 @@ fn main() {`
    pub head: String,
    /// The number of its first line, before and after.
    pub before: u32,
    pub after: u32,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Same,
    Added,
    Removed,
}

/// Bytes that are not text are replaced.
pub fn parse(bytes: &[u8]) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    // How many lines the current hunk still has: a line of a file may look like anything.
    let (mut before, mut after) = (0_u32, 0_u32);
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some(file) = files.last_mut().filter(|_| before + after > 0) else {
            let begun = header(&mut files, &line);
            (before, after) = begun.unwrap_or_default();
            continue;
        };
        let (kind, text) = match (line.chars().next(), line.get(1..)) {
            (Some('+'), Some(text)) => (LineKind::Added, text),
            (Some('-'), Some(text)) => (LineKind::Removed, text),
            (Some(' '), Some(text)) => (LineKind::Same, text),
            // `\ No newline at end of file`
            _ => continue,
        };
        match kind {
            LineKind::Added => after = after.saturating_sub(1),
            LineKind::Removed => before = before.saturating_sub(1),
            LineKind::Same => {
                (before, after) = (before.saturating_sub(1), after.saturating_sub(1));
            }
        }
        file.added += u32::from(kind == LineKind::Added);
        file.removed += u32::from(kind == LineKind::Removed);
        if let Some(hunk) = file.hunks.last_mut() {
            let text = text.to_owned();
            hunk.lines.push(Line { kind, text });
        }
    }
    files
}

/// A line outside of hunks. Returns the lengths of a hunk that begins.
fn header(files: &mut Vec<FileChange>, line: &str) -> Option<(u32, u32)> {
    if let Some(names) = line.strip_prefix("diff --git ") {
        files.push(FileChange {
            path: second_name(names),
            ..FileChange::default()
        });
        return None;
    }
    let file = files.last_mut()?;
    if line.starts_with("new file mode") {
        file.how = How::Added;
    } else if line.starts_with("deleted file mode") {
        file.how = How::Removed;
    } else if let Some(name) = line.strip_prefix("rename from ") {
        file.how = How::Renamed;
        file.renamed_from = Some(plain(name));
    } else if let Some(name) = line.strip_prefix("rename to ") {
        file.path = plain(name);
    } else if let Some(name) = line.strip_prefix("+++ ").filter(|it| *it != "/dev/null") {
        file.path = without_side(&plain(name));
    } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
        file.binary = true;
    } else if let Some(rest) = line.strip_prefix("@@ -") {
        let (first, lengths) = numbers(rest)?;
        file.hunks.push(Hunk {
            head: line.to_owned(),
            before: first.0,
            after: first.1,
            lines: Vec::new(),
        });
        return Some(lengths);
    }
    None
}

/// `1,3 +1,4 @@` as first lines and lengths.
fn numbers(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let (before, rest) = text.split_once(" +")?;
    let (after, _) = rest.split_once(" @@")?;
    let pair = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((first, length)) => Some((first.parse().ok()?, length.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (before, after) = (pair(before)?, pair(after)?);
    Some(((before.0, after.0), (before.1, after.1)))
}

/// The second of the two names of `a/x b/x`. Later lines say it better where there are any.
fn second_name(names: &str) -> String {
    let name = names.rfind(" b/").map_or(names, |at| &names[at + 1..]);
    let name = match names.rfind(" \"b/") {
        Some(at) => &names[at + 1..],
        None => name,
    };
    without_side(&plain(name))
}

fn without_side(name: &str) -> String {
    name.strip_prefix("b/").unwrap_or(name).to_owned()
}

/// git quotes names with unusual bytes.
fn plain(name: &str) -> String {
    let name = name.trim_end_matches('\t');
    let inner = name.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let Some(inner) = inner else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let next = rest.next().unwrap_or(b'0');
                    value = value * 8 + u32::from(next.saturating_sub(b'0') & 7);
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
diff --git a/src/a.rs b/src/a.rs
index 1..2 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,3 @@ fn main() {
 one
-two
+zwei
 three
@@ -10 +10,2 @@
 ten
+--- eleven
\\ No newline at end of file
diff --git a/new file b/new file
new file mode 100644
index 0..1
--- /dev/null
+++ b/new file\t
@@ -0,0 +1 @@
+hello
diff --git a/old b/old
deleted file mode 100644
--- a/old
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/x.bin b/x.bin
new file mode 100644
GIT binary patch
literal 3
KcmZQzWMT#Y01f~L
diff --git a/from b/to
similarity index 100%
rename from from
rename to to
diff --git \"a/\\303\\244\" \"b/\\303\\244\"
--- \"a/\\303\\244\"
+++ \"b/\\303\\244\"
@@ -1 +1 @@
-a
+b
";

    #[test]
    fn e3_3_a_patch_is_files_hunks_and_lines() {
        let files = parse(PATCH.as_bytes());
        let rows: Vec<(&str, How, u32, u32, bool)> = files
            .iter()
            .map(|it| (it.path.as_str(), it.how, it.added, it.removed, it.binary))
            .collect();
        let expected = [
            ("src/a.rs", How::Changed, 2, 1, false),
            ("new file", How::Added, 1, 0, false),
            ("old", How::Removed, 0, 1, false),
            ("x.bin", How::Added, 0, 0, true),
            ("to", How::Renamed, 0, 0, false),
            ("ä", How::Changed, 1, 1, false),
        ];
        assert_eq!(rows, expected);
        let hunks = &files[0].hunks;
        assert_eq!((hunks[0].before, hunks[1].after), (1, 10));
        assert_eq!(hunks[1].lines[1].text, "--- eleven");
        assert_eq!(files[4].renamed_from.as_deref(), Some("from"));
    }

    #[test]
    fn e3_3_no_bytes_make_it_fail() {
        for cut in 0..PATCH.len() {
            let _ = parse(&PATCH.as_bytes()[..cut]);
        }
        assert_eq!(parse(b"@@ -1 +1 @@\n+x\n\xff"), []);
    }
}
