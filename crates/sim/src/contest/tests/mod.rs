//! Every checker can object: wrong rules are played, and traces are manipulated.

mod agents;
mod tampered;

use kumite_core::contest::board::{self, Standing};
use kumite_core::contest::{
    Agents, Bound, Contest, Effect, Entry, Event, Limit, Measuring, Phase, Rules, Verdict, What,
    decide,
};

use super::ContestStory;
use super::drawn::DrawnContest;
use super::played::Core;
use crate::{Failure, Summary, play_drawn};

const SEEDS: u64 = 3_000;

fn play_with(core: Core, seed: u64) -> Result<Summary, Failure> {
    play_drawn(seed, || ContestStory::new(core, DrawnContest::draw(seed)))
}

/// Plays wrong rules until a checker notices that `rule` is broken. Others may notice too.
fn breaks(rule: &str, core: Core) {
    let noticed = |seed| play_with(core, seed).is_err_and(|failure| failure.broken.rule == rule);
    assert!((0..SEEDS).any(noticed), "nobody noticed: {rule}");
}

fn deciding(decide: fn(Contest, &Entry) -> (Contest, Vec<Effect>)) -> Core {
    Core {
        decide,
        ..Core::REAL
    }
}

/// Decides with changed rules.
fn with(contest: Contest, entry: &Entry, change: fn(&mut Rules)) -> (Contest, Vec<Effect>) {
    if matches!(entry.event, Event::Started { .. }) {
        return decide(contest, entry);
    }
    let mut contest = contest;
    let rules = contest.rules.clone();
    change(&mut contest.rules);
    let (mut contest, effects) = decide(contest, entry);
    contest.rules = rules;
    (contest, effects)
}

#[test]
fn the_right_rules_pass() {
    for seed in 0..300 {
        if let Err(failure) = play_with(Core::REAL, seed) {
            panic!("{failure}");
        }
    }
}

#[test]
fn a_winner_who_is_the_last_of_equals_is_noticed() {
    fn last(contest: &Contest) -> Option<u32> {
        board::winner(contest)?;
        let lines = board::standings(contest);
        let best = lines.iter().filter(|line| line.rank == Some(1));
        best.map(|line| line.team).next_back()
    }
    let core = Core {
        winner: last,
        ..Core::REAL
    };
    breaks("the winner is right, and never disqualified", core);
}

#[test]
fn a_winner_who_is_disqualified_is_noticed() {
    fn highest(contest: &Contest) -> Option<u32> {
        board::winner(contest)?;
        let lines = board::standings(contest);
        lines
            .iter()
            .max_by_key(|line| line.best)
            .map(|line| line.team)
    }
    let core = Core {
        winner: highest,
        ..Core::REAL
    };
    breaks("the winner is right, and never disqualified", core);
}

#[test]
fn ranks_that_are_not_shared_are_noticed() {
    fn counted(contest: &Contest) -> Vec<Standing> {
        let mut lines = board::standings(contest);
        for (place, line) in (1..).zip(&mut lines) {
            line.rank = line.rank.map(|_| place);
        }
        lines
    }
    let core = Core {
        standings: counted,
        ..Core::REAL
    };
    let rule = "equal scores share a rank, and the disqualified have none";
    breaks(rule, core);
}

#[test]
fn a_round_that_is_done_twice_after_a_crash_is_noticed() {
    let core = deciding(|mut contest, entry| {
        if entry.event == Event::Resumed {
            for team in &mut contest.teams {
                if let Phase::Judging { limit, .. } = team.phase {
                    team.phase = Phase::Submitting {
                        attempt: 1,
                        limit,
                        agents: Agents::default(),
                    };
                }
            }
        }
        decide(contest, entry)
    });
    breaks("no answer is asked for twice", core);
}

#[test]
fn a_metric_that_is_asked_again_after_a_crash_is_noticed() {
    let core = deciding(|mut contest, entry| {
        if entry.event == Event::Resumed {
            for team in &mut contest.teams {
                if let Phase::Measuring { metrics } = &mut team.phase
                    && let Some(found) = metrics
                        .iter_mut()
                        .find(|metric| matches!(metric, Measuring::Found(_)))
                {
                    *found = Measuring::Open {
                        attempt: 1,
                        from_ms: 0,
                        limit: Limit {
                            ms: 1,
                            bound: Bound::Own,
                        },
                    };
                }
            }
        }
        decide(contest, entry)
    });
    breaks("no answer is asked for twice", core);
}

#[test]
fn a_judge_that_is_not_asked_again_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.judge_retries = 0));
    breaks("a round follows one that is saved and worth going on", core);
    breaks("every end has what it takes", core);
}

#[test]
fn a_judge_who_is_not_heard_is_noticed() {
    let core = deciding(|contest, entry| {
        let mut entry = entry.clone();
        if let Event::Judged { judgment, .. } = &mut entry.event {
            judgment.should_continue = true;
        }
        decide(contest, &entry)
    });
    let rule = "a round follows one that is saved and worth going on";
    breaks(rule, core);
}

#[test]
fn a_judge_below_the_minimum_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.rounds_min = 1));
    let rule = "who is asked in a round, and when, is as it should be";
    breaks(rule, core);
}

#[test]
fn a_round_above_the_maximum_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.rounds_max += 1));
    let rule = "no team has more rounds than the maximum";
    breaks(rule, core);
}

#[test]
fn a_try_too_many_is_noticed() {
    let core = deciding(|contest, entry| {
        with(contest, entry, |rules| {
            let metrics = rules.metrics.iter_mut();
            metrics.for_each(|metric| metric.retries += 1);
        })
    });
    breaks("nothing is tried more often than it may be", core);
}

