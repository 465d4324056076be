//! Groups the specs of the page: first those that need a person, then those that run, then the
//! rest. The order is stable, so that nothing moves under the pointer.

use kumite_core::run::Standing;
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
    sorted.sort_by_key(|status| (status.standing.need(), &status.spec));
    let mut groups = Groups::default();
    for status in sorted {
        let group = match status.standing {
            _ if status.standing.need().is_some() => &mut groups.needs,
            Standing::Working | Standing::Finishing | Standing::Stopping => &mut groups.running,
            Standing::Limited => &mut groups.limited,
            Standing::Idle
            | Standing::Queued
            | Standing::CutOff
            | Standing::SpecUnreadable
            | Standing::JournalUnreadable
            | Standing::JournalUnwritable
            | Standing::Halted(_)
            | Standing::Done(_) => &mut groups.others,
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

    fn spec(name: &str, standing: Standing) -> Status {
        status::of_run(name, &Run::default(), None, false).at(standing)
    }

    fn names<'a>(specs: &[&'a Status]) -> Vec<&'a str> {
        specs.iter().map(|status| status.spec.as_str()).collect()
    }

    #[test]
    fn what_needs_a_person_comes_first_by_need_and_then_by_name() {
        let approve = Standing::Halted(Halt::Waiting(Document::Design));
        let all = [
            spec("z-approve", approve),
            spec("b-paused", Standing::Halted(Halt::Paused(Pause::ByUser))),
            spec(
                "y-discuss",
                Standing::Halted(Halt::Paused(Pause::NeedsDiscussion)),
            ),
            spec(
                "a-failed",
                Standing::Halted(Halt::Failed(Failure::AgentFailed)),
            ),
            spec(
                "x-exhausted",
                Standing::Halted(Halt::Failed(Failure::RetriesExhausted)),
            ),
            spec("a-approve", approve),
            spec("c-cut", Standing::CutOff),
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
            spec("done", Standing::Done(Finish::AllPhasesDone)),
            spec("works", Standing::Working),
            spec("idle", Standing::Idle),
            spec("limit", Standing::Limited),
            spec("queued", Standing::Queued),
            spec("stopped", Standing::Halted(Halt::Stopped(By::User))),
            spec("failed", Standing::Halted(Halt::Failed(Failure::Timeout))),
        ];
        let groups = groups(&all);
        assert_eq!(names(&groups.needs), ["failed"]);
        assert_eq!(names(&groups.running), ["works"]);
        assert_eq!(names(&groups.limited), ["limit"]);
        assert_eq!(names(&groups.others), ["done", "idle", "queued", "stopped"]);
    }
}
