//! The ordinary test run plays these contests, and checks that they really test something.

use std::sync::OnceLock;
use std::time::Instant;

use kumite_core::contest::Reason;
use kumite_sim::contest::ContestStory;
use kumite_sim::faults::Kind;
use kumite_sim::seeds::{play_all, report};
use kumite_sim::{Summary, trace};

const SEEDS: u64 = 20_000;

fn played() -> &'static Summary {
    static PLAYED: OnceLock<Summary> = OnceLock::new();
    PLAYED.get_or_init(|| {
        let began = Instant::now();
        let played = play_all::<ContestStory>(0..SEEDS, false);
        let summary = played.unwrap_or_else(|failure| panic!("{failure}"));
        println!(
            "{}",
            report::<ContestStory>(&summary, began.elapsed().as_secs_f64())
        );
        summary
    })
}

#[test]
fn d11_twenty_thousand_contests_and_every_row_is_exact() {
    assert_eq!(played().seeds, SEEDS);
}

#[test]
fn d11_crashes_change_nothing_on_the_board() {
    assert!(played().twins > SEEDS / 10, "{} twins", played().twins);
}

#[test]
fn everything_that_can_go_wrong_in_a_contest_did() {
    for kind in Kind::BOTH.iter().chain(Kind::CONTESTS) {
        let count = played().tally.of(*kind);
        assert!(count > 50, "{kind:?} hardly ever happened");
    }
}

#[test]
fn d9_every_reason_was_the_end_of_some_team() {
    for reason in Reason::ALL {
        let count = played().counts.reasons.get(reason.name());
        assert!(count > Some(&50), "{} hardly ever happened", reason.name());
    }
}

#[test]
fn there_were_tries_rounds_and_crashes_enough() {
    let counts = &played().counts;
    assert!(counts.crashes > SEEDS, "{} crashes", counts.crashes);
    let (rounds, tries) = (counts.of("scored"), counts.of("tries"));
    assert!(rounds > 3 * SEEDS, "{rounds} rounds");
    assert!(tries > 20 * SEEDS, "{tries} tries");
    assert!(counts.agents > 2 * SEEDS, "{} agents", counts.agents);
}

#[test]
fn a_contest_is_the_same_story_every_time() {
    for seed in 0..20 {
        assert_eq!(trace::<ContestStory>(seed), trace::<ContestStory>(seed));
    }
    let last = trace::<ContestStory>(1).pop();
    assert!(last.is_some_and(|line| line.ends_with("the end")));
}
