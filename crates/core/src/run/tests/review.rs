//! The review loop (A).

use super::build::*;
use super::files::*;
use crate::change::{Change, Fixing};
use crate::facts::{Facts, RoundFacts, RoundProgress, Stamp};
use crate::journal::{Order, ROUNDS_MAX, Rules};
use crate::names::Phase;
use crate::notice::{NextAction, Notice};
use crate::run::{Finish, Pause, Run, State, Step, Work};

/// The reply of round `number` exists with these counts.
fn replied(number: u32, fix_required: u32, needs_discussion: u32) -> Facts {
    rounds(&[replied_round(number, fix_required, needs_discussion)])
}

fn round_ended(round: u32, fix: u32, discuss: u32, next: NextAction) -> Notice {
    let findings = findings(fix, discuss);
    Notice::RoundEnded {
        round,
        findings,
        next,
    }
}

fn by_hand(fixing: Fixing) -> Order {
    Order {
        review_once: Some(fixing),
        ..Order::default()
    }
}

#[test]
fn a1_1_fixes_left_start_the_next_round() {
    let decided = check(
        working(reply(1)),
        finished(replied(1, 2, 0)),
        begun(review(2)),
    );
    assert_eq!(
        decided.launched().map(|launch| launch.step),
        Some(review(2))
    );
    decided.says(round_ended(1, 2, 0, NextAction::Continue));
}

#[test]
fn a1_3_a_finished_round_is_written_to_spec_json_before_the_next_one_begins() {
    let decided = decided(working(reply(2)), finished(replied(2, 3, 1)));
    decided.saves(&[Change::Replied(2, findings(3, 1)), Change::ReviewStarted(3)]);
}

#[test]
fn a2_1_an_allowance_is_seven_rounds() {
    assert_eq!(ROUNDS_MAX, 7);
    check(
        working(reply(6)),
        finished(replied(6, 1, 0)),
        begun(review(7)),
    );
}

#[test]
fn a2_2_open_fixes_after_the_seventh_round_pause_the_run() {
    let next = Step::Review(round(8, 6));
    let decided = check(
        working(reply(7)),
        finished(replied(7, 1, 2)),
        paused(Pause::RoundsExhausted, next),
    );
    decided.saves(&[Change::Replied(7, findings(1, 2))]);
    decided.says(round_ended(7, 1, 2, NextAction::Paused));
}

#[test]
fn a2_3_a_resume_after_the_limit_grants_seven_rounds_that_count_on() {
    let before = paused(Pause::RoundsExhausted, Step::Review(round(8, 6)));
    let known: Vec<RoundFacts> = (1..=7).map(|number| closed_round(number, 1, 0)).collect();
    let after = begun(Step::Review(round(8, 6)));
    check(before, start(rounds(&known)), after.clone());
    // The same without the memory of the run.
    check(State::Idle, start(rounds(&known)), after);
}

#[test]
fn a3_1_nothing_left_approves_the_review_and_goes_on() {
    let decided = check(
        working(reply(3)),
        finished(with(replied(3, 0, 0), |facts| facts.tasks = boxes(0, 3))),
        begun(implement(0)),
    );
    decided.saves(&[Change::Replied(3, findings(0, 0)), Change::ReviewApproved]);
    decided.says(round_ended(3, 0, 0, NextAction::Approved));
    decided.says(Notice::ReviewApproved { rounds: 3 });
    decided.says(Notice::PhaseEnded(Phase::Review));
}

#[test]
fn a3_2_needs_discussion_alone_pauses_the_run() {
    let next = Step::Review(round(2, 6));
    let decided = check(
        working(reply(1)),
        finished(replied(1, 0, 1)),
        paused(Pause::NeedsDiscussion, next),
    );
    decided.saves(&[Change::Replied(1, findings(0, 1))]);
    decided.says(round_ended(1, 0, 1, NextAction::Paused));
}

#[test]
fn a3_3_needs_discussion_beside_fixes_goes_on() {
    check(
        working(reply(1)),
        finished(replied(1, 1, 4)),
        begun(review(2)),
    );
}

