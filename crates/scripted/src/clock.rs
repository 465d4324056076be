//! The current time in UTC, as documents and spec.json write it.

use jiff::Timestamp;

/// `2026-11-15`
pub(crate) fn today() -> String {
    now()[..10].to_string()
}

/// `2026-11-15T19:06:01Z`
pub(crate) fn now() -> String {
    format!("{:.0}", Timestamp::now())
}
