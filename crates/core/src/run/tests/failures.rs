//! Agents that end badly, and agents that nobody waits for (A3.4, A8, C2).

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::facts::{Look, Stamp, Verdict};
use crate::journal::{Event, Order};
use crate::names::Document;
use crate::notice::Notice;
use crate::outcome::{Ended, Limit, LimitKind, Outcome, Usage};
use crate::run::{Failure, Finish, Pause, Resume, Run, State, Step, Work, decide};

fn how() -> String {
    "exit status 1".to_owned()
}

fn steps() -> [Step; 7] {
    [
        Step::Write(Document::Design),
        review(2),
        reply(2),
        implement(3),
        inspect(1),
        fix(1),
        Step::Merge,
    ]
}

fn revived(step: Step) -> Work {
    Work {
        revived: true,
        ..work(step)
    }
}

/// The row replaced an agent that hung or was lost by another one.
fn begun_again(step: Step) -> State {
    State::Working(Work {
        agent: agent(SEQ),
        ..revived(step)
    })
}

fn without_session(outcome: Outcome) -> Event {
    Event::AgentEnded {
        agent: OURS,
        ended: Ended {
            outcome,
            session: None,
            usage: Usage::default(),
            last_words: String::new(),
        },
        look: look(written(3)),
    }
}

#[test]
fn a3_4_an_agent_that_fails_fails_the_run_at_its_step() {
    let rows = [
        (Outcome::Failed(how()), Failure::AgentFailed),
        (Outcome::Missing(how()), Failure::AgentMissing),
        (Outcome::TimedOut, Failure::Timeout),
        (Outcome::Killed, Failure::AgentFailed),
    ];
    for step in steps() {
        for (outcome, why) in rows.clone() {
            let event = ended(outcome.clone(), written(3));
            let decided = check(working(step), event, failed(why, step));
            // The claims of an unsuccessful writer about its document are taken back.
            match step {
                Step::Write(document) => decided.saves(&[Change::Rejected(document)]),
                _ => decided.saves(&[]),
            };
            decided.says(Notice::StepEnded {
                step,
                agent: OURS,
                outcome,
                usage: Usage::default(),
            });
        }
    }
}

#[test]
fn a3_4_good_files_do_not_make_a_failed_agent_good() {
    let facts = rounds(&[replied_round(1, 0, 0)]);
    let event = ended(Outcome::Failed(how()), facts);
    check(
        working(reply(1)),
        event,
        failed(Failure::AgentFailed, reply(1)),
    );
}

#[test]
fn c2_6_an_agent_that_could_not_be_started_is_an_outcome() {
    let look = Look::Unreadable("the agent was not started".to_owned());
    let event = ended_as(OURS, Outcome::Missing(how()), look);
    check(
        working(review(1)),
        event,
        failed(Failure::AgentMissing, review(1)),
    );
}

/// Only the variant means that nobody looked; a person's file may say anything.
#[test]
fn house_7_3_a_sentence_like_nobodys_look_is_an_unreadable_spec_json() {
    let before = || working(review(1));
    let look = Look::Unreadable("the agent was not started".to_owned());
    let event = ended_as(OURS, Outcome::Finished, look);
    let after = unjudged(Pause::SpecUnreadable, work(review(1)));
    check(before(), event, after);
    let event = ended_as(OURS, Outcome::Finished, Look::Nobody);
    check(before(), event, failed(Failure::AgentMissing, review(1)));
}

#[test]
fn hung_an_agent_is_resumed_once_in_its_session() {
    for step in steps() {
        let event = ended(Outcome::Hung, implemented());
        let decided = check(working(step), event.clone(), begun_again(step));
        let launch = decided.launched().unwrap();
        assert_eq!(launch.resume.as_deref(), Some("session"));
        assert_eq!(launch.step, step);
        let before = State::Working(revived(step));
        check(before, event, failed(Failure::AgentHung, step));
    }
}