#[test]
fn a4_2_a_start_goes_on_after_the_finished_rounds() {
    let rows: [(&[RoundFacts], Step); 5] = [
        (&[], review(1)),
        (&[closed_round(1, 2, 0)], review(2)),
        (&[closed_round(1, 2, 0), begun_round(2)], review(2)),
        (&[closed_round(1, 2, 0), reviewed_round(2)], reply(2)),
        (&[closed_round(1, 0, 3)], review(2)),
    ];
    for (known, step) in rows {
        check(State::Idle, start(rounds(known)), begun(step));
        // Resuming the interrupted round gives the same.
        check(stopped(step), start(rounds(known)), begun(step));
    }
}

#[test]
fn a4_2_where_spec_json_is_silent_the_files_say_how_far_a_round_is() {
    let silent = |known: RoundFacts| RoundFacts {
        recorded: None,
        ..known
    };
    let rows = [
        (silent(begun_round(1)), begun(review(1))),
        (silent(reviewed_round(1)), begun(reply(1))),
        (silent(replied_round(1, 2, 0)), begun(review(2))),
    ];
    for (known, after) in rows {
        check(State::Idle, start(rounds(&[known])), after);
    }
}

#[test]
fn a4_2_without_its_file_a_review_is_not_complete() {
    let lost = RoundFacts {
        review: None,
        ..reviewed_round(1)
    };
    check(State::Idle, start(rounds(&[lost])), begun(review(1)));
}

#[test]
fn a4_3_a_round_that_left_nothing_open_settles_the_review_without_another_one() {
    let facts = with(rounds(&[closed_round(2, 0, 0)]), |facts| {
        facts.tasks = boxes(0, 3);
    });
    let decided = check(State::Idle, start(facts), begun(implement(0)));
    decided.saves(&[Change::ReviewApproved]);
}

#[test]
fn a5_1_a_round_is_a_review_and_then_its_reply() {
    let facts = rounds(&[RoundFacts {
        review: Some(STAMP),
        ..begun_round(1)
    }]);
    let decided = check(working(review(1)), finished(facts), begun(reply(1)));
    decided.saves(&[Change::ReviewWritten(1)]);
    let fixing = decided.launched().map(|launch| launch.fixing);
    assert_eq!(fixing, Some(Fixing::Auto));
}

#[test]
fn a5_2_by_hand_it_is_one_round_whatever_is_left() {
    for fixing in [Fixing::Person, Fixing::Nobody] {
        let order = by_hand(fixing);
        let decided = check(
            State::Idle,
            start_as(order.clone(), written(3)),
            begun(review(1)),
        );
        assert_eq!(decided.launched().map(|launch| launch.fixing), Some(fixing));
        for (fix, discuss) in [(2, 0), (0, 1), (1, 1)] {
            let before = ordered(order.clone(), working(reply(1)));
            let facts = replied(1, fix, discuss);
            let next = Step::Review(round(2, 6));
            check(
                before,
                finished(facts),
                paused(Pause::NeedsDiscussion, next),
            );
        }
        let before = ordered(order.clone(), working(reply(1)));
        let after = done(Finish::UntilReached(Phase::Review));
        let recorded = match fixing {
            // Nothing was applied if nobody was asked to.
            Fixing::Nobody => Change::Judged(1, findings(0, 0)),
            Fixing::Auto | Fixing::Person => Change::Replied(1, findings(0, 0)),
        };
        check(before, finished(replied(1, 0, 0)), after).saves(&[recorded, Change::ReviewApproved]);
    }
}

#[test]
fn a5_2_by_hand_it_needs_no_permission_but_documents() {
    let order = by_hand(Fixing::Nobody);
    let forbidden = with(written(3), |facts| facts.permitted = Default::default());
    check(
        State::Idle,
        start_as(order.clone(), forbidden),
        begun(review(1)),
    );
    let missing = Step::Write(crate::names::Document::Tasks);
    check(
        State::Idle,
        start_as(order.clone(), written(2)),
        paused(Pause::NoEvidence, missing),
    );
    check(
        State::Idle,
        start_as(order, reviewed()),
        done(Finish::UntilReached(Phase::Review)),
    );
}

#[test]
fn a6_one_clear_source_is_enough() {
    let counts_alone = RoundFacts {
        table: None,
        counts: Some(findings(1, 0)),
        ..replied_round(1, 0, 0)
    };
    check(
        working(reply(1)),
        finished(rounds(&[counts_alone])),
        begun(review(2)),
    );
    let both = RoundFacts {
        counts: Some(findings(0, 0)),
        ..replied_round(1, 0, 0)
    };
    check(
        working(reply(1)),
        finished(rounds(&[both])),
        begun(implement(0)),
    );
}

