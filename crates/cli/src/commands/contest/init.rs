//! `kumite contest init`.

use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use kumite_formats::contest::EXAMPLE;

use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct InitArgs {
    /// Where to write it
    #[arg(default_value = "contest.toml")]
    file: PathBuf,
}

pub fn init(setting: &Setting, args: &InitArgs) -> Result {
    let path = setting.place()?.join(&args.file);
    write_new(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Trouble::invalid(format!(
            "{} exists already; name another file",
            path.display()
        )),
        _ => Trouble::failed(format!("cannot write {}: {error}", path.display())),
    })?;
    setting.answer(&serde_json::json!({ "file": path }), || {
        eprintln!("wrote {}; now:", path.display());
        eprintln!("  kumite contest run {} --dry-run", args.file.display());
    })
}

/// The whole file, or nothing: a full disk leaves nothing that the next try would find.
fn write_new(path: &Path) -> io::Result<()> {
    let dir = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o644))
        .tempfile_in(dir)?;
    file.write_all(EXAMPLE.as_bytes())?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}
