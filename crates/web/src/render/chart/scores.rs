//! Scores over rounds, one line per team.

use maud::{Markup, html};

use super::{class, legend, percent, step};

/// The rounds of one team.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    pub colour: Option<usize>,
    /// By round, in ascending order.
    pub points: Vec<Point>,
}

/// A finished round; without a score it failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub round: u32,
    pub score: Option<f64>,
}

const TOP: f64 = 18.0;
const HEIGHT: f64 = 220.0;
/// Space below the lines for the round numbers.
const BELOW: f64 = 24.0;
/// Space for the axis on the left, and for half a point on the right.
const LEFT: f64 = 9.0;
const RIGHT: f64 = 97.0;
const STEPS_MAX: f64 = 5.0;
/// The smallest range of the axis: smaller differences are not worth magnifying.
const SPAN_MIN: f64 = 10.0;

/// A figure, or None while no round has a score. `rounds` is how many rounds there may be, or 0
/// once the contest is over.
pub fn scores(series: &[Series], rounds: u32) -> Option<Markup> {
    let known = series.iter().flat_map(|it| &it.points).filter_map(value);
    let axis = Axis::around(known)?;
    let rounds_max = rounds_max(series).max(rounds);
    let across = |round: u32| percent(across(round, rounds_max));
    let down = |score: f64| format!("{:.1}", axis.down(score));
    let bottom = TOP + HEIGHT;
    let label = format!(
        "Scores over {rounds_max} rounds of {} teams; the same as a table below",
        series.len()
    );
    Some(html! {
        figure.chart {
            svg.scores width="100%" height=(bottom + BELOW) role="img" aria-label=(label) {
                @for tick in axis.ticks() {
                    line.grid x1="0" x2="100%" y1=(down(tick)) y2=(down(tick)) {}
                    text.tick x="0" y=(format!("{:.1}", axis.down(tick) - 4.0)) { (short(tick)) }
                }
                @for round in numbers(rounds_max) {
                    text.tick x=(across(round)) y=(bottom + BELOW - 6.0) text-anchor="middle" {
                        @if round == 1 { "round " }
                        (round)
                    }
                }
                // The first series is the best: it is drawn last, above the others.
                @for one in series.iter().rev() {
                    g class=(class(one.colour)) {
                        @for (from, to) in lines(one) {
                            line.gap[to.0 > from.0 + 1]
                                x1=(across(from.0)) y1=(down(from.1))
                                x2=(across(to.0)) y2=(down(to.1)) {}
                        }
                        @for point in &one.points {
                            @match value(point) {
                                Some(score) => circle cx=(across(point.round)) cy=(down(score)) r="4" {
                                    title { (one.name) ", round " (point.round) ": " (format!("{score:.2}")) }
                                },
                                None => text.failed x=(across(point.round)) y=(bottom - 3.0) text-anchor="middle" {
                                    title { (one.name) ", round " (point.round) ": failed" }
                                    "×"
                                },
                            }
                        }
                    }
                }
            }
            figcaption {
                (legend(shown(series)))
                @let more = series.iter().filter(|it| it.colour.is_none()).count();
                @if more > 0 {
                    p.muted.small { "And " (more) " more teams, in grey. A cross is a round that failed." }
                } @else if series.iter().flat_map(|it| &it.points).any(|it| it.score.is_none()) {
                    p.muted.small { "A cross is a round that failed." }
                }
            }
        }
    })
}

