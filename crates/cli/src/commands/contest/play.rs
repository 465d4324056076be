//! Plays a contest in this process, and follows it to its end.

use std::process::ExitCode;

use kumite_contest::announce::News;
use kumite_contest::home::Home;
use kumite_contest::teams::agent;
use kumite_contest::{summary, view};
use kumite_core::contest::Contest;
use kumite_core::contest::board::{Success, success};
use kumite_host::contests::Played;
use kumite_host::{Engine, Message};

use super::screen::Screen;
use super::table;
use crate::args::Setting;
use crate::exit;
use crate::out::out;
use crate::signals;
use crate::trouble::Result;

/// What is printed at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Summary {
    /// The leader board, or its news with --json
    #[default]
    Kumite,
    /// The JSON that `mixseek exec` prints
    Mixseek,
}

pub fn play(setting: &Setting, home: Home, end: Summary) -> Result {
    let charter = home.charter()?;
    let engine = Engine::apart(&home);
    let caught = signals::catch({
        let (inbox, dir) = (engine.inbox(), home.dir().to_owned());
        move |count| match count {
            1 => drop(inbox.send(Message::Interrupt)),
            _ => {
                agent::kill_all(&dir);
                std::process::exit(i32::from(exit::INTERRUPTED));
            }
        }
    })?;
    let quiet = setting.global.quiet || end == Summary::Mixseek;
    let json = setting.json() && end != Summary::Mixseek;
    let mut screen = Screen::new(&charter, json, quiet);
    let tell = Box::new(move |news: &[News], contest: &Contest| screen.show(news, contest));
    let (contest, played) = engine.play(home.clone(), tell)?;
    if played == Played::Interrupted {
        let code = caught.code().unwrap_or(exit::INTERRUPTED);
        eprintln!(
            "kumite: interrupted; `kumite contest resume {}` goes on",
            charter.id
        );
        return Ok(ExitCode::from(code));
    }
    match (end, json) {
        (Summary::Mixseek, _) => {
            out!("{}", summary::mixseek(&home, &charter, &contest));
        }
        (Summary::Kumite, true) => {
            let board = view::board(&charter.id, &charter.plan.task, &contest, false);
            let mut line = serde_json::json!(board);
            line["type"] = "board".into();
            out!("{line}");
        }
        (Summary::Kumite, false) => {
            let board = view::board(&charter.id, &charter.plan.task, &contest, false);
            table::print(&board);
        }
    }
    Ok(ExitCode::from(code(&contest)))
}

/// 0: all teams ended well, 1: some failed, 4: none succeeded. If the database lacks the result,
/// not all is well.
pub fn code(contest: &Contest) -> u8 {
    match success(contest) {
        Success::All if view::unsaved(contest).is_none() => exit::DONE,
        Success::All | Success::Some => exit::FAILED,
        Success::None => exit::NONE_SUCCEEDED,
    }
}