#[test]
fn a_try_too_few_is_noticed() {
    let core = deciding(|contest, entry| {
        with(contest, entry, |rules| {
            let metrics = rules.metrics.iter_mut();
            metrics.for_each(|metric| metric.retries = metric.retries.saturating_sub(1));
        })
    });
    breaks("every end has what it takes", core);
}

#[test]
fn a_budget_that_does_not_hold_is_noticed() {
    let core = deciding(|contest, entry| {
        with(contest, entry, |rules| {
            (rules.budget_micros, rules.day_micros) = (None, None);
        })
    });
    breaks("no round begins when the budget is spent", core);
}

#[test]
fn a_limit_that_does_not_hold_is_noticed() {
    let core =
        deciding(|contest, entry| with(contest, entry, |rules| rules.team_timeout_ms = None));
    breaks(
        "a try gets the time that is left, and none begins without any",
        core,
    );
    breaks("no round begins without time", core);
}

#[test]
fn too_many_at_once_are_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.teams_max = None));
    breaks("no more teams work than there are places", core);
}

#[test]
fn a_bill_that_is_wrong_is_noticed() {
    let core = deciding(|mut contest, entry| {
        if let Event::Measured { team, .. } = entry.event {
            contest.teams[team as usize].used.micros += 1;
        }
        decide(contest, entry)
    });
    let rule = "a team is charged what it used, and nothing else";
    breaks(rule, core);
}

#[test]
fn a_pause_that_is_charged_is_noticed() {
    let core = deciding(|contest, entry| {
        let (mut contest, effects) = decide(contest, entry);
        for team in &mut contest.teams {
            let now_ms = contest.elapsed_ms;
            team.busy_since_ms = team.busy_since_ms.map(|since| since.min(now_ms));
        }
        (contest, effects)
    });
    breaks("a team is charged what it used, and nothing else", core);
    breaks(
        "a try gets the time that is left, and none begins without any",
        core,
    );
}

#[test]
fn a_score_that_is_wrong_is_noticed() {
    let core = deciding(|contest, entry| {
        let (mut contest, effects) = decide(contest, entry);
        for round in contest.teams.iter_mut().flat_map(|team| &mut team.rounds) {
            if let Verdict::Scored { score, measures } = &mut round.verdict
                && let [Some(first), Some(_), ..] = &measures[..]
            {
                *score = first.score;
            }
        }
        (contest, effects)
    });
    breaks("what is saved is in the database", core);
    breaks("no round is lost, doubled or scored wrongly", core);
}

#[test]
fn a_row_that_is_lost_is_noticed() {
    let core = deciding(|contest, entry| {
        let (mut contest, effects) = decide(contest, entry);
        for team in &mut contest.teams {
            // A round in progress is taken for saved.
            team.saved = team.round();
        }
        (contest, effects)
    });
    breaks("what is saved is in the database", core);
}

#[test]
fn a_try_that_nobody_makes_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        effects.retain(|effect| !matches!(effect, Effect::Judge { attempt: 2, .. }));
        (contest, effects)
    });
    breaks("a team at work has something under way", core);
}

#[test]
fn a_resume_that_forgets_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        if entry.event == Event::Resumed
            && let Some(at) = effects
                .iter()
                .rposition(|effect| matches!(effect, Effect::Measure { .. }))
        {
            effects.remove(at);
        }
        (contest, effects)
    });
    breaks("a resume takes up all that was under way", core);
}

#[test]
fn a_cancel_that_leaves_somebody_at_work_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        if matches!(entry.event, Event::CancelRequested { .. }) {
            effects.retain(|effect| !matches!(effect, Effect::Halt { .. }));
        }
        (contest, effects)
    });
    breaks("a cancel ends all that is under way", core);
}

#[test]
fn a_late_word_that_is_believed_is_noticed() {
    let core = deciding(|contest, entry| {
        let mut entry = entry.clone();
        if let Event::Measured {
            team,
            metric,
            attempt,
            ..
        } = &mut entry.event
            && let Phase::Measuring { metrics } = &contest.teams[*team as usize].phase
            && let Measuring::Open { attempt: now, .. } = metrics[*metric as usize]
        {
            *attempt = now;
        }
        decide(contest, &entry)
    });
    let rule = "a word that nobody waits for changes nothing";
    breaks(rule, core);
}

#[test]
fn a_team_that_pays_for_another_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        if let Event::SubmitFailed { team: 0, .. } = entry.event
            && contest.teams.len() > 1
        {
            effects.push(Effect::Halt { team: 1 });
        }
        (contest, effects)
    });
    breaks("what happens to a team changes nothing for another", core);
}

#[test]
fn an_end_without_a_reason_is_noticed() {
    use kumite_core::contest::Reason;
    let core = deciding(|contest, entry| {
        let (mut contest, effects) = decide(contest, entry);
        for team in &mut contest.teams {
            if let Phase::Out(exit) = &mut team.phase
                && exit.reason == Reason::NoImprovementExpected
            {
                exit.reason = Reason::MaxRoundsReached;
            }
        }
        (contest, effects)
    });
    breaks("every end has what it takes", core);
}

#[test]
fn an_end_that_nobody_is_told_of_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        let is_end = |effect: &Effect| matches!(effect, Effect::Announce(notice) if matches!(notice.what, What::TeamEnded { .. }));
        effects.retain(|effect| !is_end(effect));
        (contest, effects)
    });
    breaks("every score and every end is told", core);
}
