//! Every schedule of starts, ends, crashes and midnights keeps to the bounds.

use proptest::prelude::*;

use super::agent;
use crate::budget::{Ask, Budget, Ledger};
use crate::journal::AgentId;

const RUNS: usize = 6;
const STEPS: [&str; 3] = ["review", "reply", "impl"];
/// More than any agent below costs beyond its cap.
const TURN: u64 = 40;

#[derive(Clone, Debug)]
enum Move {
    /// The run asks for an agent of this step, which will cost this much.
    Launch {
        run: usize,
        step: usize,
        cost: u64,
    },
    End {
        run: usize,
    },
    /// kumite is killed, and the next process finds the running agents again.
    Crash,
    Midnight,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = (0..RUNS, 0..STEPS.len(), 0..300_u64).prop_map(|(run, step, cost)| Move::Launch {
        run,
        step,
        cost,
    });
    let end = (0..RUNS).prop_map(|run| Move::End { run });
    let one = prop_oneof![8 => step, 8 => end, 1 => Just(Move::Crash), 1 => Just(Move::Midnight)];
    prop::collection::vec(one, 0..120)
}

#[derive(Clone, Copy)]
struct AtWork {
    agent: AgentId,
    step: &'static str,
    cost: u64,
    reserved: u64,
    /// What its run had spent before it.
    before: u64,
}

/// A project with a schedule. It keeps its own simple books.
struct Schedule {
    budget: Budget,
    ledger: Ledger,
    at_work: [Option<AtWork>; RUNS],
    run_spent: [u64; RUNS],
    /// All agents that have ended.
    ended: Vec<(u32, &'static str, u64)>,
    day: u32,
    /// The most that the day may spend: known from its last start on.
    day_bound: Option<u64>,
    seq: u64,
    obeys_cap: bool,
}

fn name(day: u32) -> String {
    format!("day {day}")
}

impl Schedule {
    fn today(&self) -> String {
        name(self.day)
    }

    fn spent_today(&self) -> u64 {
        let ended = self.ended.iter().filter(|(day, ..)| *day == self.day);
        ended.map(|(.., cost)| cost).sum()
    }

    fn reserved(&self) -> u64 {
        self.at_work.iter().flatten().map(|it| it.reserved).sum()
    }

    fn launch(&mut self, run: usize, step: &'static str, cost: u64) {
        if self.at_work[run].is_some() {
            return;
        }
        self.seq += 1;
        let ask = Ask {
            agent: agent(self.seq),
            step,
            day: &self.today(),
            run_spent: self.run_spent[run],
            priced: true,
        };
        let run_reached = self.budget.run > 0 && ask.run_spent >= self.budget.run;
        let used = self.spent_today() + self.reserved();
        let day_reached = self.budget.day > 0 && used >= self.budget.day;
        let Ok(granted) = self.ledger.admit(self.budget, &ask) else {
            assert!(run_reached || day_reached, "refused without a reason");
            return;
        };
        assert!(
            !run_reached && !day_reached,
            "a launch after the budget was reached"
        );
        let cost = match (self.obeys_cap, granted.cap) {
            (true, Some(cap)) => cost.min(cap + TURN - 1),
            _ => cost,
        };
        self.at_work[run] = Some(AtWork {
            agent: ask.agent,
            step,
            cost,
            reserved: granted.reserved,
            before: ask.run_spent,
        });
        let beyond = self.at_work.iter().flatten();
        let beyond = beyond.map(|it| it.cost.saturating_sub(it.reserved));
        self.day_bound = Some(self.budget.day + beyond.sum::<u64>());
    }

    fn end(&mut self, run: usize) {
        let Some(it) = self.at_work[run].take() else {
            return;
        };
        self.ledger
            .settle(it.agent, &self.today(), it.step, it.cost);
        self.run_spent[run] += it.cost;
        self.ended.push((self.day, it.step, it.cost));
        if let (Some(bound), true) = (self.day_bound, self.budget.day > 0) {
            assert!(self.spent_today() <= bound, "a day beyond its bound");
        }
        if self.budget.run > 0 {
            let beyond = match self.obeys_cap {
                true => TURN.min(it.cost),
                false => it.cost,
            };
            let most = self.budget.run + beyond.max(1) - 1;
            assert!(it.before < self.budget.run);
            assert!(self.run_spent[run] <= most, "a run beyond its bound");
        }
    }

    /// The next process knows what was recorded, and finds the running agents.
    fn crash(&mut self) {
        self.ledger = Ledger::default();
        for (day, step, cost) in &self.ended {
            self.ledger.count(&name(*day), step, *cost);
        }
        for it in self.at_work.iter_mut().flatten() {
            self.ledger.hold(it.agent, it.step, true);
            it.reserved = self.ledger.reserved[&it.agent];
        }
    }

    fn midnight(&mut self) {
        self.day += 1;
        // Until an agent is started, only the running ones cost money.
        self.day_bound = None;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn t10_no_schedule_spends_more_than_the_budgets_and_their_documented_overshoot(
        moves in moves(),
        run in prop_oneof![Just(0), 1..1_000_u64],
        day in prop_oneof![Just(0), 1..2_000_u64],
        obeys_cap in any::<bool>(),
    ) {
        let mut it = Schedule {
            budget: Budget { run, day },
            ledger: Ledger::default(),
            at_work: [None; RUNS],
            run_spent: [0; RUNS],
            ended: Vec::new(),
            day: 0,
            day_bound: None,
            seq: 0,
            obeys_cap,
        };
        for one in moves {
            match one {
                Move::Launch { run, step, cost } => it.launch(run, STEPS[step], cost),
                Move::End { run } => it.end(run),
                Move::Crash => it.crash(),
                Move::Midnight => it.midnight(),
            }
            prop_assert_eq!(it.ledger.spent_on(&it.today()), it.spent_today());
            prop_assert_eq!(it.ledger.reserved(), it.reserved());
        }
        for run in 0..RUNS {
            it.end(run);
        }
        prop_assert_eq!(it.ledger.reserved(), 0);
        prop_assert!(it.ledger.reserved.is_empty());
    }
}
