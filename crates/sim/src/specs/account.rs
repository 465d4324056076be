//! What all agents of a world share: a plan that can be used up, a service that can be too busy, and
//! a purse.

use kumite_core::journal::LimitRules;
use kumite_core::outcome::{Limit, LimitKind, Outcome, Usage};

use crate::faults::{Kind, Tally};
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub struct Account {
    /// A separate source of chance, so that a story without limits is the same as before limits
    /// existed.
    pub luck: Rng,
    rates: Rates,
    /// The true end of the limit, whatever an agent reports.
    used_up_until_ms: u64,
    busy_until_ms: u64,
    purse_micros: u64,
}

/// How often each event happens to an agent, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
struct Rates {
    /// It uses up the plan.
    used_up: u32,
    /// The service gets too busy.
    busy: u32,
    /// The session that it should resume is gone.
    gone: u32,
    /// It spends its share of the money.
    broke: u32,
    /// The person who starts a run does not want to wait for a limit.
    impatient: u32,
    /// A failed start is caused by a machine without room for it.
    no_room: u32,
}

/// Why an agent cannot do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    UsedUp,
    Busy,
    SessionGone,
    /// Its own share of the money is spent.
    Broke,
}

/// Chosen so that the seeds in `tests/seeds.rs` that broke a rule before limits existed are stories
/// without limits: they play as they did then.
const SALT: u64 = 0x6c69_6d69_7473_2b84;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

impl Account {
    /// The account of a seed, and kumite's rules for waiting.
    pub fn draw(seed: u64) -> (Account, LimitRules) {
        let mut luck = Rng::new(seed ^ SALT);
        let limited = luck.chance(500);
        let (rates, purse_micros, rules) = match limited {
            true => (
                Rates::draw(&mut luck),
                draw_purse(&mut luck),
                draw_rules(&mut luck),
            ),
            false => (Rates::default(), u64::MAX, LimitRules::default()),
        };
        let account = Account {
            luck,
            rates,
            used_up_until_ms: 0,
            busy_until_ms: 0,
            purse_micros,
        };
        (account, rules)
    }

    /// The obstacle that an agent meets when it begins.
    pub fn meets(&mut self, now_ms: u64, calm: bool, resumes: bool) -> Option<Obstacle> {
        if resumes && !calm && self.luck.chance(self.rates.gone) {
            return Some(Obstacle::SessionGone);
        }
        match (now_ms < self.used_up_until_ms, now_ms < self.busy_until_ms) {
            (true, _) => Some(Obstacle::UsedUp),
            (false, true) => Some(Obstacle::Busy),
            (false, false) => None,
        }
    }

    /// The outcome of an agent that nobody ended, and that would have ended as `planned`.
    pub fn outcome(
        &mut self,
        now_ms: u64,
        calm: bool,
        met: Option<Obstacle>,
        planned: Outcome,
        tally: &mut Tally,
    ) -> Outcome {
        let obstacle = met.or_else(|| self.meets_late(now_ms, calm));
        match obstacle {
            None => planned,
            Some(Obstacle::SessionGone) => {
                tally.note(Kind::SessionGone);
                Outcome::SessionGone("no conversation found".to_owned())
            }
            Some(Obstacle::Broke) => over_budget(tally),
            Some(Obstacle::UsedUp) => Outcome::Limited(Limit {
                kind: LimitKind::Usage,
                until_ms: self.reported(now_ms, tally),
                words: "limit reached".to_owned(),
            }),
            Some(Obstacle::Busy) => {
                tally.note(Kind::ServiceBusy);
                Outcome::Limited(Limit {
                    kind: LimitKind::Overload,
                    until_ms: None,
                    words: "overloaded".to_owned(),
                })
            }
        }
    }

