//! `kumite contest cancel`.

use std::process::ExitCode;

use clap::Args;
use kumite_contest::home::{self, Home};
use kumite_host::contests::{self, Cancelled};

use super::place::PlaceArgs;
use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct CancelArgs {
    /// The beginning of its id; by default the newest one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

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
    if contests::cancel(home)? == Cancelled::Before {
        eprintln!("kumite: {}", Cancelled::Before.words(&id));
        return Ok(ExitCode::SUCCESS);
    }
    let data = serde_json::json!({"execution_id": id, "state": "cancelled"});
    setting.answer(&data, || eprintln!("kumite: {}", Cancelled::Now.words(&id)))
}
