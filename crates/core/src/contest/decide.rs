//! What an entry means for a contest. An event that does not fit changes only the costs.

use super::effect::Effect;
use super::event::{Entrant, Entry, Event, Used};
use super::notice::{self, Notice, Part, What};
use super::retry::{Retry, after_failed_save};
use super::rules::Rules;
use super::state::{Contest, Ending, Limit, Measuring, Phase, Stage, Team};
use super::team::TeamAtWork;

pub fn decide(mut contest: Contest, entry: &Entry) -> (Contest, Vec<Effect>) {
    let mut effects = Vec::new();
    tick(&mut contest, entry);
    charge(&mut contest, &entry.event);
    match &entry.event {
        Event::Started { rules, teams } if contest.stage == Stage::Ready => {
            start(&mut contest, rules, teams, entry.at_ms);
            tell(
                &mut effects,
                What::ContestStarted {
                    teams: teams.len(),
                    rounds_max: rules.rounds_max,
                },
            );
        }
        Event::SummarySaved => summary_saved(&mut contest, &mut effects),
        Event::SummaryFailed { attempt, why } => {
            summary_failed(&mut contest, *attempt, why, &mut effects);
        }
        Event::CancelRequested { .. } if contest.stage == Stage::Running => {
            contest.is_cancelled = true;
            for index in indices(&contest) {
                team_at_work(&mut contest, index, &mut effects).cancel();
            }
        }
        Event::Resumed => {
            tell(&mut effects, What::ContestResumed);
            resume(&mut contest, &mut effects);
        }
        event => team_event(&mut contest, event, &mut effects),
    }
    admit(&mut contest, &mut effects);
    close(&mut contest, &mut effects);
    rank_scores(&contest, &mut effects);
    (contest, effects)
}

fn tell(effects: &mut Vec<Effect>, what: What) {
    effects.push(Effect::Announce(Notice { team: None, what }));
}

/// A rank depends on all teams, so it is known when everything else is decided.
fn rank_scores(contest: &Contest, effects: &mut [Effect]) {
    for effect in effects {
        if let Effect::Announce(Notice {
            team: Some(team),
            what: What::RoundScored { rank, .. },
        }) = effect
        {
            *rank = notice::rank(contest, *team);
        }
    }
}

/// Time counts only while a process plays the contest, not between a crash and a resume. A
/// clock that was set back loses no more than the time since the entry before.
fn tick(contest: &mut Contest, entry: &Entry) {
    let counts = matches!(contest.stage, Stage::Running | Stage::Closing { .. });
    if counts && entry.event != Event::Resumed {
        let passed_ms = entry.at_ms.saturating_sub(contest.now_ms);
        contest.elapsed_ms = contest.elapsed_ms.saturating_add(passed_ms);
    }
    contest.now_ms = entry.at_ms;
}

/// D14: a team pays for its own work, the house for the evaluator and the judge. An answer that
/// came too late was paid for too.
fn charge(contest: &mut Contest, event: &Event) {
    match event {
        Event::Submitted { team, used, .. } | Event::SubmitFailed { team, used, .. } => {
            if let Some(team) = contest.teams.get_mut(*team as usize) {
                team.used.add(*used);
            }
        }
        Event::AgentEnded { team, over, .. } => {
            if let Some(team) = contest.teams.get_mut(*team as usize) {
                team.used.add(Used::of_agent(over.ended.usage));
            }
        }
        Event::Measured { used, .. }
        | Event::MeasureFailed { used, .. }
        | Event::Judged { used, .. }
        | Event::JudgeFailed { used, .. } => contest.house.add(*used),
        Event::Started { .. }
        | Event::Saved { .. }
        | Event::SaveFailed { .. }
        | Event::SummarySaved
        | Event::SummaryFailed { .. }
        | Event::CancelRequested { .. }
        | Event::Resumed => {}
    }
}

