//! Never more teams at work than there are places, none of them idle, and no team waits beside a
//! free place: until the end, something is always in progress.

use super::book::{Book, Team};
use crate::check::{Verdict, broken};

pub fn check(book: &Book) -> Verdict {
    if book.summary.is_some() {
        return Ok(());
    }
    let waits = |team: &&Team| team.rounds.is_empty() && team.open.is_empty() && !team.is_out;
    let works = |team: &&Team| !team.is_out && !waits(team);
    let idle = |team: &Team| works(&team) && team.open.is_empty();
    if let Some(team) = book.teams.iter().position(idle) {
        return broken(
            "a team at work has something under way",
            format!("team {team} has not"),
        );
    }
    let places = book.rules.teams_max.unwrap_or(u32::MAX).max(1) as usize;
    let working = book.teams.iter().filter(works).count();
    if working > places {
        return broken(
            "no more teams work than there are places",
            format!("{working} work, {places} may"),
        );
    }
    let waiting = book.teams.iter().filter(waits).count();
    if waiting > 0 && working < places {
        return broken(
            "nobody waits beside a free place",
            format!("{waiting} wait, {working} work, {places} may"),
        );
    }
    match working + waiting == 0 {
        true => broken(
            "the summary follows the end of the last team",
            "nobody is left, and it is not asked for",
        ),
        false => Ok(()),
    }
}
