//! Exit codes (contract).

use kumite_core::run::{Ending, Reason, Rest, SpecState};

pub const DONE: u8 = 0;
pub const FAILED: u8 = 1;
pub const USAGE: u8 = 2;
pub const PERSON_NEEDED: u8 = 3;
pub const BUDGET: u8 = 4;
/// For a contest: no team has a result.
pub const NONE_SUCCEEDED: u8 = 4;
pub const INVALID: u8 = 5;
pub const QUOTA: u8 = 75;
pub const INTERRUPTED: u8 = 130;
pub const TERMINATED: u8 = 143;
pub const HUNG_UP: u8 = 129;

/// The exit code for the state in which a run rests.
pub fn of_end(rest: Rest) -> u8 {
    let reason = SpecState::from(rest).reason();
    // A run that was reset rests without a reason: a person has to start it again.
    match reason.map_or(Ending::PersonNeeded, Reason::ending) {
        Ending::Done => DONE,
        Ending::Failed => FAILED,
        Ending::PersonNeeded => PERSON_NEEDED,
        Ending::Budget => BUDGET,
        Ending::Quota => QUOTA,
    }
}

/// With several specs the worst one counts.
pub fn worst(codes: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |code: &u8| match *code {
        FAILED => 4,
        PERSON_NEEDED => 3,
        BUDGET => 2,
        QUOTA => 1,
        _ => 0,
    };
    codes.into_iter().max_by_key(rank).unwrap_or(DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_several_specs_the_worst_one_counts() {
        assert_eq!(worst([DONE, PERSON_NEEDED, DONE]), PERSON_NEEDED);
        assert_eq!(worst([PERSON_NEEDED, FAILED]), FAILED);
        assert_eq!(worst([QUOTA, BUDGET]), BUDGET);
        assert_eq!(worst([]), DONE);
    }
}