fn start(contest: &mut Contest, rules: &Rules, teams: &[Entrant], at_ms: u64) {
    contest.rules = rules.clone();
    contest.started_ms = at_ms;
    contest.stage = Stage::Running;
    let enter = |team: &Entrant| Team {
        id: team.id.clone(),
        name: team.name.clone(),
        retries: team.retries,
        phase: Phase::Queued,
        rounds: Vec::new(),
        used: Used::default(),
        used_ms: 0,
        busy_since_ms: None,
        saved: 0,
    };
    contest.teams = teams.iter().map(enter).collect();
}

/// An event of one team. An event about another round or try than the current one is late.
fn team_event(contest: &mut Contest, event: &Event, effects: &mut Vec<Effect>) {
    if contest.stage != Stage::Running {
        return;
    }
    let Some((index, number)) = subject(event) else {
        return;
    };
    let Some(team) = contest.teams.get(index as usize) else {
        return;
    };
    if team.round() != number {
        return;
    }
    let phase = team.phase.clone();
    let mut at = team_at_work(contest, index, effects);
    match (event, phase) {
        (
            Event::Submitted {
                attempt,
                submission,
                used,
                ..
            },
            Phase::Submitting { attempt: now, .. },
        ) if *attempt == now => {
            at.clock_skip(used.waited_ms);
            at.submitted(submission);
        }
        (
            Event::SubmitFailed {
                attempt,
                failed,
                used,
                ..
            },
            Phase::Submitting {
                attempt: now,
                limit,
                ..
            },
        ) if *attempt == now => {
            at.clock_skip(used.waited_ms);
            at.submit_failed(now, limit, failed);
        }
        (
            Event::AgentEnded {
                attempt,
                number,
                over,
                ..
            },
            Phase::Submitting {
                attempt: now,
                limit,
                agents,
            },
        ) if *attempt == now && *number == agents.number && !agents.is_done => {
            at.agent_ended(now, limit, agents, over);
        }
        (
            Event::Measured {
                metric,
                attempt,
                measure,
                ..
            },
            Phase::Measuring { metrics },
        ) if open(&metrics, *metric, *attempt).is_some() => {
            at.measured(*metric, measure);
        }
        (
            Event::MeasureFailed {
                metric,
                attempt,
                failed,
                ..
            },
            Phase::Measuring { metrics },
        ) => {
            if let Some(limit) = open(&metrics, *metric, *attempt) {
                at.measure_failed(*metric, *attempt, limit, failed);
            }
        }
        (
            Event::Judged {
                attempt, judgment, ..
            },
            Phase::Judging { attempt: now, .. },
        ) if *attempt == now => {
            at.judged(judgment);
        }
        (
            Event::JudgeFailed {
                attempt, failed, ..
            },
            Phase::Judging {
                attempt: now,
                limit,
            },
        ) if *attempt == now => {
            at.judge_failed(now, limit, failed);
        }
        (Event::Saved { .. }, Phase::Saving { then, .. }) => at.saved(then),
        (Event::SaveFailed { attempt, why, .. }, Phase::Saving { attempt: now, then })
            if *attempt == now =>
        {
            at.save_failed(now, then, why);
        }
        _ => {}
    }
}

/// The limit of a metric's try, if that try is the current one.
fn open(metrics: &[Measuring], metric: u32, attempt: u32) -> Option<Limit> {
    match metrics.get(metric as usize)? {
        Measuring::Open {
            attempt: now,
            limit,
            ..
        } if *now == attempt => Some(*limit),
        _ => None,
    }
}

fn subject(event: &Event) -> Option<(u32, u32)> {
    match event {
        Event::Submitted { team, round, .. }
        | Event::SubmitFailed { team, round, .. }
        | Event::AgentEnded { team, round, .. }
        | Event::Measured { team, round, .. }
        | Event::MeasureFailed { team, round, .. }
        | Event::Judged { team, round, .. }
        | Event::JudgeFailed { team, round, .. }
        | Event::Saved { team, round }
        | Event::SaveFailed { team, round, .. } => Some((*team, *round)),
        Event::Started { .. }
        | Event::SummarySaved
        | Event::SummaryFailed { .. }
        | Event::CancelRequested { .. }
        | Event::Resumed => None,
    }
}

