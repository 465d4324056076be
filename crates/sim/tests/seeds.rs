//! The ordinary test run plays these seeds, and makes sure that they test something.

use std::sync::OnceLock;
use std::time::Instant;

use kumite_sim::faults::Kind;
use kumite_sim::run::{play_all, report};
use kumite_sim::{Summary, check, play, trace};

const SEEDS: u64 = 20_000;

fn played() -> &'static Summary {
    static PLAYED: OnceLock<Summary> = OnceLock::new();
    PLAYED.get_or_init(|| {
        let began = Instant::now();
        let summary = play_all(0..SEEDS, false).unwrap_or_else(|failure| panic!("{failure}"));
        println!("{}", report(&summary, began.elapsed().as_secs_f64()));
        summary
    })
}

#[test]
fn twenty_thousand_seeds() {
    assert_eq!(played().seeds, SEEDS);
}

#[test]
fn everything_that_can_go_wrong_did() {
    for kind in Kind::ALL {
        assert!(
            played().tally.of(*kind) > 50,
            "{kind:?} hardly ever happened"
        );
    }
}

/// Every halt and every finish that the core can produce. The others come with later work.
#[test]
fn every_reason_was_the_last_word_of_some_run() {
    const LATER: [&str; 3] = ["usage_limit", "budget", "diverging"];
    for (reason, count) in check::REASONS.iter().zip(played().counts.reasons) {
        match LATER.contains(reason) {
            true => assert_eq!(count, 0, "{reason} can happen now: expect it"),
            false => assert!(count > 50, "{reason} hardly ever happened"),
        }
    }
}

#[test]
fn there_were_runs_rounds_and_crashes_enough() {
    let counts = &played().counts;
    assert!(counts.crashes > SEEDS, "{} crashes", counts.crashes);
    assert!(counts.rounds > SEEDS, "{} rounds", counts.rounds);
    assert!(counts.launches > 10 * SEEDS, "{} agents", counts.launches);
}

#[test]
fn a_seed_is_the_same_story_every_time() {
    for seed in 0..20 {
        assert_eq!(trace(seed), trace(seed));
    }
}

#[test]
fn a_story_ends_with_the_end() {
    assert!(play(1).is_ok());
    assert!(
        trace(1)
            .last()
            .is_some_and(|line| line.ends_with("the end"))
    );
}
