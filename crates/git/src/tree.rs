//! Reads trees: their entries, and what differs between two of them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::run::Git;

impl Git {
    /// The entries of a tree without those at `path`, as git stores them: first those of the top
    /// without the first part of the path, then those of that directory, and so on. So it changes
    /// whenever something outside of `path` changes, and one git reads it all.
    pub fn entries_without(&self, tree: &str, path: &Path) -> Result<Vec<u8>, Error> {
        let parts: Vec<&OsStr> = path.iter().collect();
        let mut names = Vec::new();
        for depth in 0..parts.len() {
            names.extend_from_slice(tree.as_bytes());
            if depth > 0 {
                let way: PathBuf = parts[..depth].iter().collect();
                names.push(b':');
                names.extend_from_slice(way.as_os_str().as_bytes());
            }
            names.push(0);
        }
        let told = self.feed(&["cat-file", "--batch", "-z"], &names)?;
        let mut rest = &told[..];
        let mut entries = Vec::new();
        for part in parts {
            // A level that the next one cannot be mistaken for.
            entries.push(b'/');
            let Some(listed) = next_tree(&mut rest) else {
                continue;
            };
            for (entry, name) in Entries::of(listed, tree.len() / 2) {
                if name != part.as_bytes() {
                    entries.extend_from_slice(entry);
                }
            }
        }
        Ok(entries)
    }

    /// The files that differ between two commits or trees. `below` is a directory, and `globs` are
    /// relative to it; without any, all files of the repository count.
    pub fn changed(
        &self,
        from: &str,
        to: &str,
        below: &Path,
        globs: &[String],
    ) -> Result<Vec<PathBuf>, Error> {
        let how = "diff-tree -r -z --name-only --no-renames --no-ext-diff";
        let mut args: Vec<OsString> = how.split(' ').map(OsString::from).collect();
        args.extend([from, to, "--"].map(OsString::from));
        args.extend(globs.iter().map(|glob| pathspec(below, glob)));
        let told = self.run(&args)?;
        let paths = told.split(|byte| *byte == 0).filter(|it| !it.is_empty());
        Ok(paths.map(|it| OsStr::from_bytes(it).into()).collect())
    }
}

/// A glob below a directory whose own name is not a glob.
pub fn pathspec(below: &Path, glob: &str) -> OsString {
    let mut text = b":(top,glob)".to_vec();
    let below = below.as_os_str().as_bytes();
    for byte in below {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    if !below.is_empty() && !below.ends_with(b"/") {
        text.push(b'/');
    }
    let glob = glob.trim_start_matches('/').trim_end_matches('/');
    text.extend_from_slice(glob.strip_prefix("./").unwrap_or(glob).as_bytes());
    OsString::from_vec(text)
}

/// The content of the next object: `<id> tree <size>`, a line end, the content, a line end.
/// `None`: there is no such tree.
fn next_tree<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let all = *rest;
    let end = all.iter().position(|byte| *byte == b'\n')?;
    *rest = &all[end + 1..];
    let head = str::from_utf8(&all[..end]).ok()?;
    let mut words = head.rsplit(' ');
    let size: usize = words.next()?.parse().ok()?;
    let kind = words.next()?;
    let content = all.get(end + 1..end + 1 + size)?;
    *rest = all.get(end + 2 + size..).unwrap_or_default();
    (kind == "tree").then_some(content)
}

/// The entries of a tree, each with its name.
struct Entries<'a> {
    rest: &'a [u8],
    id_len: usize,
}

impl<'a> Entries<'a> {
    fn of(tree: &'a [u8], id_len: usize) -> Entries<'a> {
        Entries { rest: tree, id_len }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest;
        let name = rest.iter().position(|byte| *byte == b' ')? + 1;
        let zero = name + rest[name..].iter().position(|byte| *byte == 0)?;
        let end = zero + 1 + self.id_len;
        let entry = rest.get(..end)?;
        self.rest = &rest[end..];
        Some((entry, &rest[name..zero]))
    }
}