/// A waiting team gets a place as soon as one is free, in the order of the settings.
fn admit(contest: &mut Contest, effects: &mut Vec<Effect>) {
    if contest.stage != Stage::Running {
        return;
    }
    let places = contest.rules.teams_max.unwrap_or(u32::MAX).max(1) as usize;
    for index in indices(contest) {
        let working = |team: &&Team| !matches!(team.phase, Phase::Queued | Phase::Out(_));
        if contest.teams.iter().filter(working).count() >= places {
            return;
        }
        if contest.teams[index as usize].phase == Phase::Queued {
            team_at_work(contest, index, effects).begin_round();
        }
    }
}

/// The last team is out.
fn close(contest: &mut Contest, effects: &mut Vec<Effect>) {
    let all_out = contest.teams.iter().all(|team| team.exit().is_some());
    if contest.stage == Stage::Running && all_out {
        save_summary(contest, 1, 0, effects);
    }
}

fn save_summary(contest: &mut Contest, attempt: u32, wait_ms: u64, effects: &mut Vec<Effect>) {
    contest.stage = Stage::Closing { attempt };
    effects.push(Effect::SaveSummary { attempt, wait_ms });
}

fn summary_saved(contest: &mut Contest, effects: &mut Vec<Effect>) {
    if let Stage::Closing { .. } = contest.stage {
        for team in &mut contest.teams {
            team.saved = team.round();
        }
        end(contest, Ending::Saved, effects);
    }
}

fn summary_failed(contest: &mut Contest, attempt: u32, why: &str, effects: &mut Vec<Effect>) {
    if contest.stage != (Stage::Closing { attempt }) {
        return;
    }
    tell(
        effects,
        What::Trouble {
            round: 0,
            part: Part::Database,
            attempt,
            why: why.to_owned(),
        },
    );
    match after_failed_save(attempt) {
        Retry::After { attempt, wait_ms } => save_summary(contest, attempt, wait_ms, effects),
        Retry::Never => {
            let why = why.to_owned();
            end(contest, Ending::Unsaved { why }, effects);
        }
    }
}

fn end(contest: &mut Contest, ending: Ending, effects: &mut Vec<Effect>) {
    contest.stage = Stage::Ended(ending);
    effects.extend(contest.last_word().map(Effect::Announce));
    effects.push(Effect::End);
}

/// Repeats what was under way when the last process went. What is only missing in the database is
/// written now.
fn resume(contest: &mut Contest, effects: &mut Vec<Effect>) {
    match &contest.stage {
        Stage::Ready => {}
        Stage::Running => {
            for index in indices(contest) {
                team_at_work(contest, index, effects).resume();
            }
        }
        Stage::Closing { .. } | Stage::Ended(Ending::Unsaved { .. }) => {
            for team in &mut contest.teams {
                team.saved = 0;
            }
            save_summary(contest, 1, 0, effects);
        }
        Stage::Ended(Ending::Saved) => effects.push(Effect::End),
    }
}

fn indices(contest: &Contest) -> impl Iterator<Item = u32> + use<> {
    0..u32::try_from(contest.teams.len()).unwrap_or(u32::MAX)
}

fn team_at_work<'a>(
    contest: &'a mut Contest,
    index: u32,
    effects: &'a mut Vec<Effect>,
) -> TeamAtWork<'a> {
    let spent = contest.used().micros;
    let is_spent = |budget: Option<u64>| budget.is_some_and(|all| spent >= all);
    let spent = if is_spent(contest.rules.budget_micros) {
        Some("the budget of the contest is spent")
    } else if is_spent(contest.rules.day_micros) {
        Some("the budget of the day is spent; raise budget.usd_per_day")
    } else {
        None
    };
    let all_ms = contest.rules.contest_timeout_ms.unwrap_or(u64::MAX);
    TeamAtWork {
        rules: &contest.rules,
        index,
        team: &mut contest.teams[index as usize],
        now_ms: contest.now_ms,
        clock_ms: contest.elapsed_ms,
        contest_left_ms: all_ms.saturating_sub(contest.elapsed_ms),
        spent,
        effects,
    }
}
