//! `kumite demo`: a whole spec with the built-in agent, in a project made for it.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use kumite_host::RunRequest;
use kumite_project::clock::{now_ms, rfc3339};
use kumite_project::project::Project;

use super::contest::{demo_contest, look_around};
use super::run;
use crate::args::Setting;
use crate::browse::{self, Serving};
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct DemoArgs {
    /// Where to make the project; by default a temporary directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Do not pause between the agent's lines
    #[arg(long)]
    fast: bool,
    /// Then play a contest of the built-in teams
    #[arg(long)]
    contest: bool,
    /// Also show everything on the page
    #[arg(long)]
    page: bool,
}

const SPEC: &str = "rate-limiter";
const DESCRIPTION: &str = "Limit how often a client may call the API: a token bucket per client, \
    with a clear answer when it is empty.";
/// Slow enough to watch.
const PACE: &str = "100ms";
/// The same for a round of a contest.
const ROUND_MS: u64 = 1500;

pub fn demo(setting: &Setting, args: &DemoArgs) -> Result {
    let root = match &args.dir {
        Some(dir) => setting.place()?.join(dir),
        None => temporary("kumite-demo-")?,
    };
    let project = make(&root, if args.fast { "0" } else { PACE })?;
    if !setting.json() {
        eprintln!("A project for the demo: {}", root.display());
        eprintln!("The built-in agent plays a whole spec: no account, no key, no server.\n");
    }
    let mut page = match args.page {
        true => Some(show(&root)?),
        false => None,
    };
    let request = RunRequest {
        specs: vec![SPEC.to_owned()],
        ..RunRequest::default()
    };
    let mut code = run::go(setting, &project, request, None, false)?;
    if code == ExitCode::SUCCESS && args.contest {
        eprintln!();
        let pace_ms = if args.fast { 0 } else { ROUND_MS };
        code = demo_contest(setting, &root, pace_ms)?;
    }
    if !setting.json() {
        let root = root.display();
        eprintln!("\nLook around: cd {root}");
        eprintln!("  kumite status {SPEC}     its state, and why");
        eprintln!("  kumite replay {SPEC}     every decision, and why");
        eprintln!("  kumite log {SPEC}        what the agents said");
        eprintln!("  ls .kiro/specs/{SPEC}    the documents");
        if args.contest {
            look_around();
        }
        eprintln!("  kumite serve                   the page");
    }
    if let Some(page) = page.as_mut().filter(|_| std::io::stderr().is_terminal()) {
        eprintln!("\nThe page stays until you press Ctrl-C.");
        page.wait();
    }
    Ok(code)
}

/// A directory for a demo, which is kept.
pub fn temporary(prefix: &str) -> Result<PathBuf> {
    let made = tempfile::Builder::new().prefix(prefix).tempdir();
    let dir = made.map_err(|error| {
        let place = std::env::temp_dir();
        let place = place.display();
        Trouble::failed(format!(
            "cannot make a directory in {place} (TMPDIR): {error}; --dir names another place"
        ))
    })?;
    Ok(dir.keep())
}

/// The page of the project, in the person's browser or as a link.
fn show(root: &Path) -> Result<Serving> {
    let page = Serving::start(root)?;
    let how = match browse::open(&page.login_url) {
        true => "opens in your browser",
        false => "is here",
    };
    eprintln!("The page {how}: {}\n", page.login_url);
    Ok(page)
}

fn make(root: &Path, pace: &str) -> Result<Project> {
    let spec = root.join(".kiro/specs").join(SPEC);
    if spec.exists() {
        return Err(Trouble::invalid(format!(
            "{} exists already; choose another directory",
            spec.display()
        )));
    }
    let write = |path: PathBuf, text: String| {
        fs::write(&path, text)
            .map_err(|error| Trouble::failed(format!("cannot write {}: {error}", path.display())))
    };
    fs::create_dir_all(&spec)
        .map_err(|error| Trouble::failed(format!("cannot create {}: {error}", spec.display())))?;
    let settings = format!(
        "[agent]\ndefault = \"scripted\"\n\n[agents.scripted]\n\
         env = {{ KUMITE_SCRIPT_PACE = \"{pace}\" }}\n"
    );
    write(root.join(".kiro/kumite.toml"), settings)?;
    let json = kumite_prompts::init_spec_json(SPEC, "en", DESCRIPTION, &rfc3339(now_ms()));
    write(spec.join("spec.json"), json)?;
    let stub = kumite_prompts::requirements_stub(SPEC, DESCRIPTION);
    write(spec.join("requirements.md"), stub)?;
    Ok(Project::at(root))
}