#[test]
fn a6_counts_that_are_unclear_never_approve_whatever_the_table_says() {
    let unclear = RoundFacts {
        unclear: true,
        ..replied_round(1, 0, 0)
    };
    let work = work(reply(1));
    check(
        working(reply(1)),
        finished(rounds(&[unclear])),
        unjudged(Pause::EvidenceConflict, work),
    );
}

#[test]
fn a2_3_a_fresh_allowance_follows_the_settings_of_the_new_start() {
    let order = Order {
        rules: Rules {
            rounds_max: 2,
            ..Rules::default()
        },
        ..Order::default()
    };
    let paused = paused(Pause::RoundsExhausted, Step::Review(round(8, 6)));
    let facts = rounds(&[closed_round(7, 1, 0)]);
    check(
        paused,
        start_as(order, facts),
        begun(Step::Review(round(8, 1))),
    );
}

#[test]
fn a6_sources_that_differ_never_approve() {
    let differ = RoundFacts {
        counts: Some(findings(0, 0)),
        ..replied_round(1, 1, 0)
    };
    let after = unjudged(Pause::EvidenceConflict, work(reply(1)));
    check(working(reply(1)), finished(rounds(&[differ])), after);
    let closed = RoundFacts {
        recorded: Some(RoundProgress::ReplyComplete),
        ..differ
    };
    check(State::Idle, start(rounds(&[closed])), begun(review(2)));
}

#[test]
fn a6_no_source_never_approves() {
    let silent = RoundFacts {
        table: None,
        ..replied_round(1, 0, 0)
    };
    let pause = unjudged(Pause::NoEvidence, work(reply(1)));
    check(
        working(reply(1)),
        finished(rounds(&[silent])),
        pause.clone(),
    );
    check(
        working(reply(1)),
        finished(rounds(&[reviewed_round(1)])),
        pause.clone(),
    );
    check(working(reply(1)), finished(written(3)), pause);
}

#[test]
fn a6_an_old_reply_or_review_is_no_evidence_of_a_new_one() {
    let over = |step| Work {
        before: Some(STAMP),
        ..work(step)
    };
    for step in [review(1), reply(1)] {
        let before = State::Working(over(step));
        let after = unjudged(Pause::NoEvidence, over(step));
        check(before, finished(replied(1, 0, 0)), after);
    }
    let rewritten = RoundFacts {
        reply: Some(Stamp::Fnv(2)),
        ..replied_round(1, 0, 0)
    };
    let before = State::Working(over(reply(1)));
    check(before, finished(rounds(&[rewritten])), begun(implement(0)));
}

#[test]
fn a10_each_round_puts_the_review_in_progress() {
    let decided = decided(State::Idle, start(written(3)));
    decided.saves(&[Change::ReviewStarted(1)]);
}

#[test]
fn a10_a_start_with_a_reply_puts_the_review_in_progress() {
    let facts = rounds(&[reviewed_round(1)]);
    let decided = check(State::Idle, start(facts), begun(reply(1)));
    decided.saves(&[Change::ReviewStarted(1), Change::ReviewWritten(1)]);
}

#[test]
fn a10_an_agent_cannot_approve_the_review_by_its_word() {
    let claimed = |known| {
        with(rounds(&[known]), |facts| {
            facts.review.approved = true;
        })
    };
    let discuss = decided(working(reply(1)), finished(claimed(replied_round(1, 0, 2))));
    discuss.saves(&[Change::ReviewStarted(1), Change::Replied(1, findings(0, 2))]);
    let silent = decided(working(reply(1)), finished(claimed(reviewed_round(1))));
    silent.saves(&[Change::ReviewStarted(1)]);
    let stopped = decided(
        stopping(reply(1)),
        ended(crate::outcome::Outcome::Killed, claimed(reviewed_round(1))),
    );
    stopped.saves(&[Change::ReviewStarted(1)]);
}

#[test]
fn a2_3_a_person_who_approves_the_review_in_spec_json_ends_the_loop() {
    let before: Run = paused(Pause::NeedsDiscussion, Step::Review(round(2, 6))).into();
    check(before, start(reviewed()), begun(implement(0)));
}
