//! The rules for money, one by one.

mod schedules;

use super::*;

const DOLLAR: u64 = 1_000_000;
const TODAY: &str = "2026-11-16";
const TOMORROW: &str = "2026-11-17";

fn agent(seq: u64) -> AgentId {
    AgentId { at_ms: 1, seq }
}

fn ask(seq: u64, run_spent: u64) -> Ask<'static> {
    Ask {
        agent: agent(seq),
        step: "impl",
        day: TODAY,
        run_spent,
        priced: true,
    }
}

fn per_run(dollars: u64) -> Budget {
    Budget {
        run: dollars * DOLLAR,
        day: 0,
    }
}

fn per_day(dollars: u64) -> Budget {
    Budget {
        run: 0,
        day: dollars * DOLLAR,
    }
}

#[test]
fn t10_without_a_budget_everybody_starts_and_nobody_has_a_cap() {
    let mut ledger = Ledger::default();
    ledger.count(TODAY, "impl", u64::MAX);
    let granted = ledger.admit(Budget::default(), &ask(1, u64::MAX)).unwrap();
    assert_eq!(granted.cap, None);
}

#[test]
fn t10_a_run_that_reached_its_budget_starts_nobody_and_says_what_to_raise() {
    let mut ledger = Ledger::default();
    let refused = ledger.admit(per_run(5), &ask(1, 5_120_000)).unwrap_err();
    assert_eq!(
        refused.0,
        "the budget of $5.00 a run is spent ($5.12); raise budget.usd_per_run"
    );
    assert!(ledger.admit(per_run(5), &ask(1, 5 * DOLLAR)).is_err());
    let granted = ledger.admit(per_run(5), &ask(1, 5 * DOLLAR - 1)).unwrap();
    assert_eq!((granted.reserved, granted.cap), (1, Some(1)));
}

#[test]
fn t10_a_day_that_reached_its_budget_starts_nobody_until_the_next_one() {
    let mut ledger = Ledger::default();
    ledger.count(TODAY, "impl", 10 * DOLLAR);
    let refused = ledger.admit(per_day(10), &ask(1, 0)).unwrap_err();
    assert_eq!(
        refused.0,
        "the budget of $10.00 a day is spent ($10.00 today); raise budget.usd_per_day"
    );
    let tomorrow = Ask {
        day: TOMORROW,
        ..ask(1, 0)
    };
    assert!(ledger.admit(per_day(10), &tomorrow).is_ok());
}

#[test]
fn t10_what_is_reserved_for_agents_at_work_is_not_granted_again() {
    let mut ledger = Ledger::default();
    ledger.count(TODAY, "impl", 4 * DOLLAR);
    let first = ledger.admit(per_day(10), &ask(1, 0)).unwrap();
    assert_eq!((first.reserved, first.cap), (4 * DOLLAR, Some(6 * DOLLAR)));
    let second = ledger.admit(per_day(10), &ask(2, 0)).unwrap();
    assert_eq!(
        (second.reserved, second.cap),
        (2 * DOLLAR, Some(2 * DOLLAR))
    );
    let refused = ledger.admit(per_day(10), &ask(3, 0)).unwrap_err();
    assert_eq!(
        refused.0,
        "the budget of $10.00 a day is spent or reserved ($4.00 spent today, $6.00 reserved \
         for 2 agents at work); wait for them or raise budget.usd_per_day"
    );
    ledger.settle(agent(1), TODAY, "impl", DOLLAR);
    let third = ledger.admit(per_day(10), &ask(3, 0)).unwrap();
    assert_eq!(third.cap, Some(3 * DOLLAR));
}

#[test]
fn t10_the_nearer_budget_counts() {
    let budget = Budget {
        run: 3 * DOLLAR,
        day: 10 * DOLLAR,
    };
    let mut ledger = Ledger::default();
    let granted = ledger.admit(budget, &ask(1, DOLLAR)).unwrap();
    assert_eq!(granted.cap, Some(2 * DOLLAR));
    ledger.settle(agent(1), TODAY, "impl", 9 * DOLLAR);
    let granted = ledger.admit(budget, &ask(2, DOLLAR)).unwrap();
    assert_eq!(granted.cap, Some(DOLLAR));
}

#[test]
fn t10_a_step_is_expected_to_cost_the_most_that_it_ever_cost() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.estimate("impl", true), UNKNOWN);
    ledger.count(TODAY, "review", 20);
    assert_eq!(ledger.estimate("impl", true), 20);
    for cost in [0, 7, 3] {
        ledger.count(TODAY, "impl", cost);
    }
    assert_eq!(ledger.estimate("impl", true), 7);
    assert_eq!(ledger.estimate("impl", false), 0);
}

#[test]
fn t10_an_agent_that_is_found_again_has_its_reservation_once() {
    let mut ledger = Ledger::default();
    ledger.hold(agent(1), "impl", true);
    ledger.hold(agent(1), "impl", true);
    assert_eq!(ledger.reserved(), UNKNOWN);
    // It was not started yet: its own reservation must not block it.
    let small = Budget {
        run: 0,
        day: UNKNOWN,
    };
    assert!(ledger.admit(small, &ask(1, 0)).is_ok());
    ledger.leave(agent(1));
    assert_eq!(ledger.reserved(), 0);
}

#[test]
fn money_is_written_in_cents_and_with_what_is_below_them() {
    let amounts = [0, 1, 90, 10_000, 10_400, 123_456, 5_000_000, 5_120_000];
    assert_eq!(
        amounts.map(dollars),
        [
            "$0.00",
            "$0.000001",
            "$0.00009",
            "$0.01",
            "$0.0104",
            "$0.1235",
            "$5.00",
            "$5.12"
        ]
    );
    assert_eq!(dollars(u64::MAX), "$18446744073709.5516");
}
