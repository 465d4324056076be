//! D1: the fate of one team changes nothing for another, except that a place becomes free.

use kumite_core::contest::Effect;

use super::asked::{Key, asked};
use super::book::{Book, Heard};
use crate::check::{Verdict, broken};

pub fn check(book: &Book, heard: &Heard, orders: &[Effect]) -> Verdict {
    let team = match heard {
        Heard::Answer { team, .. } | Heard::Agent { team } => *team,
        Heard::Late => {
            return match orders {
                [] => Ok(()),
                orders => broken(
                    "a word that nobody waits for changes nothing",
                    format!("it made {orders:?}"),
                ),
            };
        }
        Heard::Started | Heard::Summary(_) | Heard::Cancelled | Heard::Resumed => return Ok(()),
    };
    let other = orders.iter().find(|order| match order {
        Effect::Begin { team: of, .. } => *of != team && !is_new(book, *of),
        Effect::Launch { team: of, .. }
        | Effect::HandIn { team: of, .. }
        | Effect::Limit { team: of, .. }
        | Effect::Halt { team: of } => *of != team,
        Effect::Announce(notice) => notice
            .team
            .is_some_and(|of| of != team && !is_new(book, of)),
        Effect::SaveSummary { .. } | Effect::End => false,
        order => asked(order).is_some_and(|asked| {
            let may_begin = matches!(asked.key, Key::Submit | Key::Save);
            asked.team != team && !(may_begin && is_new(book, asked.team))
        }),
    });
    match other {
        None => Ok(()),
        Some(order) => broken(
            "what happens to a team changes nothing for another",
            format!("team {team} got an answer, and {order:?} followed"),
        ),
    }
}

/// Whether the team has only waited for a place so far.
fn is_new(book: &Book, team: u32) -> bool {
    let of = &book.teams[team as usize];
    of.rounds.is_empty() && of.open.is_empty() && !of.is_out
}
