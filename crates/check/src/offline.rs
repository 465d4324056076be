//! How each program is pointed at the fake model: by its environment, and by files in its home. The
//! person's own environment is hidden, except for `PATH`.

use std::fs;
use std::io;
use std::path::Path;

use crate::agent::Kind;
use crate::programs::{Pointed, known};

/// How the program logs in to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credentials {
    Key,
    /// The login of a plan, where that differs from a key.
    Plan,
    None,
}

pub(crate) fn model(kind: Kind) -> &'static str {
    match kind {
        Kind::Program(program) => known(program).model,
        Kind::Acp | Kind::Command => "",
    }
}

pub(crate) fn environment(root: &Path) -> Vec<(String, String)> {
    let home = root.join("home");
    let path = std::env::var("PATH").unwrap_or_default();
    let place = |dir: &Path| dir.to_string_lossy().into_owned();
    let named = [
        ("PATH", path),
        ("HOME", place(&home)),
        ("XDG_CONFIG_HOME", place(&home.join(".config"))),
        ("XDG_DATA_HOME", place(&home.join(".local/share"))),
        ("XDG_STATE_HOME", place(&home.join(".local/state"))),
        ("XDG_CACHE_HOME", place(&home.join(".cache"))),
        ("TMPDIR", place(&root.join("tmp"))),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "dumb".to_owned()),
    ];
    // The time zone in which a program reports the end of a limit.
    let zone = std::env::var("TZ").ok().map(|zone| ("TZ", zone));
    let all = named.into_iter().chain(zone);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(crate) fn login(
    kind: Kind,
    home: &Path,
    url: &str,
    with: Credentials,
) -> Vec<(String, String)> {
    let Kind::Program(program) = kind else {
        return Vec::new();
    };
    let named = (known(program).variables)(&Pointed { home, url, with });
    // An empty variable is not the same as none.
    let named = named.into_iter().filter(|(_, value)| !value.is_empty());
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Writes the settings that cannot be passed in the environment.
pub(crate) fn prepare(kind: Kind, home: &Path, url: &str) -> io::Result<()> {
    let Kind::Program(program) = kind else {
        return Ok(());
    };
    let Some(file) = known(program).file else {
        return Ok(());
    };
    let path = home.join(file.path);
    fs::create_dir_all(path.parent().unwrap_or(home))?;
    fs::write(path, (file.text)(url))
}
