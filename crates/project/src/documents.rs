//! The documents of a spec: the text files of its directory, in whichever checkout it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::rfc3339;
use crate::project::Spec;

/// A longer document is cut: nobody reads that much on a page.
const TEXT_MAX: u64 = 4 * 1024 * 1024;

/// A file of the spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Document {
    pub name: String,
    pub bytes: u64,
    /// RFC 3339.
    pub changed_at: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DocumentText")]
pub struct Text {
    #[serde(flatten)]
    pub document: Document,
    pub text: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no document {name:?} in {spec}")]
    None { spec: String, name: String },
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
}

/// All of them: first those of a run, in its order, then the others by name.
pub fn list(spec: &Spec) -> Result<Vec<Document>, Error> {
    let Some(dir) = dir(spec) else {
        return Ok(Vec::new());
    };
    let entries = fs::read_dir(&dir).map_err(|source| Error::Read {
        path: dir.clone(),
        source,
    })?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut documents: Vec<Document> = names.filter_map(|name| look(&dir, &name)).collect();
    documents.sort_by_cached_key(|document| place(&document.name));
    Ok(documents)
}

/// One document. Only a plain file of the spec's directory is accepted: links that lead out of it
/// are not followed.
pub fn read(spec: &Spec, name: &str) -> Result<Text, Error> {
    let none = || Error::None {
        spec: spec.name.clone(),
        name: name.to_owned(),
    };
    let dir = dir(spec).ok_or_else(none)?;
    let document = look(&dir, name).ok_or_else(none)?;
    let path = dir.join(name);
    let mut bytes = Vec::new();
    // It may have been replaced by a link or a pipe since we looked.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(&path)
        .and_then(|file| file.take(TEXT_MAX).read_to_end(&mut bytes))
        .map_err(|source| Error::Read { path, source })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Text { document, text })
}

/// A directory that is a link to elsewhere contains no documents of the spec, and neither does a
/// worktree outside the project: an agent may have written that path into spec.json.
fn dir(spec: &Spec) -> Option<PathBuf> {
    let checkout = fs::canonicalize(spec.workplace()).ok()?;
    let dir = fs::canonicalize(spec.files_in(&checkout)).ok()?;
    let project = fs::canonicalize(spec.project_root()).ok()?;
    let is_inside = dir.starts_with(&checkout) && checkout.starts_with(project);
    is_inside.then_some(dir)
}

fn look(dir: &Path, name: &str) -> Option<Document> {
    let is_text = [".md", ".json", ".txt"]
        .iter()
        .any(|end| name.ends_with(end));
    if !is_text || name.starts_with('.') || name.contains(['/', '\0']) {
        return None;
    }
    // The link itself is checked, not its target.
    let found = fs::symlink_metadata(dir.join(name)).ok()?;
    let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    found.is_file().then(|| Document {
        name: name.to_owned(),
        bytes: found.len(),
        changed_at: rfc3339(u64::try_from(changed.as_millis()).unwrap_or(0)),
    })
}

fn place(name: &str) -> (usize, String, u32) {
    let walk = ["requirements.md", "design.md", "tasks.md"];
    let known = walk.iter().position(|it| *it == name);
    // `document-review-10.md` comes after `document-review-9.md`.
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let words = name.chars().filter(|it| !it.is_ascii_digit()).collect();
    let number = digits.parse().unwrap_or(0);
    (known.unwrap_or(walk.len()), words, number)
}

#[cfg(test)]
mod tests {
    use kumite_formats::spec_name::SpecName;

    use super::*;
    use crate::project::Project;

    fn spec(dir: &Path) -> Spec {
        let name: SpecName = "a".parse().unwrap();
        let spec = Project::at(dir).spec_place(&name);
        fs::create_dir_all(spec.main_dir().join("logs")).unwrap();
        spec
    }

    #[test]
    fn documents_come_in_the_order_of_the_walk_and_rounds_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let spec = spec(dir.path());
        let names = [
            "tasks.md",
            "document-review-10.md",
            "document-review-9.md",
            "requirements.md",
            "spec.json",
            ".spec.json.tmp",
            "events.jsonl",
        ];
        for name in names {
            fs::write(spec.main_dir().join(name), "{}").unwrap();
        }
        let listed = list(&spec).unwrap();
        let listed: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            listed,
            [
                "requirements.md",
                "tasks.md",
                "document-review-9.md",
                "document-review-10.md",
                "spec.json",
            ]
        );
    }

    #[test]
    fn nothing_outside_the_directory_of_the_spec_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let spec = spec(dir.path());
        fs::write(dir.path().join("secret.md"), "secret").unwrap();
        let link = spec.main_dir().join("link.md");
        std::os::unix::fs::symlink(dir.path().join("secret.md"), link).unwrap();
        fs::create_dir(spec.main_dir().join("dir.md")).unwrap();
        let names = [
            "link.md",
            "dir.md",
            "../../../secret.md",
            "logs/x.md",
            "x",
            "",
            "..",
        ];
        for name in names {
            let read = read(&spec, name);
            assert!(matches!(read, Err(Error::None { .. })), "{name}: {read:?}");
        }
        assert_eq!(list(&spec).unwrap(), []);
    }
}
