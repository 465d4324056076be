//! The documents of a spec: the text files of its directory, in whichever checkout it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use kumite_files::open_plain;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::rfc3339;
use crate::project::{Project, Spec};

/// A longer document is cut: nobody reads that much on a page.
const TEXT_MAX: u64 = 4 * 1024 * 1024;

/// The prefix in the names of project-wide documents.
const STEERING: &str = "steering:";

/// The documents of the phases, as people read them.
const WALK: [&str; 4] = ["requirements.md", "research.md", "design.md", "tasks.md"];

/// A file of the spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Document {
    pub name: String,
    pub bytes: u64,
    /// RFC 3339.
    pub changed_at: String,
    #[serde(skip)]
    pub kind: Kind,
    #[serde(skip)]
    path: PathBuf,
}

/// What a document is, in the order in which people read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Of a phase; the number is its place in [`WALK`].
    Phase(usize),
    /// Of a review round. A reply follows its review.
    Round(u32, Half),
    Inspection(u32),
    Other,
    /// Of the project, for all its specs.
    Steering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Half {
    Review,
    Reply,
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

/// All of them, in reading order.
pub fn list(spec: &Spec) -> Result<Vec<Document>, Error> {
    let dir = spec.files_in(&spec.workplace());
    in_dir(spec, &dir, "")
}

/// The texts of the spec in this checkout and the steering documents of its project, in reading
/// order. What cannot be read is left out.
pub fn texts(spec: &Spec, checkout: &Path) -> Vec<Document> {
    let mut all = in_dir(spec, &spec.files_in(checkout), "").unwrap_or_default();
    all.retain(|document| !document.name.ends_with(".json"));
    let steering = spec.project_root().join(".kiro/steering");
    all.extend(in_dir(spec, &steering, STEERING).unwrap_or_default());
    all
}

/// One document. Only a plain file of the spec's directory is accepted: links that lead out of it
/// are not followed.
pub fn read(spec: &Spec, name: &str) -> Result<Text, Error> {
    let none = || Error::None {
        spec: spec.name.clone(),
        name: name.to_owned(),
    };
    let dir = shown(spec, &spec.files_in(&spec.workplace())).ok_or_else(none)?;
    let document = look(&dir, name, "").ok_or_else(none)?;
    let text = document.text().map_err(|source| Error::Read {
        path: document.path.clone(),
        source,
    })?;
    Ok(Text { document, text })
}

/// Whether the files of a spec are outside the project, so that nothing of them is shown.
pub fn is_outside(spec: &Spec, checkout: &Path) -> bool {
    let dir = spec.files_in(checkout);
    dir.exists() && shown(spec, &dir).is_none()
}

impl Document {
    /// Its content; only the beginning of a very long one.
    pub fn text(&self) -> io::Result<String> {
        // It may have been replaced by a link or a pipe since we looked.
        let mut bytes = Vec::new();
        let file = open_plain(&self.path, OpenOptions::new().read(true))?;
        file.take(TEXT_MAX).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Its title for people.
    pub fn title(&self) -> String {
        match self.name.strip_prefix(STEERING) {
            Some(file) => format!("steering/{file}"),
            None => self.name.clone(),
        }
    }
}

fn in_dir(spec: &Spec, dir: &Path, prefix: &str) -> Result<Vec<Document>, Error> {
    let Some(dir) = shown(spec, dir) else {
        return Ok(Vec::new());
    };
    let entries = fs::read_dir(&dir).map_err(|source| Error::Read {
        path: dir.clone(),
        source,
    })?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut documents: Vec<Document> = names.filter_map(|name| look(&dir, &name, prefix)).collect();
    documents.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    Ok(documents)
}

/// The real path of a directory, if its files may be shown. An agent may have replaced it by a
/// link, or have written the path of a worktree into spec.json. kumite's own files are secret.
fn shown(spec: &Spec, dir: &Path) -> Option<PathBuf> {
    let project = fs::canonicalize(spec.project_root()).ok()?;
    let dir = fs::canonicalize(dir).ok()?;
    let runtime = Project::at(&project).runtime();
    let is_secret = fs::canonicalize(runtime).is_ok_and(|runtime| dir.starts_with(runtime));
    (dir.starts_with(project) && !is_secret).then_some(dir)
}

fn look(dir: &Path, name: &str, prefix: &str) -> Option<Document> {
    let is_text = [".md", ".json", ".txt"]
        .iter()
        .any(|end| name.ends_with(end));
    if !is_text || name.starts_with('.') || name.contains(['/', '\0']) {
        return None;
    }
    let path = dir.join(name);
    // The link itself is checked, not its target.
    let found = fs::symlink_metadata(&path).ok()?;
    let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    found.is_file().then(|| Document {
        name: format!("{prefix}{name}"),
        bytes: found.len(),
        changed_at: rfc3339(u64::try_from(changed.as_millis()).unwrap_or(0)),
        kind: match prefix {
            STEERING => Kind::Steering,
            _ => kind(name),
        },
        path,
    })
}

fn kind(name: &str) -> Kind {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let numbered = |start: &str, end: &str| -> Option<u32> {
        stem.strip_prefix(start)?.strip_suffix(end)?.parse().ok()
    };
    let round = |half| move |number| Kind::Round(number, half);
    let walk = WALK.iter().position(|known| *known == name);
    let review = || numbered("document-review-", "").map(round(Half::Review));
    let reply = || numbered("document-review-", "-reply").map(round(Half::Reply));
    let inspection = || numbered("inspection-", "").map(Kind::Inspection);
    let older = || numbered("inspection-report-", "").map(Kind::Inspection);
    let known = walk.map(Kind::Phase).or_else(review).or_else(reply);
    let known = known.or_else(inspection).or_else(older);
    known.unwrap_or(Kind::Other)
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
    fn documents_come_in_the_order_in_which_people_read_them() {
        let dir = tempfile::tempdir().unwrap();
        let spec = spec(dir.path());
        let steering = dir.path().join(".kiro/steering");
        fs::create_dir_all(&steering).unwrap();
        fs::write(steering.join("product.md"), "x").unwrap();
        let names = [
            "inspection-1.md",
            "document-review-10.md",
            "document-review-2-reply.md",
            "notes <b>.md",
            "tasks.md",
            "document-review-2.md",
            "spec.json",
            "requirements.md",
            ".hidden.md",
            "research.md",
            "events.jsonl",
        ];
        for name in names {
            fs::write(spec.main_dir().join(name), "{}").unwrap();
        }
        let wanted = [
            "requirements.md",
            "research.md",
            "tasks.md",
            "document-review-2.md",
            "document-review-2-reply.md",
            "document-review-10.md",
            "inspection-1.md",
            "notes <b>.md",
            "spec.json",
        ];
        let names = |all: &[Document]| -> Vec<String> {
            all.iter().map(|document| document.name.clone()).collect()
        };
        assert_eq!(names(&list(&spec).unwrap()), wanted);
        let texts = names(&texts(&spec, dir.path()));
        assert_eq!(texts[..8], wanted[..8]);
        assert_eq!(texts[8..], ["steering:product.md"]);
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

    #[test]
    fn a_directory_that_leads_out_of_the_project_or_to_secrets_has_nothing_to_show() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        let outside = dir.path().join("outside");
        let runtime = project.join(".kiro/runtime/kumite");
        for (place, name) in [(&outside, "design.md"), (&runtime, "links.json")] {
            let spec = spec(&project);
            fs::remove_dir_all(spec.main_dir()).unwrap();
            fs::create_dir_all(place).unwrap();
            fs::write(place.join(name), "x").unwrap();
            std::os::unix::fs::symlink(place, spec.main_dir()).unwrap();
            assert_eq!(list(&spec).unwrap(), []);
            assert!(matches!(read(&spec, name), Err(Error::None { .. })));
            assert!(is_outside(&spec, &project));
            fs::remove_file(spec.main_dir()).unwrap();
        }
    }
}
