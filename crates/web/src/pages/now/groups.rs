//! Groups the specs of the page: first those that need a person, then those that run, then the
//! rest. The order is stable, so that nothing moves under the pointer.

use kumite_host::status::Status;

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
    sorted.sort_by(|a, b| (need(a), &a.spec).cmp(&(need(b), &b.spec)));
    let mut groups = Groups::default();
    for status in sorted {
        let group = match (need(status), status.state) {
            (Some(_), _) => &mut groups.needs,
            (None, "working") => &mut groups.running,
            (None, "waiting") if status.reason.as_deref() != Some("queued") => &mut groups.limited,
            (None, _) => &mut groups.others,
        };
        group.push(status);
    }
    groups
}

/// What a person is needed for, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A document waits for approval.
    Approve,
    /// A person has to decide or repair something before it can go on.
    Decide,
    /// Only a reset lets it go on.
    Reset,
    Failed,
    /// kumite ended, or somebody paused it: it goes on when asked to.
    Resume,
}

pub fn need(status: &Status) -> Option<Need> {
    match (status.state, status.reason.as_deref()) {
        ("waiting", Some("usage_limit" | "queued")) => None,
        ("waiting", _) => Some(Need::Approve),
        ("paused", Some("paused_by_user")) | ("stopped", Some("interrupted")) => Some(Need::Resume),
        ("paused", _) => Some(Need::Decide),
        ("failed", Some("retries_exhausted")) => Some(Need::Reset),
        ("failed", _) => Some(Need::Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::run::Run;
    use kumite_host::status;

    use super::*;

    fn spec(name: &str, state: &'static str, reason: &str) -> Status {
        Status {
            state,
            reason: (!reason.is_empty()).then(|| reason.to_owned()),
            ..status::of_run(name, &Run::default(), None, false)
        }
    }

    fn names<'a>(specs: &[&'a Status]) -> Vec<&'a str> {
        specs.iter().map(|status| status.spec.as_str()).collect()
    }

    #[test]
    fn what_needs_a_person_comes_first_by_need_and_then_by_name() {
        let all = [
            spec("z-approve", "waiting", "approval_needed"),
            spec("b-paused", "paused", "paused_by_user"),
            spec("y-discuss", "paused", "needs_discussion"),
            spec("a-failed", "failed", "agent_failed"),
            spec("x-exhausted", "failed", "retries_exhausted"),
            spec("a-approve", "waiting", "approval_needed"),
            spec("c-cut", "stopped", "interrupted"),
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
            spec("done", "done", "all_phases_done"),
            spec("works", "working", ""),
            spec("idle", "idle", ""),
            spec("limit", "waiting", "usage_limit"),
            spec("queued", "waiting", "queued"),
            spec("stopped", "stopped", "stopped_by_user"),
            spec("failed", "failed", "timeout"),
        ];
        let groups = groups(&all);
        assert_eq!(names(&groups.needs), ["failed"]);
        assert_eq!(names(&groups.running), ["works"]);
        assert_eq!(names(&groups.limited), ["limit"]);
        assert_eq!(names(&groups.others), ["done", "idle", "queued", "stopped"]);
    }
}
