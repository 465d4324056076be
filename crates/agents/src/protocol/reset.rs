//! When a usage limit ends, as programs report it: a number, a timestamp, or prose.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use serde_json::Value;

/// Larger numbers are milliseconds: as seconds they would be after the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;

/// A reset as a field of JSON: Unix time in seconds or milliseconds, or RFC 3339.
pub fn of_value(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => match text.trim().parse::<f64>() {
            Ok(number) => of_number(number),
            Err(_) => ms(text.trim().parse().ok()?),
        },
        _ => None,
    }
}

fn of_number(number: f64) -> Option<u64> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    // The cast saturates: the caller clamps it to a time far away.
    Some(match number < MILLISECONDS_FROM {
        true => (number * 1000.0) as u64,
        false => number as u64,
    })
}

/// A reset in a sentence: "resets 3pm (Asia/Tokyo)", "Try again at Aug 9th, 2026 3:05 PM", "retry
/// in 39s", "resets in 2 hours 5 minutes". A time of day means its next occurrence.
pub fn of_prose(text: &str, now_ms: u64) -> Option<u64> {
    let now = Timestamp::from_millisecond(i64::try_from(now_ms).ok()?).ok()?;
    let lower = text.to_lowercase();
    let cues = ["reset", "try again", "retry", "available again"];
    let start = cues.iter().filter_map(|cue| lower.find(cue)).min()?;
    let rest = &lower[start..];
    duration(rest)
        .map(|wait_ms| now_ms.saturating_add(wait_ms))
        .or_else(|| moment(rest, now))
}

/// "in 1h 30m", "in 39.5s", "after 2 hours".
fn duration(text: &str) -> Option<u64> {
    let at = [" in ", " after "]
        .iter()
        .find_map(|word| Some(text.find(word)? + word.len()))?;
    let mut rest = text[at..].trim_start();
    let mut total_ms = 0.0;
    let mut found = false;
    loop {
        let digits = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else {
            break;
        };
        rest = rest[digits..].trim_start();
        let letters = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        total_ms += number * unit_ms(&rest[..letters])?;
        found = true;
        rest = rest[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    found.then_some(total_ms as u64)
}

fn unit_ms(unit: &str) -> Option<f64> {
    match unit {
        "ms" | "milliseconds" => Some(1.0),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1e3),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60e3),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600e3),
        "d" | "day" | "days" => Some(86_400e3),
        _ => None,
    }
}

/// A time of day, with or without a date, in the time zone in brackets or else the local one.
fn moment(text: &str, now: Timestamp) -> Option<u64> {
    let zone = match zone_in(text) {
        Some(name) => TimeZone::get(&name).ok()?,
        None => TimeZone::system(),
    };
    let now = now.to_zoned(zone.clone());
    // The zone contains letters that look like months.
    let words: Vec<&str> = text
        .split('(')
        .next()
        .unwrap_or_default()
        .split([' ', ',', '·'])
        .map(|word| word.trim_end_matches(['.', ';', ')']))
        .filter(|word| !word.is_empty())
        .collect();
    let time = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| time_of_day(word, words.get(at + 1).copied().unwrap_or_default()))?;
    let at = match day(&words, &now) {
        Some(date) => DateTime::from_parts(date, time).to_zoned(zone).ok()?,
        None => next(time, &now)?,
    };
    ms(at.timestamp())
}

fn zone_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('(')?;
    Some(rest.split_once(')')?.0.trim().to_owned())
}

/// `3pm`, `3:05pm`, `3:05 pm`, `15:05`.
fn time_of_day(word: &str, next: &str) -> Option<Time> {
    let (digits, half) = match (word.strip_suffix("am"), word.strip_suffix("pm"), next) {
        (Some(digits), _, _) => (digits, Some(0)),
        (_, Some(digits), _) => (digits, Some(12)),
        (_, _, "am") => (word, Some(0)),
        (_, _, "pm") => (word, Some(12)),
        _ => (word, None),
    };
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "0"));
    // A number alone is not a time.
    if half.is_none() && !digits.contains(':') {
        return None;
    }
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    Time::new(hour, minute, 0, 0).ok()
}