/// The same as a table, for people who do not see the chart.
pub fn scores_table(series: &[Series]) -> Markup {
    let rounds_max = rounds_max(series);
    html! {
        div.scroll {
            table.list {
                thead {
                    tr {
                        th scope="col" { "Team" }
                        @for round in 1..=rounds_max {
                            th.num scope="col" { "Round " (round) }
                        }
                    }
                }
                tbody {
                    @for one in series {
                        tr {
                            th scope="row" { (one.name) }
                            @for round in 1..=rounds_max {
                                @let point = one.points.iter().find(|it| it.round == round);
                                td.num {
                                    @match point.map(|it| it.score) {
                                        Some(Some(score)) => (format!("{score:.2}")),
                                        Some(None) => "failed",
                                        None => "",
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn shown(series: &[Series]) -> impl Iterator<Item = (&str, Option<usize>)> {
    let coloured = series.iter().filter(|it| it.colour.is_some());
    coloured.map(|it| (it.name.as_str(), it.colour))
}

fn value(point: &Point) -> Option<f64> {
    point.score.filter(|score| score.is_finite())
}

fn rounds_max(series: &[Series]) -> u32 {
    let rounds = series.iter().flat_map(|it| &it.points).map(|it| it.round);
    rounds.max().unwrap_or(0)
}

/// Pairs of consecutive rounds with a score.
fn lines(series: &Series) -> Vec<((u32, f64), (u32, f64))> {
    let scored = series.points.iter();
    let scored = scored.filter_map(|it| Some((it.round, value(it)?)));
    let scored: Vec<(u32, f64)> = scored.collect();
    scored.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// At most a dozen numbers fit below the lines.
fn numbers(rounds_max: u32) -> impl Iterator<Item = u32> {
    let every = rounds_max.div_ceil(12).max(1);
    (1..=rounds_max).filter(move |round| (round - 1).is_multiple_of(every))
}

fn across(round: u32, rounds_max: u32) -> f64 {
    if rounds_max <= 1 {
        return f64::midpoint(LEFT, RIGHT);
    }
    let share = f64::from(round.saturating_sub(1)) / f64::from(rounds_max - 1);
    LEFT + share * (RIGHT - LEFT)
}

/// Without trailing zeros.
fn short(tick: f64) -> String {
    let text = format!("{tick:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// Round limits around the values. Scores between 0 and 100 never widen the axis beyond that.
    fn around(values: impl Iterator<Item = f64>) -> Option<Axis> {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            (low.min(it), high.max(it))
        });
        if low > high {
            return None;
        }
        let middle = f64::midpoint(low, high);
        let half = (high - low).max(SPAN_MIN) / 2.0;
        let (mut from, mut to) = (middle - half, middle + half);
        if low >= 0.0 && high <= 100.0 {
            let moved = (-from).max(0.0) - (to - 100.0).max(0.0);
            (from, to) = (from + moved, to + moved);
        }
        let step = step(to - from, STEPS_MAX);
        Some(Axis {
            low: (from / step).floor() * step,
            high: (to / step).ceil() * step,
            step,
        })
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|index| self.low + f64::from(index) * self.step)
    }

    fn down(&self, score: f64) -> f64 {
        TOP + (self.high - score) / (self.high - self.low) * HEIGHT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, scores: &[Option<f64>]) -> Series {
        let points = (1..).zip(scores);
        Series {
            name: name.to_owned(),
            colour: Some(0),
            points: points
                .map(|(round, score)| Point {
                    round,
                    score: *score,
                })
                .collect(),
        }
    }

    fn drawn(series: &[Series]) -> String {
        scores(series, 0).unwrap().into_string()
    }

    fn count(text: &str, what: &str) -> usize {
        text.matches(what).count()
    }

    #[test]
    fn without_a_score_there_is_no_chart() {
        assert!(scores(&[], 5).is_none());
        assert!(scores(&[series("a", &[])], 5).is_none());
        assert!(scores(&[series("a", &[None, None])], 5).is_none());
        assert!(scores(&[series("a", &[Some(f64::NAN)])], 5).is_none());
    }

    #[test]
    fn one_round_is_a_point_in_the_middle() {
        let text = drawn(&[series("a", &[Some(80.0)])]);
        assert_eq!(count(&text, "<circle cx=\"53.00%\""), 1);
        assert_eq!(count(&text, "<line class=\"gap\""), 0);
    }

    #[test]
    fn rounds_to_come_have_their_place() {
        let text = scores(&[series("a", &[Some(80.0)])], 5)
            .unwrap()
            .into_string();
        assert_eq!(count(&text, "<circle cx=\"9.00%\""), 1);
        assert_eq!(count(&text, ">5</text>"), 1);
    }

    #[test]
    fn equal_scores_lie_on_one_line_within_the_picture() {
        let text = drawn(&[
            series("a", &[Some(100.0); 3]),
            series("b", &[Some(100.0); 3]),
        ]);
        assert_eq!(count(&text, "cy=\"18.0\""), 6, "{text}");
        assert_eq!(count(&text, ">100</text>"), 1);
        let zero = drawn(&[series("a", &[Some(0.0), Some(0.0)])]);
        assert_eq!(count(&zero, "cy=\"238.0\""), 2, "{zero}");
    }

    #[test]
    fn a_failed_round_is_a_cross_and_the_line_around_it_is_marked() {
        let text = drawn(&[series("a", &[Some(10.0), None, Some(90.0)])]);
        assert_eq!(count(&text, "a, round 2: failed"), 1);
        assert_eq!(count(&text, "<line class=\"gap\""), 1);
        assert_eq!(count(&text, "A cross is a round that failed"), 1);
    }

    #[test]
    fn the_axis_has_round_numbers_and_holds_what_there_is() {
        let rows = [
            (vec![0.0, 100.0], (0.0, 100.0)),
            (vec![62.5, 91.0], (60.0, 100.0)),
            (vec![99.0, 100.0], (90.0, 100.0)),
            (vec![1.0], (0.0, 10.0)),
            (vec![-20.0, 140.0], (-50.0, 150.0)),
            (vec![0.0, 1e6], (0.0, 1e6)),
        ];
        for (values, wanted) in rows {
            let axis = Axis::around(values.iter().copied()).unwrap();
            assert_eq!((axis.low, axis.high), wanted, "{values:?}");
            assert!(axis.ticks().count() <= 7, "{values:?}");
            for value in values {
                let down = axis.down(value);
                assert!((TOP..=TOP + HEIGHT).contains(&down), "{value}: {down}");
            }
        }
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let bad = "</title><script>alert(1)</script>\"><svg onload=alert(1)>";
        let all = [series(bad, &[Some(1.0), None])];
        let text = drawn(&all) + &scores_table(&all).into_string();
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains("onload=alert(1)>"), "{text}");
    }

    #[test]
    fn teams_without_a_colour_are_counted_not_named() {
        let mut all: Vec<Series> = (0..12)
            .map(|it| series(&format!("t{it}"), &[Some(1.0)]))
            .collect();
        for one in &mut all[8..] {
            one.colour = None;
        }
        let text = drawn(&all);
        assert_eq!(count(&text, "<li>"), 8);
        assert_eq!(count(&text, "And 4 more teams"), 1);
        assert_eq!(count(&text, "series-rest"), 4);
    }

    #[test]
    fn many_rounds_have_few_numbers() {
        assert!(numbers(100).count() <= 12);
        assert_eq!(numbers(3).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(numbers(0).count(), 0);
    }

    #[test]
    fn the_table_says_what_the_chart_shows() {
        let text = scores_table(&[series("a", &[Some(1.5), None]), series("b", &[])]).into_string();
        assert!(
            text.contains("<td class=\"num\">1.50</td><td class=\"num\">failed</td>"),
            "{text}"
        );
    }
}
