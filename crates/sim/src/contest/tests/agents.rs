//! The agents of teams: the rules that hold for all agents, and what a try leaves to its next one.

use kumite_core::contest::{Effect, decide};

use super::deciding;
use super::tampered::{breaks, find};
use crate::contest::{TraceLine, What};

/// The first agent, with the line of its start.
fn first_agent(lines: &[TraceLine]) -> Option<(usize, TraceLine)> {
    let at = find(lines, |what| matches!(what, What::Started(..)))?;
    Some((at, lines[at].clone()))
}

#[test]
fn a_second_agent_of_a_team_at_the_same_time() {
    breaks("at most one agent works for a spec or a team", |lines| {
        let (at, mut second) = first_agent(lines)?;
        if let What::Started(agent, ..) = &mut second.what {
            agent.number += 1;
        }
        lines.insert(at + 1, second);
        Some(())
    });
}

#[test]
fn an_agent_of_a_team_that_is_started_again() {
    breaks("one process per agent", |lines| {
        let (_, again) = first_agent(lines)?;
        let ended = find(lines, |what| matches!(what, What::Ended(..)))?;
        lines.insert(ended + 1, again);
        Some(())
    });
}

#[test]
fn more_agents_than_places() {
    breaks("no more agents than slots", |lines| {
        let (_, first) = first_agent(lines)?;
        let What::Began(terms) = &mut lines[0].what else {
            return None;
        };
        terms.slots = 0;
        (first.machine == 0).then_some(())
    });
}

#[test]
fn an_agent_of_a_team_that_is_left_behind() {
    breaks("no process is left behind", |lines| {
        let last = |line: &TraceLine| matches!(line.what, What::Ended(..));
        let at = lines.iter().rposition(last)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn an_agent_of_a_team_that_nobody_started() {
    breaks("a machine waits for an agent that was started", |lines| {
        let (at, first) = first_agent(lines)?;
        let What::Started(agent, ..) = first.what else {
            return None;
        };
        let what = What::Adopted(agent);
        lines.insert(at, TraceLine { what, ..first });
        Some(())
    });
}

#[test]
fn a_team_that_waits_for_another_agent_than_the_one_that_works() {
    breaks("a machine waits for the agent that works", |lines| {
        let (at, first) = first_agent(lines)?;
        let What::Started(mut agent, ..) = first.what else {
            return None;
        };
        agent.number += 1;
        let what = What::Adopted(agent);
        lines.insert(at + 1, TraceLine { what, ..first });
        Some(())
    });
}

#[test]
fn an_agent_of_a_team_that_does_not_wait_for_a_limit() {
    breaks("no agent begins before a limit ends", |lines| {
        let at = find(lines, |what| matches!(what, What::HeldBack(..)))?;
        let What::HeldBack(agent, limit, session, _) = lines[at].what.clone() else {
            return None;
        };
        lines[at].what = What::Started(agent, limit, session);
        Some(())
    });
}

#[test]
fn an_agent_that_forgets_its_session_is_noticed() {
    let core = deciding(|contest, entry| {
        let (contest, mut effects) = decide(contest, entry);
        for effect in &mut effects {
            if let Effect::Launch { resume, .. } = effect {
                *resume = None;
            }
        }
        (contest, effects)
    });
    super::breaks("an agent is followed by the right one, or hands in", core);
}
