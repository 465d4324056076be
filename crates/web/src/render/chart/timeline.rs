//! Who worked on which round and when: one lane per team.

use maud::{Markup, html};

use super::{class, percent};
use crate::render::words::{elapsed, took};

/// The rounds of a team on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub name: String,
    pub colour: Option<usize>,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub round: u32,
    pub from_ms: i64,
    /// None: the round is running.
    pub to_ms: Option<i64>,
    pub how: How,
    /// The result.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Scored,
    Failed,
    Open,
}

const LANE: usize = 40;
const BELOW: usize = 22;
const TICKS_MAX: i64 = 5;
/// The smallest width in percent, so that a very short round is still visible.
const SHORT: f64 = 0.6;
/// The width in percent that a round number needs.
const NUMBER: f64 = 5.0;

/// A figure, or None while no round has begun. `now_ms` is the end of bars that are still running.
pub fn timeline(lanes: &[Lane], now_ms: i64) -> Option<Markup> {
    let bars = || lanes.iter().flat_map(|it| &it.bars);
    let from = bars().map(|it| it.from_ms).min()?;
    let ends = bars().map(|it| it.to_ms.unwrap_or(now_ms).max(it.from_ms));
    let whole = (ends.max()? - from).max(1);
    let across = |at_ms: i64| (at_ms - from) as f64 / whole as f64 * 100.0;
    let height = lanes.len() * LANE;
    let name = format!("Rounds of {} teams in time", lanes.len());
    Some(html! {
        figure.chart {
            svg.timeline width="100%" height=(height + BELOW) role="img" aria-label=(name) {
                @for tick in ticks(whole) {
                    @let at = percent(across(from + tick));
                    line.grid x1=(at) x2=(at) y1="0" y2=(height) {}
                    @if across(from + tick) < 96.0 {
                        text.tick x=(at) dx="3" y=(height + BELOW - 6) { (label(tick)) }
                    }
                }
                @for (index, lane) in lanes.iter().enumerate() {
                    @let top = index * LANE;
                    g class=(class(lane.colour)) {
                        text.name x="0" y=(top + 14) { (lane.name) }
                        @for bar in &lane.bars {
                            @let to = across(bar.to_ms.unwrap_or(now_ms).max(bar.from_ms));
                            @let left = across(bar.from_ms).min(100.0 - SHORT);
                            // A small gap between two rounds.
                            @let width = (to - left - 0.2).max(SHORT);
                            rect class=(kind(bar.how)) x=(percent(left)) y=(top + 19) height="16" rx="3"
                                width=(percent(width)) {
                                title { (lane.name) ", round " (bar.round) ": " (bar.words) }
                            }
                            @if width >= NUMBER {
                                text.number x=(percent(left + width / 2.0)) y=(top + 31) text-anchor="middle" {
                                    (bar.round)
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn kind(how: How) -> &'static str {
    match how {
        How::Scored => "is-scored",
        How::Failed => "is-failed",
        How::Open => "is-open",
    }
}

/// Tick marks at round times, counted from the start.
fn ticks(whole_ms: i64) -> impl Iterator<Item = i64> {
    const STEPS: [i64; 19] = [
        50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
        600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000,
    ];
    const DAY: i64 = 86_400_000;
    let mut steps = STEPS.into_iter();
    let step = steps.find(|step| step * TICKS_MAX >= whole_ms);
    let step = step.unwrap_or_else(|| (whole_ms / TICKS_MAX / DAY + 1) * DAY);
    (0..=whole_ms / step).map(move |index| index * step)
}

fn label(tick_ms: i64) -> String {
    match tick_ms % 1000 {
        0 => elapsed(tick_ms as u64 / 1000),
        _ => took(tick_ms as f64 / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(round: u32, from_ms: i64, to_ms: Option<i64>, how: How) -> Bar {
        Bar {
            round,
            from_ms,
            to_ms,
            how,
            words: "80.00".to_owned(),
        }
    }

    fn lane(name: &str, bars: Vec<Bar>) -> Lane {
        Lane {
            name: name.to_owned(),
            colour: Some(1),
            bars,
        }
    }

    #[test]
    fn before_the_first_round_there_is_no_timeline() {
        assert!(timeline(&[], 0).is_none());
        assert!(timeline(&[lane("a", Vec::new())], 5).is_none());
    }

    #[test]
    fn rounds_lie_where_they_were_played() {
        let bars = vec![
            bar(1, 1000, Some(6000), How::Scored),
            bar(2, 6000, Some(11_000), How::Failed),
        ];
        let text = timeline(&[lane("a", bars)], 0).unwrap().into_string();
        assert!(text.contains("class=\"is-scored\" x=\"0.00%\""), "{text}");
        assert!(text.contains("class=\"is-failed\" x=\"50.00%\""), "{text}");
        assert!(text.contains("width=\"49.80%\""), "{text}");
    }

    #[test]
    fn what_is_under_way_reaches_to_what_is_known() {
        let bars = vec![
            bar(1, 0, Some(1000), How::Scored),
            bar(2, 1000, None, How::Open),
        ];
        let text = timeline(&[lane("a", bars.clone())], 4000)
            .unwrap()
            .into_string();
        assert!(text.contains("is-open\" x=\"25.00%\""), "{text}");
        // A clock that runs back makes no negative bar.
        let text = timeline(&[lane("a", bars)], -9).unwrap().into_string();
        assert!(!text.contains("width=\"-"), "{text}");
    }

    #[test]
    fn a_round_that_took_no_time_is_seen() {
        let text = timeline(&[lane("a", vec![bar(1, 5, Some(5), How::Scored)])], 5);
        let text = text.unwrap().into_string();
        assert!(text.contains("width=\"0.60%\""), "{text}");
    }

    #[test]
    fn names_and_words_are_escaped() {
        let mut one = bar(1, 0, Some(1), How::Failed);
        one.words = "<img src=x onerror=alert(1)>".to_owned();
        let text = timeline(&[lane("<b>", vec![one])], 0)
            .unwrap()
            .into_string();
        assert!(!text.contains("<img") && !text.contains("<b>"), "{text}");
    }

    #[test]
    fn there_are_few_ticks_however_long_it_took() {
        for whole in [1, 999, 60_000, 3_600_000, 86_400_000, 90 * 86_400_000] {
            let count = ticks(whole).count();
            assert!((1..=6).contains(&count), "{whole}: {count}");
        }
    }
}
