//! The ordinary test run plays these seeds, and checks that they really test something.

use std::sync::OnceLock;
use std::time::Instant;

use kumite_sim::faults::Kind;
use kumite_sim::seeds::{play_all, report};
use kumite_sim::specs::SpecStory;
use kumite_sim::specs::check::REASONS;
use kumite_sim::{Summary, play, trace};

const SEEDS: u64 = 20_000;

fn played() -> &'static Summary {
    static PLAYED: OnceLock<Summary> = OnceLock::new();
    PLAYED.get_or_init(|| {
        let began = Instant::now();
        let played = play_all::<SpecStory>(0..SEEDS, false);
        let summary = played.unwrap_or_else(|failure| panic!("{failure}"));
        println!(
            "{}",
            report::<SpecStory>(&summary, began.elapsed().as_secs_f64())
        );
        summary
    })
}

#[test]
fn twenty_thousand_seeds() {
    assert_eq!(played().seeds, SEEDS);
}

#[test]
fn everything_that_can_go_wrong_did() {
    for kind in Kind::BOTH.iter().chain(Kind::SPECS) {
        assert!(
            played().tally.of(*kind) > 50,
            "{kind:?} hardly ever happened"
        );
    }
}

/// Every halt and every finish that the core can produce. The others come with later work.
#[test]
fn every_reason_was_the_last_word_of_some_run() {
    const LATER: [&str; 1] = ["diverging"];
    for reason in REASONS {
        let count = played().counts.reasons.get(reason).copied().unwrap_or(0);
        match LATER.contains(&reason) {
            true => assert_eq!(count, 0, "{reason} can happen now: expect it"),
            false => assert!(count > 50, "{reason} hardly ever happened"),
        }
    }
}

#[test]
fn there_were_runs_rounds_crashes_and_waits_enough() {
    let counts = &played().counts;
    assert!(counts.crashes > SEEDS, "{} crashes", counts.crashes);
    assert!(counts.agents > 10 * SEEDS, "{} agents", counts.agents);
    let (rounds, waits) = (counts.of("rounds"), counts.of("waits"));
    assert!(rounds > SEEDS, "{rounds} rounds");
    assert!(waits > SEEDS, "{waits} waits");
}

/// Half of the stories have places and commands.
#[test]
fn e8_7_places_commands_and_checkpoints_were_played_enough() {
    let counts = &played().counts;
    for what in ["places", "commands passed", "checkpoints"] {
        let count = counts.of(what);
        assert!(count > SEEDS / 4, "{count} {what}");
    }
    // Most agents work when faults have stopped, and write good code then.
    let failed = counts.of("commands failed");
    assert!(failed > SEEDS / 10, "{failed} commands failed");
}

#[test]
fn a_seed_is_the_same_story_every_time() {
    for seed in 0..20 {
        assert_eq!(trace::<SpecStory>(seed), trace::<SpecStory>(seed));
    }
}

#[test]
fn a_story_ends_with_the_end() {
    assert!(play::<SpecStory>(1).is_ok());
    assert!(
        trace::<SpecStory>(1)
            .last()
            .is_some_and(|line| line.ends_with("the end"))
    );
}

/// Seeds that once broke a rule, half of them beyond the range above. The seeds of the first five
/// and of the last three rows broke it again as soon as the fix was removed from the core. All of
/// them but the last one still play as they did then; in the last one a limit is now noted longer.
const ONCE_BROKEN: [&[u64]; 10] = [
    // A reply was complete when its agent was stopped or failed, in the last round of an allowance:
    // the next start began one more round instead of asking a person.
    &[32_153],
    // An older GO passed newer work if the run ended (not permitted, until, reset) before the
    // inspection that was due. In 71551 it was a reset.
    &[13_629, 9_961, 71_551],
    // A document that was rejected or reopened and rewritten kept the approval of its old review if
    // the run halted (approval needed) or ended in between.
    &[35_234, 13_185, 13_076, 189_321],
    // An agent wrote `approved` into spec.json and then failed, was stopped or left unclear counts;
    // the next start believed it. Here it ended while spec.json was unreadable.
    &[16_280, 296_211],
    // A writer that did not succeed was believed: the document was newer than its review.
    &[42_070],
    // A run requested during a review by hand ended before a rejected document was rewritten.
    &[72_274],
    // Found while the fixes above were made; what they showed was not recorded.
    &[2_787, 13_389, 60_598],
    // The session of an agent that had ended at a limit was forgotten if its successor could not be
    // started, or if spec.json could not be written before that (29825).
    &[22_359, 12_305, 29_825],
    // If spec.json could not be written at a limit, the wait was not announced, and other runs did
    // not learn about the limit (34204).
    &[17_218, 34_204],
    // A review by hand was judged by a later run with `until`, which then ended before a rejected
    // document was rewritten.
    &[151_898],
];

#[test]
fn seeds_that_once_broke_a_rule_break_none() {
    for seed in ONCE_BROKEN.concat() {
        if let Err(failure) = play::<SpecStory>(seed) {
            panic!("{failure}");
        }
    }
}
