//! Another process takes the contest over: work in progress is repeated, known results are not.

use super::build::*;
use crate::contest::{Effect, Ending, Event, Phase, Rules, Stage};

fn resumed(into: impl Fn(&mut Play)) -> Play {
    let mut play = Play::start(1, rounds(1, 3));
    into(&mut play);
    play.after(86_400_000).tell(Event::Resumed);
    play
}

#[test]
fn d11_every_phase_goes_on_with_the_try_that_was_under_way() {
    resumed(|_| {}).does(&[begin(0, 1), submit(0, 1, 1, 0)]);
    let mut play = resumed(|play| _ = play.submit_fails(0, passing()));
    play.does(&[begin(0, 1), submit(0, 1, 2, 0)]);
    let mut play = resumed(|play| _ = play.hands_in(0));
    play.does(&[begin(0, 1), measure(0, 1, 0, 1, 0)]);
    let mut play = resumed(|play| _ = play.hands_in(0).measure_fails(0, passing()));
    play.does(&[begin(0, 1), measure(0, 1, 0, 2, 0)]);
    let mut play = resumed(|play| _ = play.hands_in(0).is_measured(0, 50));
    play.does(&[begin(0, 1), judge(0, 1, 1, 0)]);
    let mut play = resumed(|play| _ = play.hands_in_rubbish(0));
    play.does(&[save(0, 1, 1, 0)]);
    let mut play = resumed(|play| _ = play.hands_in_rubbish(0).save_fails(0));
    play.does(&[save(0, 1, 2, 0)]);
    let mut play = resumed(|play| _ = play.scores(0, 50));
    play.does(&[begin(0, 2), submit(0, 2, 1, 0)]);
}

#[test]
fn d11_no_metric_that_has_spoken_is_asked_again() {
    let mut rules = rounds(1, 3);
    rules.metrics = vec![
        metric("a", 1),
        program("b", 1),
        metric("c", 1),
        metric("d", 1),
    ];
    let mut play = Play::start(1, rules);
    play.hands_in(0).tell(measured(0, 1, 1, 1, found(10)));
    play.tell(measured(0, 1, 2, 1, found(10)));
    play.tell(measure_failed(0, 1, 3, 1, passing()));
    play.tell(Event::Resumed);
    play.does(&[begin(0, 1), measure(0, 1, 0, 1, 0), measure(0, 1, 3, 2, 0)]);
}

#[test]
fn d11_the_models_still_wait_for_the_programs_after_a_resume() {
    let mut rules = rounds(1, 3);
    rules.metrics = vec![metric("a", 1), program("b", 1)];
    let mut play = Play::start(1, rules);
    play.hands_in(0).tell(Event::Resumed);
    play.does(&[begin(0, 1), measure(0, 1, 1, 1, 0)]);
}

#[test]
fn d11_the_answer_of_the_last_process_counts_if_it_still_comes() {
    let mut play = Play::start(1, rounds(1, 3));
    play.tell(Event::Resumed).tell(submitted(0, 1, 1, given()));
    play.does(&[measure(0, 1, 0, 1, 0)]);
    // The answer to the new one is then the late one.
    play.tell(submitted(0, 1, 1, given())).does(&[]);
}

#[test]
fn d11_teams_that_wait_or_are_out_stay_so() {
    let rules = Rules {
        teams_max: Some(1),
        ..rounds(1, 1)
    };
    let mut play = Play::start(3, rules);
    play.scores(0, 50).tell(Event::Resumed);
    play.does(&[begin(1, 1), submit(1, 1, 1, 0)]);
    assert_eq!(play.team(2).phase, Phase::Queued);
}

#[test]
fn d11_after_the_last_save_only_the_summary_is_left() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50).tell(Event::Resumed);
    play.does(&[summary(1, 0)]);
    // Its tries start again from 1.
    play.tell(summary_failed(1)).tell(summary_failed(2));
    play.tell(Event::Resumed).does(&[summary(1, 0)]);
    play.tell(Event::SummarySaved).does(&[Effect::End]);
}

#[test]
fn d11_a_cancelled_contest_is_not_taken_up_again() {
    let mut play = Play::start(2, rounds(1, 3));
    play.cancel().tell(Event::Resumed).does(&[summary(1, 0)]);
}

#[test]
fn d11_a_contest_that_is_over_calls_nobody() {
    let mut play = Play::start(1, rounds(1, 1));
    play.scores(0, 50).tell(Event::SummarySaved);
    let before = play.contest.clone();
    play.tell(Event::Resumed).does(&[Effect::End]);
    assert_eq!(play.contest, before);
    assert_eq!(play.contest.stage, Stage::Ended(Ending::Saved));
}

#[test]
fn d14_what_was_lost_with_the_last_process_is_charged_to_nobody() {
    let mut play = Play::start(2, rounds(1, 3));
    play.after(4_000).hands_in(1);
    play.after(86_400_000).tell(Event::Resumed);
    play.after(1_000).hands_in(0).is_measured(1, 10);
    // The first team reported nothing before the crash; the second one had used its 4 s.
    assert_eq!((play.team(0).used_ms, play.team(1).used_ms), (1_000, 5_000));
}

#[test]
fn a_second_resume_does_the_same_again() {
    let mut play = Play::start(2, rounds(1, 3));
    play.hands_in(0).tell(Event::Resumed);
    let first = play.effects.clone();
    play.tell(Event::Resumed).does(&first);
}