    /// An obstacle after the agent's work, so that it cannot report success.
    fn meets_late(&mut self, now_ms: u64, calm: bool) -> Option<Obstacle> {
        if now_ms < self.used_up_until_ms {
            return self.luck.chance(700).then_some(Obstacle::UsedUp);
        }
        if calm {
            return None;
        }
        if self.luck.chance(self.rates.used_up) {
            self.used_up_until_ms = now_ms + self.luck.between(1, 700);
            return Some(Obstacle::UsedUp);
        }
        if self.luck.chance(self.rates.busy) {
            let for_ms = self.luck.weighed(&[(6, 40), (3, 300), (2, 3_000)]);
            self.busy_until_ms = now_ms + self.luck.between(1, for_ms);
            return Some(Obstacle::Busy);
        }
        let broke = self.luck.chance(self.rates.broke);
        broke.then_some(Obstacle::Broke)
    }

    /// The reset time as the program reports it: true, useless, or not at all.
    fn reported(&mut self, now_ms: u64, tally: &mut Tally) -> Option<u64> {
        let luck = &mut self.luck;
        let (kind, until_ms) = match luck.below(10) {
            0 => {
                let ago_ms = luck.between(1, 2_000);
                (Kind::ResetPast, Some(now_ms.saturating_sub(ago_ms)))
            }
            1 => (Kind::ResetSoon, Some(now_ms + 1)),
            2 => (
                Kind::ResetFar,
                Some(now_ms + luck.between(DAY_MS, 9 * DAY_MS)),
            ),
            3 => (
                Kind::ResetAbsurd,
                Some(luck.pick(&[0, u64::MAX / 2, u64::MAX])),
            ),
            4 | 5 => (Kind::ResetUnsaid, None),
            _ => (Kind::ResetTrue, Some(self.used_up_until_ms)),
        };
        tally.note(kind);
        until_ms
    }

    /// Charges an agent for what it used, however it ended. True: that was the last of the money.
    pub fn pays(&mut self, usage: Usage) -> bool {
        let had = self.purse_micros;
        if had != u64::MAX {
            self.purse_micros = had.saturating_sub(usage.usd_micros);
        }
        had > 0 && self.purse_micros == 0
    }

    pub fn uses(&mut self) -> Usage {
        Usage {
            usd_micros: self.luck.between(0, 100),
            input_tokens: self.luck.between(0, 5_000),
            output_tokens: self.luck.between(0, 500),
        }
    }

    pub fn raise_budget(&mut self, by_micros: u64) {
        self.purse_micros = self.purse_micros.saturating_add(by_micros);
    }

    /// Why kumite starts no agent now: the money is spent.
    pub fn refuses(&self) -> Option<Outcome> {
        (self.purse_micros == 0).then(spent)
    }

    /// Why an agent cannot be started at all.
    pub fn no_start(&mut self) -> Outcome {
        match self.luck.chance(self.rates.no_room) {
            true => Outcome::Failed("it could not be started".to_owned()),
            false => Outcome::Missing("no such program".to_owned()),
        }
    }

    /// Whether the person who starts a run is willing to wait for the end of a limit.
    pub fn is_waited_for(&mut self) -> bool {
        !self.luck.chance(self.rates.impatient)
    }
}

impl Rates {
    fn draw(luck: &mut Rng) -> Rates {
        Rates {
            used_up: luck.pick(&[0, 30, 100, 250]),
            busy: luck.pick(&[0, 30, 100]),
            gone: luck.pick(&[0, 100, 400]),
            broke: luck.pick(&[0, 0, 20]),
            impatient: luck.pick(&[0, 100, 300]),
            no_room: 500,
        }
    }
}

/// The end of an agent that may not spend more.
pub fn over_budget(tally: &mut Tally) -> Outcome {
    tally.note(Kind::AgentOverBudget);
    spent()
}

fn spent() -> Outcome {
    Outcome::OverBudget("the money is spent".to_owned())
}

fn draw_purse(luck: &mut Rng) -> u64 {
    match luck.chance(300) {
        true => luck.between(100, 1_500),
        false => u64::MAX,
    }
}

/// Short waits, so that there is time for many; now and then those of the real settings.
fn draw_rules(luck: &mut Rng) -> LimitRules {
    match luck.chance(60) {
        true => LimitRules::default(),
        false => LimitRules {
            wait: true,
            min_ms: luck.pick(&[1, 20, 80]),
            max_ms: luck.pick(&[10, 150, 600, 2_000]),
            jitter_ms: luck.pick(&[0, 10, 100]),
        },
    }
}
