//! Installs the command files and templates into a project, but never overwrites a person's edits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kumite_files::{Access, Durable, replace};

use crate::{file, marker};

/// What `install` did with one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Relative to the project.
    pub path: PathBuf,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The file was missing.
    Written,
    /// The file was already as we would write it.
    Unchanged,
    /// The file was an older one of ours that nobody had edited.
    Updated,
    /// The file belongs to a person, and stays unchanged.
    Kept,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot open the project {path}")]
    Project { path: PathBuf, source: io::Error },
    #[error("will not write through {path}: this symbolic link does not lead into the project")]
    LeadsOut { path: PathBuf },
    #[error("cannot create the directory {path}")]
    Directory { path: PathBuf, source: io::Error },
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {path}")]
    Write { path: PathBuf, source: io::Error },
}

/// Installs the command files and templates into `project`. A second call changes nothing. Links on
/// the way are checked first, so that a refusal leaves everything unchanged.
pub fn install(project: &Path) -> Result<Vec<Installed>, Error> {
    let root = project.canonicalize().map_err(|source| Error::Project {
        path: project.to_owned(),
        source,
    })?;
    for directory in [file::COMMANDS, file::TEMPLATES] {
        stays_inside(&root, Path::new(directory))?;
    }
    for directory in [file::COMMANDS, file::TEMPLATES] {
        let path = root.join(directory);
        fs::create_dir_all(&path).map_err(|source| Error::Directory { path, source })?;
    }
    file::all()
        .map(|(path, content)| one(&root, path, &content))
        .collect()
}

fn one(root: &Path, path: PathBuf, content: &str) -> Result<Installed, Error> {
    let target = root.join(&path);
    let what = compare(&target, content).map_err(|source| Error::Read {
        path: target.clone(),
        source,
    })?;
    if matches!(what, What::Written | What::Updated) {
        let written = replace(
            &target,
            content.as_bytes(),
            Durable::Machine,
            Access::Everybody,
        );
        written.map_err(|source| Error::Write {
            path: target,
            source,
        })?;
    }
    Ok(Installed { path, what })
}

/// What must happen to `target` so that it has this `content`.
fn compare(target: &Path, content: &str) -> io::Result<What> {
    match target.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(What::Written),
        Err(error) => return Err(error),
        // Somebody has put a link or a directory here on purpose.
        Ok(metadata) if !metadata.is_file() => return Ok(What::Kept),
        Ok(_) => {}
    }
    let present = fs::read(target)?;
    Ok(match str::from_utf8(&present) {
        Ok(present) if present.replace("\r\n", "\n") == content => What::Unchanged,
        Ok(present) if marker::is_ours(present) => What::Updated,
        Ok(_) | Err(_) => What::Kept,
    })
}

/// Checks every link from `root` down: each must lead back into the project.
fn stays_inside(root: &Path, directory: &Path) -> Result<(), Error> {
    let mut path = root.to_owned();
    for component in directory {
        path.push(component);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => match path.canonicalize() {
                Ok(real) if real.starts_with(root) => {}
                Ok(_) | Err(_) => return Err(Error::LeadsOut { path }),
            },
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(Error::Read { path, source }),
        }
    }
    Ok(())
}