/// `nov 19`, `aug 9th 2026`, `9 august`.
fn day(words: &[&str], now: &Zoned) -> Option<Date> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let (at, month) = words.iter().enumerate().find_map(|(at, word)| {
        let month = MONTHS.iter().position(|month| word.starts_with(month))?;
        Some((at, i8::try_from(month + 1).ok()?))
    })?;
    let number = |word: Option<&&str>| -> Option<i16> {
        let digits = word?.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse().ok()
    };
    let day = number(words.get(at + 1)).or_else(|| number(words.get(at.checked_sub(1)?)))?;
    let year = words
        .iter()
        .find_map(|word| word.parse::<i16>().ok().filter(|year| *year > 2000));
    let of = |year| Date::new(year, month, i8::try_from(day).ok()?).ok();
    match year {
        Some(year) => of(year),
        // In December a reset in January is in the next year.
        None => of(now.year())
            .filter(|date| *date >= now.date())
            .or_else(|| of(now.year() + 1)),
    }
}

fn next(time: Time, now: &Zoned) -> Option<Zoned> {
    let zone = now.time_zone().clone();
    let today = DateTime::from_parts(now.date(), time)
        .to_zoned(zone.clone())
        .ok()?;
    if today > *now {
        return Some(today);
    }
    let tomorrow = now.date().checked_add(1.day()).ok()?;
    DateTime::from_parts(tomorrow, time).to_zoned(zone).ok()
}

fn ms(at: Timestamp) -> Option<u64> {
    u64::try_from(at.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(text: &str) -> u64 {
        ms(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn t1_numbers_are_seconds_or_milliseconds_and_nonsense_is_none() {
        let rows = [
            (json!(1_794_801_667), Some(1_794_801_667_000)),
            (json!(1_794_801_667_000_u64), Some(1_794_801_667_000)),
            (json!("1794801667"), Some(1_794_801_667_000)),
            (json!("2026-11-16T04:01:07Z"), Some(1_794_801_667_000)),
            (json!("2026-11-16T13:01:07+09:00"), Some(1_794_801_667_000)),
            (json!(0), None),
            (json!(-5), None),
            (json!("soon"), None),
            (json!(null), None),
            (json!(1e300), Some(u64::MAX)),
        ];
        for (value, expected) in rows {
            assert_eq!(of_value(&value), expected, "{value}");
        }
    }

    #[test]
    fn t1_prose_names_a_moment_in_a_zone() {
        let now = at("2026-11-16T02:01:00Z");
        let rows = [
            (
                "You've hit your 5-hour limit · resets 4:01am (UTC)",
                "2026-11-16T04:01:00Z",
            ),
            (
                "limit reached, resets 3pm (Asia/Tokyo)",
                "2026-11-16T06:00:00Z",
            ),
            ("resets 1am (UTC)", "2026-11-17T01:00:00Z"),
            (
                "hit your weekly limit · resets Nov 19, 2:01am (UTC)",
                "2026-11-19T02:01:00Z",
            ),
            (
                "resets Jan 2, 12am (America/New_York)",
                "2027-01-02T05:00:00Z",
            ),
            ("resets 12pm (UTC)", "2026-11-16T12:00:00Z"),
            (
                "Try again at Aug 9th, 2027 3:05 PM (UTC).",
                "2027-08-09T15:05:00Z",
            ),
            ("Please retry in 39.5s.", "2026-11-16T02:01:39.5Z"),
            ("resets in 2 hours, 5 minutes", "2026-11-16T04:06:00Z"),
            (
                "Your quota will reset after 1h30m10s.",
                "2026-11-16T03:31:10Z",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(of_prose(text, now), Some(at(expected)), "{text}");
        }
    }

    #[test]
    fn t1_prose_without_a_time_names_none() {
        let texts = [
            "",
            "try again later.",
            "resets soon",
            "resets 25:99 (UTC)",
            "resets 3pm (Nowhere/Land)",
            "at 3pm we meet",
            "resets 13pm (UTC)",
            "retry in a while",
        ];
        for text in texts {
            assert_eq!(of_prose(text, at("2026-11-16T02:01:00Z")), None, "{text}");
        }
    }
}
