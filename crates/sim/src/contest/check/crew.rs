//! The agents of a try, one after the other: when the next one begins, with what, and when the try
//! has failed.

use kumite_core::contest::{AgentEnd, Effect, Failure};
use kumite_core::journal::LimitRules;
use kumite_core::outcome::{LimitKind, Outcome};

use super::asked::Key;
use super::book::{Book, Heard, How, Try};
use crate::check::{Verdict, broken};

/// Agents that may die with their kumite in one try.
const LOSSES_MAX: u32 = 7;
/// Busy answers in a row.
const BUSY_MAX: u32 = 24;

pub struct Crew {
    pub number: u32,
    pub worked_ms: u64,
    pub is_done: bool,
    resume: Option<String>,
    /// The earliest and the latest time of day at which the next one may be told to begin.
    wakes: (u64, u64),
    is_noted: bool,
    busy: u32,
    losses: u32,
}

impl Default for Crew {
    fn default() -> Crew {
        Crew {
            number: 1,
            worked_ms: 0,
            is_done: false,
            resume: None,
            wakes: (0, 0),
            is_noted: false,
            busy: 0,
            losses: 0,
        }
    }
}

impl Crew {
    /// Why the try has failed; None if it goes on.
    pub fn after(
        &mut self,
        over: &AgentEnd,
        rules: &LimitRules,
        timeout_ms: u64,
        at_ms: u64,
    ) -> Option<Failure> {
        self.worked_ms += over.worked_ms;
        self.wakes = (0, 0);
        self.is_noted = false;
        let outcome = &over.ended.outcome;
        let is_busy =
            matches!(outcome, Outcome::Limited(limit) if limit.kind == LimitKind::Overload);
        if !matches!(outcome, Outcome::Limited(_)) {
            self.busy = 0;
        }
        self.busy += u32::from(is_busy);
        match outcome {
            Outcome::Finished => {
                self.is_done = true;
                return None;
            }
            Outcome::TimedOut => return Some(Failure::TimedOut),
            Outcome::Missing(_) | Outcome::OverBudget(_) => return Some(Failure::Lasting),
            Outcome::Limited(_) if self.busy > BUSY_MAX => return Some(Failure::Passing),
            Outcome::Limited(_) if !rules.wait => return Some(Failure::Lasting),
            Outcome::Limited(limit) => {
                let shortest = match limit.kind {
                    LimitKind::Held => 0,
                    LimitKind::Usage | LimitKind::Overload => rules.min_ms,
                };
                let latest = at_ms + rules.max_ms + rules.jitter_ms;
                self.wakes = (at_ms + shortest, latest);
                self.is_noted = limit.kind == LimitKind::Usage;
                if limit.kind != LimitKind::Held {
                    self.number += 1;
                    self.resume.clone_from(&over.ended.session);
                }
            }
            Outcome::SessionGone(_) if self.resume.is_some() => {
                self.number += 1;
                self.resume = None;
            }
            Outcome::Lost(_) if over.is_found && self.losses < LOSSES_MAX => {
                self.losses += 1;
                self.number += 1;
                self.resume = None;
            }
            Outcome::Failed(_)
            | Outcome::SessionGone(_)
            | Outcome::Lost(_)
            | Outcome::Hung
            | Outcome::Killed => return Some(Failure::Passing),
        }
        (self.worked_ms >= timeout_ms).then_some(Failure::TimedOut)
    }
}

impl Book {
    /// The end of an agent answers the try, or the try goes on.
    pub fn agent(
        &mut self,
        at_ms: u64,
        team: u32,
        number: u32,
        agent: (u32, u32),
        over: &AgentEnd,
    ) -> Heard {
        let of = &mut self.teams[team as usize];
        let open = of.open.get(&Key::Submit);
        let Some(open) = open.filter(|open| (open.attempt, of.crew.number) == agent) else {
            return Heard::Late;
        };
        if of.number() != number || of.crew.is_done {
            return Heard::Late;
        }
        match of
            .crew
            .after(over, &self.rules.limit, open.timeout_ms, at_ms)
        {
            Some(failure) => {
                let how = How::Failed(failure, None);
                self.answer(team, number, Key::Submit, Some(agent.0), how, 0)
            }
            None => {
                of.count(self.clock_ms, 0);
                Heard::Agent { team }
            }
        }
    }

    /// After a resume the try is under way again, with what its agents have left of the time.
    pub fn agent_goes_on(&mut self, team: u32, attempt: u32, wait_ms: u64, timeout_ms: u64) {
        let from_ms = self.clock_ms + wait_ms;
        let contest_left_ms = self.left_ms();
        let of = &mut self.teams[team as usize];
        let worked_ms = of.crew.worked_ms;
        let team_left_ms = of.left_ms(&self.rules);
        let again = Try {
            attempt,
            from_ms,
            timeout_ms: timeout_ms.saturating_add(worked_ms),
            team_left_ms: team_left_ms.saturating_add(worked_ms),
            contest_left_ms: contest_left_ms.saturating_add(worked_ms),
        };
        of.open.entry(Key::Submit).or_insert(again).from_ms = from_ms;
    }

    pub fn hands_in(&mut self, team: u32) {
        let from_ms = self.clock_ms;
        let of = &mut self.teams[team as usize];
        if let Some(lost) = of.lost.get(&Key::Submit) {
            of.open.insert(Key::Submit, *lost);
        }
        if let Some(open) = of.open.get_mut(&Key::Submit) {
            open.from_ms = from_ms;
        }
    }
}

/// After the end of an agent exactly one thing follows, and it is the right one.
pub fn check(book: &Book, heard: &Heard, orders: &[Effect]) -> Verdict {
    let Heard::Agent { team } = heard else {
        return Ok(());
    };
    let of = &book.teams[*team as usize];
    let crew = &of.crew;
    let timeout_ms = of.open.get(&Key::Submit).map_or(0, |open| open.timeout_ms);
    let is_right = |order: &Effect| match order {
        Effect::HandIn { number, .. } => crew.is_done && *number == crew.number,
        Effect::Launch {
            number,
            resume,
            wake_ms,
            timeout_ms: given_ms,
            ..
        } => {
            !crew.is_done
                && (number, resume) == (&crew.number, &crew.resume)
                && (crew.wakes.0..=crew.wakes.1).contains(wake_ms)
                && *given_ms == timeout_ms - crew.worked_ms
        }
        Effect::Limit { .. } => crew.is_noted,
        _ => false,
    };
    let expected = 1 + usize::from(crew.is_noted);
    match orders.len() == expected && orders.iter().all(is_right) {
        true => Ok(()),
        false => broken(
            "an agent is followed by the right one, or hands in",
            format!("team {team}: {orders:?}"),
        ),
    }
}
