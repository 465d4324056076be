//! Time, which only the host has.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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

    /// Continues after the stamps of an earlier process.
    pub fn after(&mut self, stamp_ms: u64) {
        self.last_ms = self.last_ms.max(stamp_ms);
    }
}

pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ms = since.map_or(0, |since| since.as_millis() as u64);
    match AHEAD.get_or_init(|| std::env::var_os(VARIABLE).map(PathBuf::from)) {
        Some(file) => now_ms.saturating_add(ahead_ms(file)),
        None => now_ms,
    }
}

/// For tests that wait for hours: a file with the number of milliseconds that the clock is ahead.
/// It can be changed at any time. Agents do not see it.
pub const VARIABLE: &str = "KUMITE_CLOCK_AHEAD";

static AHEAD: OnceLock<Option<PathBuf>> = OnceLock::new();

fn ahead_ms(file: &Path) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// The format in every file: UTC, RFC 3339, milliseconds.
pub fn rfc3339(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok().map(Timestamp::from_millisecond);
    match at {
        Some(Ok(at)) => format!("{at:.3}"),
        _ => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}

/// A future moment in the person's time zone: the time of day, with the date if it is not today.
pub fn local_moment(at_ms: u64) -> String {
    let local = |ms: u64| {
        let at = Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
        Some(at.to_zoned(jiff::tz::TimeZone::system()))
    };
    match (local(at_ms), local(now_ms())) {
        (Some(at), Some(now)) if at.date() == now.date() => at.strftime("%H:%M").to_string(),
        (Some(at), _) => at.strftime("%Y-%m-%d %H:%M").to_string(),
        (None, _) => "an unknown time".to_owned(),
    }
}

/// The date in the person's time zone, as `2026-01-31`.
pub fn local_day(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok().map(Timestamp::from_millisecond);
    match at {
        Some(Ok(at)) => at.to_zoned(jiff::tz::TimeZone::system()).date().to_string(),
        _ => "1970-01-01".to_owned(),
    }
}

/// A date in the full form that people write, if it is valid.
pub fn parse_day(text: &str) -> Option<String> {
    let day: jiff::civil::Date = text.parse().ok()?;
    Some(day.to_string())
}

/// The time of day in the person's time zone.
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
