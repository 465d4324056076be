//! Every checker can say no: wrong rules are played, and traces are tampered with.

mod tampered;

use kumite_core::contest::board::{self, Standing};
use kumite_core::contest::{
    Bound, Contest, Effect, Entry, Event, Limit, Measuring, Phase, Rules, Verdict, decide,
};

use super::{Core, play_with};

const SEEDS: u64 = 3_000;

/// Plays wrong rules until somebody notices.
fn caught(core: Core) -> &'static str {
    let failure = (0..SEEDS).find_map(|seed| play_with(core, seed).err());
    failure.expect("somebody notices").broken.rule
}

fn deciding(decide: fn(Contest, &Entry) -> (Contest, Vec<Effect>)) -> Core {
    Core {
        decide,
        ..Core::REAL
    }
}

/// Decides as if the rules were others.
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
    assert_eq!(caught(core), "the winner is right, and never disqualified");
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
    assert_eq!(caught(core), "the winner is right, and never disqualified");
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
    assert_eq!(caught(core), rule);
}

#[test]
fn a_round_that_is_done_twice_after_a_crash_is_noticed() {
    let core = deciding(|mut contest, entry| {
        if entry.event == Event::Resumed {
            for team in &mut contest.teams {
                if let Phase::Judging { limit, .. } = team.phase {
                    team.phase = Phase::Submitting { attempt: 1, limit };
                }
            }
        }
        decide(contest, entry)
    });
    assert_eq!(caught(core), "no answer is asked for twice");
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
    assert_eq!(caught(core), "no answer is asked for twice");
}

#[test]
fn a_judge_that_is_not_asked_again_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.judge_retries = 0));
    let rules = [
        "a round follows one that is saved and worth going on",
        "every end has what it takes",
    ];
    assert!(rules.contains(&caught(core)));
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
    assert_eq!(caught(core), rule);
}

#[test]
fn a_judge_below_the_minimum_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.rounds_min = 1));
    let rule = "who is asked in a round, and when, is as it should be";
    assert_eq!(caught(core), rule);
}

#[test]
fn a_round_above_the_maximum_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.rounds_max += 1));
    let rule = "no team has more rounds than the maximum";
    assert_eq!(caught(core), rule);
}

#[test]
fn a_try_too_many_is_noticed() {
    let core = deciding(|contest, entry| {
        with(contest, entry, |rules| {
            let metrics = rules.metrics.iter_mut();
            metrics.for_each(|metric| metric.retries += 1);
        })
    });
    assert_eq!(caught(core), "nothing is tried more often than it may be");
}

#[test]
fn a_try_too_few_is_noticed() {
    let core = deciding(|contest, entry| {
        with(contest, entry, |rules| {
            let metrics = rules.metrics.iter_mut();
            metrics.for_each(|metric| metric.retries = metric.retries.saturating_sub(1));
        })
    });
    assert_eq!(caught(core), "every end has what it takes");
}

#[test]
fn a_budget_that_does_not_hold_is_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.budget_micros = None));
    assert_eq!(caught(core), "no round begins when the budget is spent");
}

#[test]
fn a_limit_that_does_not_hold_is_noticed() {
    let core =
        deciding(|contest, entry| with(contest, entry, |rules| rules.team_timeout_ms = None));
    let rules = [
        "a try gets the time that is left, and none begins without any",
        "no round begins without time",
    ];
    assert!(rules.contains(&caught(core)));
}

#[test]
fn too_many_at_once_are_noticed() {
    let core = deciding(|contest, entry| with(contest, entry, |rules| rules.teams_max = None));
    assert_eq!(caught(core), "no more teams work than there are places");
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
    assert_eq!(caught(core), rule);
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
    let rules = [
        "a team is charged what it used, and nothing else",
        "a try gets the time that is left, and none begins without any",
    ];
    assert!(rules.contains(&caught(core)));
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
    let rules = [
        "what is saved is in the database",
        "no round is lost, doubled or scored wrongly",
    ];
    assert!(rules.contains(&caught(core)));
}

#[test]
fn a_row_that_is_lost_is_noticed() {
    let core = deciding(|contest, entry| {
        let (mut contest, effects) = decide(contest, entry);
        for team in &mut contest.teams {
            // A round under way is taken for saved.
            team.saved = team.round();
        }
        (contest, effects)
    });
    assert_eq!(caught(core), "what is saved is in the database");
}

#[test]
fn a_try_that_nobody_makes_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        effects.retain(|effect| !matches!(effect, Effect::Judge { attempt: 2, .. }));
        (contest, effects)
    });
    assert_eq!(caught(core), "a team at work has something under way");
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
    assert_eq!(caught(core), "a resume takes up all that was under way");
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
    assert_eq!(caught(core), "a cancel ends all that is under way");
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
    assert_eq!(caught(core), rule);
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
    let rules = [
        "what happens to a team changes nothing for another",
        "a word that nobody waits for changes nothing",
    ];
    assert!(rules.contains(&caught(core)));
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
    assert_eq!(caught(core), "every end has what it takes");
}
