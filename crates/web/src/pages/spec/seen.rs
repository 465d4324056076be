//! What a page of a spec shows: one reading of its files.

use std::path::Path;

use kumite_core::effect::Effect;
use kumite_core::facts::{Facts, Look};
use kumite_core::journal::Entry;
use kumite_core::run::Run;
use kumite_formats::spec_name::SpecName;
use kumite_project::documents::{self, Document};
use kumite_project::picture::{EngineSeen, Picture};
use kumite_project::project::{Project, Spec};
use kumite_project::spec_file::sentence;
use kumite_project::status::Status;
use kumite_project::worked::Worked;

use crate::api::Refusal;

pub struct SeenSpec {
    pub spec: Spec,
    pub status: Status,
    pub run: Run,
    /// None: spec.json cannot be read; the status tells why.
    pub facts: Option<Facts>,
    /// The worktree of the spec, if it has one.
    pub worktree: Option<String>,
    /// The documents are outside the project: no page shows them.
    pub is_outside: bool,
    pub documents: Vec<Document>,
    /// The newest first.
    pub agents: Vec<Worked>,
    /// Every journal entry with the run after it, the oldest first.
    pub history: Vec<(Entry, Run, Vec<Effect>)>,
    /// What could not be read, and why.
    pub trouble: Option<String>,
}

impl SeenSpec {
    /// Reads everything.
    pub fn look(project: &Project, name: &str) -> Result<SeenSpec, Refusal> {
        let spec = find(project, name)?;
        Ok(SeenSpec::of(project, Picture::read(project, spec)))
    }

    /// Reads everything except its past: no agents, no decisions.
    pub fn glance(project: &Project, name: &str) -> Result<SeenSpec, Refusal> {
        let spec = find(project, name)?;
        let picture = Picture::glance(spec, &EngineSeen::of(project));
        Ok(SeenSpec::of(project, picture))
    }

    fn of(project: &Project, picture: Picture) -> SeenSpec {
        let (spec, checkout) = (&picture.spec, &picture.checkout);
        let is_elsewhere = checkout != project.root();
        SeenSpec {
            status: picture.status(),
            agents: picture.worked(),
            documents: documents::texts(spec, checkout),
            is_outside: documents::is_outside(spec, checkout),
            worktree: is_elsewhere.then(|| short(checkout, project.root())),
            facts: match picture.look {
                Look::Seen(facts) => Some(*facts),
                Look::Unreadable(_) | Look::Nobody => None,
            },
            trouble: picture.trouble.as_ref().map(|error| sentence(error)),
            run: picture.run,
            history: picture.history,
            spec: picture.spec,
        }
    }

    fn document(&self, name: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.name == name)
    }

    /// The text of one of its documents; only the beginning of a very long one.
    pub fn text(&self, name: &str) -> Option<String> {
        self.document(name)?.text().ok()
    }

    pub fn has(&self, name: &str) -> bool {
        self.document(name).is_some()
    }

    /// The address of its page, or of a page below it.
    pub fn path(&self, below: &str) -> String {
        format!("/specs/{}{below}", self.spec.name)
    }
}

fn find(project: &Project, name: &str) -> Result<Spec, Refusal> {
    let name: SpecName = name.parse()?;
    Ok(project.spec(&name)?)
}

fn short(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.display().to_string()
}
