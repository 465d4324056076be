//! `kumite contest init`.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use kumite_formats::contest::EXAMPLE;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct InitArgs {
    /// Where to write it
    #[arg(default_value = "contest.toml")]
    file: PathBuf,
}

pub fn init(setting: &Setting, args: &InitArgs) -> Result {
    let path = setting.place()?.join(&args.file);
    let mut file = match File::create_new(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Trouble::invalid(format!(
                "{} exists already; name another file",
                path.display()
            )));
        }
        Err(error) => {
            let path = path.display();
            return Err(Trouble::failed(format!("cannot write {path}: {error}")));
        }
    };
    file.write_all(EXAMPLE.as_bytes())?;
    match setting.json() {
        true => out!("{}", serde_json::json!({ "file": path })),
        false => {
            eprintln!("wrote {}; now:", path.display());
            eprintln!("  kumite contest run {} --dry-run", args.file.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
