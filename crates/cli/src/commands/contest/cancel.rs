//! `kumite contest cancel`.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use kumite_contest::home::{self, Home};
use kumite_core::contest::Contest;
use kumite_host::Engine;
use kumite_project::journal;

use super::place::PlaceArgs;
use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct CancelArgs {
    /// The beginning of its id; by default the newest one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// How long the process that plays it may take: agents have a grace period before they are killed.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn cancel(setting: &Setting, args: &CancelArgs) -> Result {
    let place = args.place.find(setting)?;
    let home = match &args.id {
        Some(id) => place.pick_own(Some(id))?,
        // The newest running contest, if there is one.
        None => {
            let all = home::all(&place.workspace)?;
            let played = all.into_iter().find(Home::is_played);
            match played {
                Some(home) => home,
                None => place.pick_own(None)?,
            }
        }
    };
    let id = home.id();
    if is_ended(&home) {
        eprintln!("kumite: contest {id} has ended already");
        return Ok(ExitCode::SUCCESS);
    }
    home.ask_to_cancel()?;
    let began = Instant::now();
    while home.is_played() {
        if began.elapsed() > PATIENCE {
            return Err(Trouble::failed(format!(
                "contest {id} was asked to end, and is still played after {} s",
                PATIENCE.as_secs()
            )));
        }
        thread::sleep(Duration::from_millis(20));
    }
    if !is_ended(&home) {
        // No process played it, so we end it ourselves.
        Engine::apart(&home).play(home, Box::new(|_, _| {}))?;
    }
    let data = serde_json::json!({"execution_id": id, "state": "cancelled"});
    setting.answer(&data, || {
        eprintln!("kumite: contest {id} is cancelled; what was finished stays on the board");
    })
}

fn is_ended(home: &Home) -> bool {
    let contest = journal::replay(home.dir(), |_, _: &Contest, _| {});
    contest.is_ok_and(|contest| contest.is_ended())
}
