//! Time, which only the host has.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Stamps entries. Its time never runs back, whatever the machine's clock does, and no two stamps
/// are equal: agents are named after them.
#[derive(Debug, Default)]
pub struct Clock {
    last_ms: u64,
}

impl Clock {
    pub fn stamp(&mut self) -> u64 {
        self.last_ms = now_ms().max(self.last_ms + 1);
        self.last_ms
    }

    /// Goes on after the stamps of an earlier process.
    pub fn after(&mut self, stamp_ms: u64) {
        self.last_ms = self.last_ms.max(stamp_ms);
    }
}

pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// As it stands in every file: UTC, RFC 3339, milliseconds.
pub fn rfc3339(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok().map(Timestamp::from_millisecond);
    match at {
        Some(Ok(at)) => format!("{at:.3}"),
        _ => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}

/// The time of day where the person is.
pub fn local_time(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok().map(Timestamp::from_millisecond);
    match at {
        Some(Ok(at)) => at
            .to_zoned(jiff::tz::TimeZone::system())
            .strftime("%H:%M:%S")
            .to_string(),
        _ => "--:--:--".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_never_run_back_and_are_never_equal() {
        let mut clock = Clock::default();
        let far = now_ms() + 86_400_000;
        clock.after(far);
        assert_eq!(clock.stamp(), far + 1);
        assert_eq!(clock.stamp(), far + 2);
    }

    #[test]
    fn times_are_written_in_utc_with_milliseconds() {
        assert_eq!(rfc3339(1_767_225_600_042), "2026-01-01T00:00:00.042Z");
        assert_eq!(rfc3339(u64::MAX), "1970-01-01T00:00:00.000Z");
    }
}