#[test]
fn hung_an_agent_without_a_session_cannot_be_resumed() {
    let event = without_session(Outcome::Hung);
    check(
        working(review(1)),
        event,
        failed(Failure::AgentHung, review(1)),
    );
}

#[test]
fn lost_an_agent_is_replaced_once() {
    for step in steps() {
        let event = ended(Outcome::Lost(how()), implemented());
        check(working(step), event.clone(), begun_again(step));
        let before = State::Working(revived(step));
        check(before, event, failed(Failure::AgentFailed, step));
    }
    let decided = decided(working(review(1)), without_session(Outcome::Lost(how())));
    assert_eq!(decided.launched().unwrap().resume, None);
}

#[test]
fn lost_a_review_reply_or_inspection_whose_documents_are_there_is_not_done_again() {
    let lost = |facts| ended(Outcome::Lost(how()), facts);
    let reviewed = rounds(&[reviewed_round(1)]);
    check(working(review(1)), lost(reviewed.clone()), begun(reply(1)));
    let replied = rounds(&[replied_round(1, 2, 0)]);
    let decided = check(working(reply(1)), lost(replied), begun(review(2)));
    decided.saves(&[Change::Replied(1, findings(2, 0)), Change::ReviewStarted(2)]);
    let passed = inspections(&[inspected(1, Verdict::Go)]);
    let after = done(Finish::AllPhasesDone);
    check(working(inspect(1)), lost(passed), after);

    // Missing or unclear documents are made again.
    check(
        working(reply(1)),
        lost(reviewed.clone()),
        begun_again(reply(1)),
    );
    // An old journal is replayed as it was then.
    let mut entry = entry(SEQ, lost(reviewed));
    entry.version = 1;
    let (run, _) = decide(working(review(1)).into(), &entry);
    assert_eq!(run.work().map(|work| work.step), Some(review(1)));
}

#[test]
fn hung_a_resumed_agent_need_not_write_again_what_its_step_has_written() {
    let step = Step::Write(Document::Design);
    let hung = ended(Outcome::Hung, wrote(Document::Design));
    let resumed = check(working(step), hung, begun_again(step));
    let good = ended_as(agent(SEQ), Outcome::Finished, look(wrote(Document::Design)));
    check(resumed.run, good, begun(Step::Write(Document::Tasks)));
}

#[test]
fn hung_the_next_step_may_be_revived_again() {
    let facts = rounds(&[reviewed_round(1)]);
    let before = State::Working(revived(review(1)));
    check(before, finished(facts), begun(reply(1)));
}

#[test]
fn a8_an_unreadable_spec_json_pauses_and_keeps_the_finished_agent() {
    for step in steps() {
        let after = unjudged(Pause::SpecUnreadable, work(step));
        let decided = check(working(step), ended_unreadable(), after);
        decided.saves(&[]);
        assert_eq!(decided.launched(), None);
    }
}

#[test]
fn a8_an_unreadable_spec_json_at_a_start_pauses_where_the_run_was() {
    let start = Event::StartRequested {
        order: Order::default(),
        look: Some(unreadable()),
        place: None,
    };
    let before = stopped(implement(4));
    let after = paused(Pause::SpecUnreadable, implement(4));
    check(before, start, after.clone());
    let queued = State::Queued {
        resume: Resume::at(implement(4)),
    };
    let look = unreadable();
    check(queued, Event::Admitted { look }, after);
}

#[test]
fn a8_what_could_not_be_read_is_judged_on_resume_and_not_redone() {
    let before = |step| unjudged(Pause::SpecUnreadable, work(step));
    check(
        before(reply(1)),
        start(rounds(&[replied_round(1, 2, 0)])),
        begun(review(2)),
    );
    check(before(implement(2)), start(tasks(3, 3)), begun(inspect(1)));
    check(
        before(implement(2)),
        start(tasks(2, 3)),
        begun(implement(3)),
    );
    check(before(fix(1)), start(implemented()), begun(inspect(2)));
    check(
        before(Step::Merge),
        start(implemented()),
        done(Finish::AllPhasesDone),
    );
}

