//! The files of a spec, read once for a page.

use std::io::Read;
use std::path::Path;

use kumite_core::facts::{Facts, Look};
use kumite_core::run::Run;
use kumite_formats::spec_name::SpecName;
use kumite_project::decisions::{self, Decision};
use kumite_project::project::{Project, Spec};
use kumite_project::spec_file::sentence;
use kumite_project::status::{self, Status};
use kumite_project::worked::{self, Worked};
use kumite_project::{evidence, journal};

use super::documents::{self, Listed};
use crate::api::Refusal;
use crate::inside;

/// The most bytes of a document that are read.
const TEXT_MAX: u64 = 4 * 1024 * 1024;

pub struct Seen {
    pub spec: Spec,
    pub status: Status,
    pub run: Run,
    /// None: spec.json cannot be read; the status tells why.
    pub facts: Option<Facts>,
    /// The worktree of the spec, if it has one.
    pub worktree: Option<String>,
    /// The documents are outside the project: no page shows them.
    pub is_outside: bool,
    pub documents: Vec<Listed>,
    /// The newest first.
    pub agents: Vec<Worked>,
    /// The oldest first.
    pub decisions: Vec<Decision>,
    /// What could not be read, and why.
    pub trouble: Option<String>,
}

impl Seen {
    /// Reads everything.
    pub fn look(project: &Project, name: &str) -> Result<Seen, Refusal> {
        let mut seen = Seen::glance(project, name)?;
        match decisions::all(&seen.spec) {
            Ok(decisions) => seen.decisions = decisions,
            Err(error) => seen.trouble = Some(sentence(&error)),
        }
        seen.agents = worked::all(&seen.spec).unwrap_or_default();
        Ok(seen)
    }

    /// Reads everything except its past: no agents, no decisions.
    pub fn glance(project: &Project, name: &str) -> Result<Seen, Refusal> {
        let name: SpecName = name.parse()?;
        let spec = project.spec(&name)?;
        let facts = match evidence::look(&spec) {
            Look::Seen(facts) => Some(*facts),
            Look::Unreadable(_) | Look::Nobody => None,
        };
        let (checkout, _) = spec.read();
        let dir = spec.files_in(&checkout);
        let is_elsewhere = checkout != project.root();
        let worktree = is_elsewhere.then(|| short(&checkout, project.root()));
        Ok(Seen {
            status: status::one(project, &spec),
            run: journal::peek(spec.run_dir())
                .ok()
                .flatten()
                .unwrap_or_default(),
            documents: documents::list(project, &dir),
            is_outside: !documents::is_inside(project.root(), &dir),
            spec,
            facts,
            worktree,
            agents: Vec::new(),
            decisions: Vec::new(),
            trouble: None,
        })
    }

    /// The text of one of its documents; only the beginning of a very long one.
    pub fn text(&self, name: &str) -> Option<String> {
        let known = self.documents.iter().find(|listed| listed.name == name)?;
        let file = inside::open(&known.root, &known.path()).ok()?;
        let mut bytes = Vec::new();
        file.take(TEXT_MAX).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub fn has(&self, name: &str) -> bool {
        self.documents.iter().any(|listed| listed.name == name)
    }

    /// The address of its page, or of a page below it.
    pub fn path(&self, below: &str) -> String {
        format!("/specs/{}{below}", self.spec.name)
    }
}

fn short(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.display().to_string()
}
