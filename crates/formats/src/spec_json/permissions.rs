//! `autoExecution.permissions`, with the flags that came before it.

use kumite_core::facts::Permitted;
use kumite_core::names::Phase;

use crate::json::Value;

/// Without permissions the defaults apply; with them, a phase that is not named is not permitted.
/// In both cases the old flags decide for phases that they name and the permissions do not.
pub(super) fn read(root: Value<'_>) -> Permitted {
    let Some(auto) = root.get("autoExecution") else {
        return Permitted::by_default();
    };
    let permissions = auto.given("permissions");
    let mut permitted = match permissions {
        None => Permitted::by_default(),
        Some(_) => Permitted::NONE,
    };
    for phase in Phase::ALL {
        let own = permissions.and_then(|permissions| permissions.get(phase.name()));
        if let Some(said) = own.or_else(|| auto.given(old_flag(phase)?)) {
            permitted.set(phase, says_yes(said));
        }
    }
    permitted
}

fn old_flag(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::Review => Some("documentReviewFlag"),
        Phase::Inspection => Some("inspectionFlag"),
        Phase::Requirements | Phase::Design | Phase::Tasks | Phase::Impl | Phase::Deploy => None,
    }
}

/// Words such as "skip" and "pause" were written in place of a bool; only "run" permits.
fn says_yes(value: Value<'_>) -> bool {
    match value.as_str() {
        Some(word) => word == "run",
        None => value.as_bool() == Some(true),
    }
}