#[test]
fn a8_what_is_still_without_evidence_is_redone() {
    let before = unjudged(Pause::NoEvidence, work(reply(1)));
    let facts = rounds(&[reviewed_round(1)]);
    check(before, start(facts), begun(reply(1)));
}

#[test]
fn a_conflict_that_a_person_corrected_is_judged_on_resume_and_not_redone() {
    let before = unjudged(Pause::EvidenceConflict, work(reply(1)));
    let mut corrected = replied_round(1, 0, 0);
    corrected.counts = Some(findings(0, 0));
    let decided = check(before, start(rounds(&[corrected])), begun(implement(0)));
    assert!(decided.saved().contains(&Change::ReviewApproved));
}

#[test]
fn a_conflict_that_nobody_corrected_is_not_an_approval() {
    let before = unjudged(Pause::EvidenceConflict, work(reply(1)));
    let mut differs = replied_round(1, 1, 0);
    differs.counts = Some(findings(0, 0));
    let after = begun_over(Some(STAMP), reply(1));
    check(before, start(rounds(&[differs])), after);
}

#[test]
fn c2_2_a_foreign_or_late_end_changes_nothing_in_any_state() {
    let foreign = [
        agent(7),
        crate::journal::AgentId {
            at_ms: OURS.at_ms + 1,
            seq: OURS.seq,
        },
    ];
    let ends = [
        Outcome::Finished,
        Outcome::Failed(how()),
        Outcome::Hung,
        Outcome::Lost(how()),
    ];
    for step in steps() {
        let states = [
            working(step),
            State::Finishing(work(step)),
            stopping(step),
            stopped(step),
            failed(Failure::AgentHung, step),
            State::Idle,
            done(Finish::AllPhasesDone),
        ];
        for state in states {
            for agent in foreign {
                for outcome in ends.clone() {
                    let event = ended_as(agent, outcome, look(implemented()));
                    check_stays(state.clone(), event);
                }
            }
        }
        // Its own agent, but the run no longer waits for it.
        check_stays(stopped(step), ended(Outcome::Finished, implemented()));
    }
}

#[test]
fn evidence_of_a_new_agent_is_told_from_what_was_there_before() {
    let facts = with(written(1), |facts| {
        facts.documents[1].stamp = Some(Stamp::Fnv(5));
    });
    let after = begun_over(Some(Stamp::Fnv(5)), Step::Write(Document::Design));
    check(State::Idle, start(facts), after);
}

fn limited() -> Outcome {
    Outcome::Limited(Limit {
        kind: LimitKind::Usage,
        until_ms: None,
        words: "5-hour limit reached".to_owned(),
    })
}

#[test]
fn t6_a_session_that_was_never_written_begins_anew_after_its_agent_was_lost() {
    let gone = || Outcome::SessionGone("no conversation found".to_owned());
    let lost = || Outcome::Lost("power cut".to_owned());
    let ended_by = |run: &Run, outcome| {
        let agent = run.work().unwrap().agent;
        ended_as(agent, outcome, look(implemented()))
    };
    for step in steps() {
        let resumed = decided(working(step), ended(lost(), implemented()));
        assert!(resumed.launched().unwrap().resume.is_some());
        let event = ended_by(&resumed.run, gone());
        let anew = decided(resumed.run, event);
        assert_eq!(anew.launched().unwrap().resume, None);
        // Each recovery happens once: here both are used up.
        for outcome in [lost(), gone()] {
            let event = ended_by(&anew.run, outcome);
            check(anew.run.clone(), event, failed(Failure::AgentFailed, step));
        }
        // Neither is forgotten while the run waits for a limit.
        let event = ended_by(&anew.run, limited());
        let run = decided(anew.run, event).run;
        let parked = super::limits::parked_in(&run).unwrap();
        assert!(parked.revived && parked.anew);
    }
}
