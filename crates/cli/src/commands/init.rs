//! `kumite init`: sets a project up, and never overwrites a person's files.

mod proposals;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use kumite_prompts::What;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

const SETTINGS: &str = include_str!("../../texts/kumite.toml");
/// Files of this machine that do not belong in git.
const IGNORED: &str = "runtime/\nlogs/\nworktrees/\nspecs/*/logs/\nevents.jsonl\n";

pub fn init(setting: &Setting) -> Result {
    let root = setting.place()?;
    let kiro = root.join(".kiro");
    make_dir(&kiro, &kiro.join("specs"))?;
    make_dir(&kiro, &kiro.join("steering"))?;
    let settings = format!("{SETTINGS}{}", proposals::proposals(&root));
    let mut rows = vec![
        (
            ".kiro/kumite.toml".to_owned(),
            once(&kiro.join("kumite.toml"), &settings)?,
        ),
        (
            ".kiro/.gitignore".to_owned(),
            once(&kiro.join(".gitignore"), IGNORED)?,
        ),
    ];
    for installed in kumite_prompts::install(&root)? {
        let word = match installed.what {
            What::Written => "written",
            What::Updated => "updated",
            What::Unchanged => "unchanged",
            What::Kept => "kept (edited by a person)",
        };
        rows.push((installed.path.display().to_string(), word));
    }
    match setting.json() {
        true => {
            let files: Vec<_> = rows
                .iter()
                .map(|(path, what)| serde_json::json!({"path": path, "what": what}))
                .collect();
            out!("{}", serde_json::json!({ "files": files }));
        }
        false if setting.global.quiet => {}
        false => {
            for (path, what) in rows {
                out!("{what:10} {path}");
            }
            out!("\nnext: kumite new <spec> \"what it should do\", then kumite run <spec>");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn once(path: &Path, text: &str) -> Result<&'static str> {
    if path.exists() {
        return Ok("unchanged");
    }
    fs::write(path, text)
        .map_err(|error| Trouble::failed(format!("cannot write {}: {error}", path.display())))?;
    Ok("written")
}

/// Makes a directory in `.kiro`, or reports what is in the way.
fn make_dir(kiro: &Path, dir: &Path) -> Result<()> {
    let Err(error) = fs::create_dir_all(dir) else {
        return Ok(());
    };
    let shown = kiro.display();
    let link = fs::read_link(kiro).ok();
    Err(Trouble::failed(match link {
        Some(target) if !kiro.exists() => {
            format!(
                "{shown} is a link to {}, which does not exist",
                target.display()
            )
        }
        _ if kiro.is_file() => format!("{shown} is a file; kumite needs a directory there"),
        _ => format!("cannot create {}: {error}", dir.display()),
    }))
}

#[cfg(test)]
mod tests {
    use kumite_formats::Settings;
    use kumite_formats::settings::{KEYS, Layer, Origin};

    use super::*;

    #[test]
    fn the_settings_that_are_offered_are_all_that_there_are_and_have_their_defaults() {
        // The first two lines are for people.
        let offered = SETTINGS.lines().skip(2);
        let offered: Vec<&str> = offered.map(|line| line.trim_start_matches("# ")).collect();
        let text = offered.join("\n");
        let layer = Layer {
            origin: Origin::Project("kumite.toml".into()),
            text: &text,
        };
        let mut loaded = Settings::load(&[layer], &[], &[]).unwrap();
        for key in KEYS {
            let mut rows = loaded.origins.iter();
            let row = rows.find(|(name, _, _)| name == key.name).unwrap();
            assert_ne!(row.2, Origin::Default, "{} is not offered", key.name);
        }
        // The examples of agents and commands are no defaults.
        let default = Settings::default();
        loaded.settings.agents.clone_from(&default.agents);
        loaded.settings.agent.phase.clear();
        loaded.settings.verify.commands.clear();
        assert_eq!(loaded.settings, default);
    }
}
