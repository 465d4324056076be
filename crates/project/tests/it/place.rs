//! A project with one spec, in a temporary directory.

use std::fs;
use std::path::PathBuf;

use kumite_project::project::{Project, Spec};
use tempfile::TempDir;

pub struct Place {
    dir: TempDir,
    pub spec: Spec,
}

impl Place {
    pub fn new() -> Place {
        let dir = TempDir::new().unwrap();
        let spec = Project::at(dir.path()).spec_place(&"login".parse().unwrap());
        let place = Place { dir, spec };
        place.write("spec.json", "{}");
        place
    }

    /// A file of the spec.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".kiro/specs/login").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
