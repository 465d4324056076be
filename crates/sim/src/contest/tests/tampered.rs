//! Manipulated real traces: the right rule must be broken.

use std::rc::Rc;

use kumite_core::contest::{Effect, Event, Reason};

use crate::check::Watch;
use crate::contest::database::{Row, Wrote};
use crate::contest::played::Played;
use crate::contest::{ContestStory, TraceLine, What};
use crate::story::Story;
use crate::world;

/// Takes the first seed whose trace `tamper` can change, and checks that it breaks `rule`.
pub(super) fn breaks(rule: &str, tamper: impl Fn(&mut Vec<TraceLine>) -> Option<()>) {
    let spoiled = (0..1_000).find_map(|seed| {
        let mut lines = world::play(ContestStory::draw(seed), true).watch.lines();
        tamper(&mut lines).map(|()| lines)
    });
    let mut watch = Watch::<ContestStory>::new(Played::default(), false);
    let lines = spoiled.expect("some seed has what it takes");
    lines.into_iter().for_each(|line| watch.see(line));
    match watch.broken() {
        None => panic!("nobody noticed; {rule:?} should be broken"),
        Some(broken) => assert_eq!(broken.rule, rule, "{}", broken.sentence),
    }
}

pub(super) fn find(lines: &[TraceLine], fits: impl Fn(&What) -> bool) -> Option<usize> {
    lines.iter().position(|line| fits(&line.what))
}

/// Changes the rows of the first transaction that contains such a row.
fn change_row(lines: &mut [TraceLine], change: impl Fn(&mut Row) -> bool) -> Option<()> {
    lines.iter_mut().find_map(|line| {
        let What::Own(Wrote(rows)) = &line.what else {
            return None;
        };
        let mut rows = rows.to_vec();
        rows.iter_mut().any(&change).then(|| {
            line.what = What::Own(Wrote(rows.into()));
        })
    })
}

#[test]
fn a_gap_in_the_journal() {
    breaks("the journal counts without a gap", |lines| {
        let third = lines.iter_mut().find_map(|line| match &mut line.what {
            What::Recorded(entry) if entry.seq == 3 => Some(entry),
            _ => None,
        });
        Rc::make_mut(third?).seq = 4;
        Some(())
    });
}

#[test]
fn an_act_that_nobody_decided() {
    breaks("nothing is done that the journal does not know", |lines| {
        let submit = |what: &What| matches!(what, What::Performed(_, Effect::Submit { .. }));
        let at = find(lines, submit)?;
        lines.insert(at, lines[at].clone());
        Some(())
    });
}

#[test]
fn an_act_that_is_left_out() {
    breaks("nothing is done that the journal does not know", |lines| {
        let begin = |what: &What| matches!(what, What::Performed(_, Effect::Begin { .. }));
        let at = find(lines, begin)?;
        lines.remove(at);
        Some(())
    });
}

#[test]
fn a_replay_that_gives_another_state() {
    breaks("replay equals state", |lines| {
        let replayed = |line: &&mut TraceLine| matches!(line.what, What::Replayed(_));
        let again = lines.iter_mut().filter(replayed).nth(1)?;
        again.what = What::Replayed(Rc::default());
        Some(())
    });
}

#[test]
fn a_transaction_that_is_lost() {
    breaks("what is saved is in the database", |lines| {
        let saved = |what: &What| matches!(what, What::Recorded(entry) if matches!(entry.event, Event::Saved { .. }));
        let at = find(lines, saved)?;
        let Event::Saved { team, .. } = event(&lines[at])? else {
            return None;
        };
        // Everything that was written for this team before.
        let before = lines[..at]
            .iter()
            .filter(|line| !writes(line, team))
            .cloned();
        let kept: Vec<TraceLine> = before.chain(lines[at..].iter().cloned()).collect();
        *lines = kept;
        Some(())
    });
}

fn event(line: &TraceLine) -> Option<Event> {
    match &line.what {
        What::Recorded(entry) => Some(entry.event.clone()),
        _ => None,
    }
}

fn writes(line: &TraceLine, of: u32) -> bool {
    match &line.what {
        What::Own(Wrote(rows)) => rows
            .iter()
            .any(|row| matches!(row, Row::Status { team, .. } if *team == of)),
        _ => false,
    }
}

#[test]
fn a_score_that_changes_in_the_database() {
    breaks("a score in the database never changes", |lines| {
        let at = lines.iter().position(|line| match &line.what {
            What::Own(Wrote(rows)) => rows.iter().any(|row| matches!(row, Row::Board { .. })),
            _ => false,
        })?;
        let mut again = lines[at].clone();
        let What::Own(Wrote(rows)) = &again.what else {
            return None;
        };
        let mut rows = rows.to_vec();
        for row in &mut rows {
            if let Row::Board { score, .. } = row {
                let other = (score.hundredths() + 1) % 10_001;
                *score = kumite_core::contest::Score::from_hundredths(other)?;
            }
        }
        again.what = What::Own(Wrote(rows.into()));
        lines.insert(at + 1, again);
        Some(())
    });
}

#[test]
fn a_final_row_that_is_not_marked() {
    breaks("the rows are exact", |lines| {
        // The last line but one is the state at the end.
        let What::Replayed(last) = &lines[lines.len() - 2].what else {
            return None;
        };
        let reason = last.contest.teams[0].exit()?.reason;
        (reason == Reason::MaxRoundsReached).then_some(())?;
        let unmark = |row: &mut Row| {
            if let Row::Board {
                team: 0, is_final, ..
            } = row
            {
                *is_final = None;
            }
        };
        for line in lines {
            if let What::Own(Wrote(rows)) = &line.what {
                let mut rows = rows.to_vec();
                rows.iter_mut().for_each(unmark);
                line.what = What::Own(Wrote(rows.into()));
            }
        }
        Some(())
    });
}

#[test]
fn a_row_of_a_round_that_never_was() {
    breaks("the rows are exact", |lines| {
        let at = find(lines, |what| matches!(what, What::Own(_)))?;
        let stranger = Row::Status {
            team: 0,
            round: 99,
            started_ms: 0,
            ended_ms: None,
            should_continue: None,
        };
        lines[at].what = What::Own(Wrote(Rc::new([stranger])));
        Some(())
    });
}

#[test]
fn a_wrong_start_of_a_round() {
    breaks("the rows are exact", |lines| {
        // The last row written for the first round.
        lines.iter_mut().rev().find_map(|line| {
            let one = std::slice::from_mut(line);
            change_row(one, |row| match row {
                Row::Status {
                    team: 0,
                    round: 1,
                    started_ms,
                    ..
                } => {
                    *started_ms += 1;
                    true
                }
                _ => false,
            })
        })
    });
}

#[test]
fn a_summary_with_another_winner() {
    breaks("the rows are exact", |lines| {
        change_row(lines, |row| match row {
            Row::Summary { winner } => {
                *winner = winner.map_or(Some(0), |it| Some(it + 1));
                true
            }
            _ => false,
        })
    });
}

#[test]
fn a_contest_that_does_not_end() {
    breaks("everything ends once faults have stopped", |lines| {
        lines.last_mut()?.what = What::Over {
            out_of_patience: true,
        };
        Some(())
    });
}

#[test]
fn an_act_that_is_forgotten() {
    breaks("what is decided is done", |lines| {
        let decided = find(lines, |what| matches!(what, What::Decided(_)))?;
        let done = |line: &TraceLine| matches!(line.what, What::Performed(..));
        let at = lines[..decided].iter().rposition(done)?;
        lines.remove(at);
        Some(())
    });
}
