//! Creates a spec.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_formats::spec_name::{self, SpecName};
use serde_json::json;

use crate::clock::{now_ms, rfc3339};
use crate::news;
use crate::project::Project;

/// The default language of its documents.
pub const LANGUAGE: &str = "en";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Name(#[from] spec_name::Error),
    #[error("{dir} exists already; nothing was changed", dir = .dir.display())]
    Exists { dir: PathBuf },
    #[error("cannot write {path}", path = .path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Creates `.kiro/specs/<name>/` and returns its path. A person's files there stay unchanged.
pub fn create(
    project: &Project,
    name: &str,
    description: &str,
    language: &str,
) -> Result<(SpecName, PathBuf), Error> {
    let name = SpecName::of_new(name)?;
    let spec = project.spec_place(&name);
    let dir = spec.main_dir();
    if dir.join("spec.json").exists() {
        return Err(Error::Exists {
            dir: dir.to_owned(),
        });
    }
    let now = rfc3339(now_ms());
    let json = kumite_prompts::init_spec_json(name.as_str(), language, description, &now);
    let requirements = dir.join("requirements.md");
    if !requirements.exists() {
        let stub = kumite_prompts::requirements_stub(name.as_str(), description);
        write(&requirements, &stub)?;
    }
    // It comes last: a directory without it is not a spec.
    write(&dir.join("spec.json"), &json)?;
    let told = json!({"time": now, "spec": name.as_str(), "type": "spec_created"});
    let key = format!("{name} created {now}");
    if let Err(error) = news::append(&project.runtime(), &key, told, false) {
        tracing::warn!("cannot append to the news of the project: {error}");
    }
    let dir = dir.to_owned();
    Ok((name, dir))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(path, text))
        .map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
}
