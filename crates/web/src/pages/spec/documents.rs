//! The documents of a spec, and where they are.

use std::fs;
use std::path::{Path, PathBuf};

use kumite_project::project::Project;
use maud::{Markup, html};

use super::seen::Seen;
use crate::render::marks::segment;

/// The prefix in the names of project-wide documents: no file of a spec can have such a name.
const STEERING: &str = "steering:";

/// The endings of text files.
const TEXTS: [&str; 2] = [".md", ".txt"];

/// The most documents that are listed.
const LISTED_MAX: usize = 500;

/// A document that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name in addresses.
    pub name: String,
    /// The directory that it must not leave.
    pub root: PathBuf,
}

impl Listed {
    pub fn path(&self) -> PathBuf {
        let file = self.name.strip_prefix(STEERING).unwrap_or(&self.name);
        self.root.join(file)
    }

    /// Its title on a page.
    pub fn title(&self) -> String {
        match self.name.strip_prefix(STEERING) {
            Some(file) => format!("steering/{file}"),
            None => self.name.clone(),
        }
    }

    /// A short title: `review 2`, `reply 2`, `inspection 1`.
    fn short_title(&self) -> String {
        match place(&self.name) {
            (4, round, 0, _) => format!("review {round}"),
            (4, round, _, _) => format!("reply {round}"),
            (5, number, _, _) => format!("inspection {number}"),
            _ => self.title(),
        }
    }
}

/// The documents of the spec in `dir` and the project-wide steering documents, in reading order.
/// Files outside the project are not shown.
pub fn list(project: &Project, dir: &Path) -> Vec<Listed> {
    let steering = project.root().join(".kiro/steering");
    let mut listed = in_dir(project.root(), dir, "");
    listed.extend(in_dir(project.root(), &steering, STEERING));
    listed.sort_by_cached_key(|listed| place(&listed.name));
    listed.truncate(LISTED_MAX);
    listed
}

/// A path that does not exist contains no links, so it is compared as it is.
pub fn is_inside(project: &Path, dir: &Path) -> bool {
    match (dir.canonicalize(), project.canonicalize()) {
        (Ok(dir), Ok(project)) => dir.starts_with(project),
        _ => dir.starts_with(project),
    }
}

fn in_dir(project: &Path, dir: &Path, prefix: &str) -> Vec<Listed> {
    let entries = match is_inside(project, dir) {
        true => fs::read_dir(dir).ok(),
        false => None,
    };
    let entries = entries.into_iter().flatten();
    let files = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        let is_plain = entry.file_type().ok()?.is_file();
        let is_text = TEXTS.iter().any(|end| name.ends_with(end));
        (is_plain && is_text && !name.starts_with('.')).then_some(name)
    });
    let listed = files.map(|name| Listed {
        name: format!("{prefix}{name}"),
        root: dir.to_owned(),
    });
    listed.collect()
}

/// First the documents of the phases, then review rounds in pairs, then inspections, then all
/// others by name.
fn place(name: &str) -> (usize, u32, usize, String) {
    let walk = ["requirements.md", "research.md", "design.md", "tasks.md"];
    if let Some(index) = walk.iter().position(|known| *known == name) {
        return (index, 0, 0, String::new());
    }
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let numbered = |start: &str, end: &str| -> Option<u32> {
        stem.strip_prefix(start)?.strip_suffix(end)?.parse().ok()
    };
    let kinds = [
        (numbered("document-review-", ""), 4, 0),
        (numbered("document-review-", "-reply"), 4, 1),
        (numbered("inspection-", ""), 5, 0),
        (numbered("inspection-report-", ""), 5, 1),
    ];
    let known = kinds
        .iter()
        .find_map(|(number, kind, rank)| Some((*kind, (*number)?, *rank, String::new())));
    let last = if name.starts_with(STEERING) { 7 } else { 6 };
    known.unwrap_or((last, 0, 0, name.to_owned()))
}

/// The address of a document's page.
pub fn path_of(spec: &str, document: &str) -> String {
    format!("/specs/{spec}/documents/{}", segment(document))
}

/// A link to a document, if that document exists.
pub fn link(seen: &Seen, document: &str, words: &str) -> Markup {
    html! {
        @match seen.has(document) {
            true => a href=(path_of(&seen.spec.name, document)) { (words) },
            false => span.muted { "no " (words) },
        }
    }
}

pub fn tabs(seen: &Seen, current: Option<&str>) -> Markup {
    html! {
        @if !seen.documents.is_empty() {
            nav.tabs.wrap #documents aria-label="Documents" {
                @for listed in &seen.documents {
                    a href=(path_of(&seen.spec.name, &listed.name)) title=(listed.title())
                        aria-current=[(current == Some(&listed.name)).then_some("page")] {
                        (listed.short_title())
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn documents_stand_in_the_order_in_which_people_read_them() {
        let dir = tempfile::tempdir().unwrap();
        let spec = dir.path().join(".kiro/specs/a");
        let steering = dir.path().join(".kiro/steering");
        fs::create_dir_all(&spec).unwrap();
        fs::create_dir_all(&steering).unwrap();
        let names = [
            "inspection-1.md",
            "document-review-10.md",
            "document-review-2-reply.md",
            "notes <b>.md",
            "tasks.md",
            "document-review-2.md",
            "design.md",
            "spec.json",
            ".hidden.md",
            "research.md",
            "requirements.md",
        ];
        names
            .iter()
            .for_each(|name| fs::write(spec.join(name), "x").unwrap());
        fs::write(steering.join("product.md"), "x").unwrap();
        fs::create_dir(spec.join("dir.md")).unwrap();
        symlink("/etc/passwd", spec.join("link.md")).unwrap();
        let listed = list(&Project::at(dir.path()), &spec);
        let listed: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
        let wanted = [
            "requirements.md",
            "research.md",
            "design.md",
            "tasks.md",
            "document-review-2.md",
            "document-review-2-reply.md",
            "document-review-10.md",
            "inspection-1.md",
            "notes <b>.md",
            "steering:product.md",
        ];
        assert_eq!(listed, wanted);
    }

    #[test]
    fn a_directory_outside_of_the_project_has_nothing_to_show() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        let outside = dir.path().join("outside");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("design.md"), "x").unwrap();
        symlink(&outside, project.join("specs")).unwrap();
        let project = Project::at(&project);
        assert_eq!(list(&project, &outside), []);
        assert_eq!(list(&project, &project.root().join("specs")), []);
    }

    #[test]
    fn a_hostile_name_is_one_segment_of_an_address() {
        assert_eq!(
            path_of("a", "x\" onclick=\"/../%2e.md"),
            "/specs/a/documents/x%22%20onclick%3D%22%2F..%2F%252e.md"
        );
    }
}
