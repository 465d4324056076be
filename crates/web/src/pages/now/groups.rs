//! Groups the specs of the page: first those that need a person, then those that run, then the
//! rest. The order is stable, so that nothing moves under the pointer.

use kumite_core::run::SpecState;
use kumite_project::status::Status;

/// All specs, each in one group, ordered by need and then by name.
#[derive(Debug, Default)]
pub struct Groups<'a> {
    pub needs: Vec<&'a Status>,
    pub running: Vec<&'a Status>,
    /// Specs that wait for the end of a usage limit.
    pub limited: Vec<&'a Status>,
    pub others: Vec<&'a Status>,
}

pub fn groups(all: &[Status]) -> Groups<'_> {
    let mut sorted: Vec<&Status> = all.iter().collect();
    sorted.sort_by_key(|status| (status.spec_state.need(), &status.spec));
    let mut groups = Groups::default();
    for status in sorted {
        let group = match status.spec_state {
            _ if status.spec_state.need().is_some() => &mut groups.needs,
            SpecState::Working | SpecState::Finishing | SpecState::Stopping => &mut groups.running,
            SpecState::Limited => &mut groups.limited,
            SpecState::Idle
            | SpecState::Queued
            | SpecState::CutOff
            | SpecState::SpecUnreadable
            | SpecState::JournalUnreadable
            | SpecState::JournalUnwritable
            | SpecState::Halted(_)
            | SpecState::Done(_) => &mut groups.others,
        };
        group.push(status);
    }
    groups
}

#[cfg(test)]
mod tests {
    use kumite_core::journal::By;
    use kumite_core::names::Document;
    use kumite_core::run::{Failure, Finish, Halt, Pause, Run};
    use kumite_project::status;

    use super::*;

    fn spec(name: &str, spec_state: SpecState) -> Status {
        status::of_run(name, &Run::default(), None, false).at(spec_state)
    }

    fn names<'a>(specs: &[&'a Status]) -> Vec<&'a str> {
        specs.iter().map(|status| status.spec.as_str()).collect()
    }

    #[test]
    fn what_needs_a_person_comes_first_by_need_and_then_by_name() {
        let approve = SpecState::Halted(Halt::Waiting(Document::Design));
        let all = [
            spec("z-approve", approve),
            spec("b-paused", SpecState::Halted(Halt::Paused(Pause::ByUser))),
            spec(
                "y-discuss",
                SpecState::Halted(Halt::Paused(Pause::NeedsDiscussion)),
            ),
            spec(
                "a-failed",
                SpecState::Halted(Halt::Failed(Failure::AgentFailed)),
            ),
            spec(
                "x-exhausted",
                SpecState::Halted(Halt::Failed(Failure::RetriesExhausted)),
            ),
            spec("a-approve", approve),
            spec("c-cut", SpecState::CutOff),
        ];
        let wanted = [
            "a-approve",
            "z-approve",
            "y-discuss",
            "x-exhausted",
            "a-failed",
            "b-paused",
            "c-cut",
        ];
        assert_eq!(names(&groups(&all).needs), wanted);
    }

    #[test]
    fn every_spec_stands_in_exactly_one_group() {
        let all = [
            spec("done", SpecState::Done(Finish::AllPhasesDone)),
            spec("works", SpecState::Working),
            spec("idle", SpecState::Idle),
            spec("limit", SpecState::Limited),
            spec("queued", SpecState::Queued),
            spec("stopped", SpecState::Halted(Halt::Stopped(By::User))),
            spec("failed", SpecState::Halted(Halt::Failed(Failure::Timeout))),
        ];
        let groups = groups(&all);
        assert_eq!(names(&groups.needs), ["failed"]);
        assert_eq!(names(&groups.running), ["works"]);
        assert_eq!(names(&groups.limited), ["limit"]);
        assert_eq!(names(&groups.others), ["done", "idle", "queued", "stopped"]);
    }
}
