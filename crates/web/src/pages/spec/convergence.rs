//! Whether the rounds of a review converge, as a picture and as a sentence.

use kumite_core::facts::Findings;
use maud::{Markup, html};

/// The direction of the counts of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// One round is not enough to tell.
    TooEarly,
    Settled,
    Falling,
    Stuck,
    Diverging,
}

/// A round with its open findings.
pub type Counted = (u32, Findings);

/// Compares the last round with all rounds before it.
pub fn trend(rounds: &[Counted]) -> Trend {
    let totals: Vec<u32> = rounds.iter().map(|(_, found)| total(*found)).collect();
    let Some((last, before)) = totals.split_last() else {
        return Trend::TooEarly;
    };
    match (before.first(), before.iter().min()) {
        _ if *last == 0 => Trend::Settled,
        (Some(first), _) if last > first => Trend::Diverging,
        (_, Some(least)) if last < least => Trend::Falling,
        (Some(_), _) => Trend::Stuck,
        (None, _) => Trend::TooEarly,
    }
}

fn total(found: Findings) -> u32 {
    found.fix_required.saturating_add(found.needs_discussion)
}

pub fn sentence(rounds: &[Counted]) -> Option<String> {
    let (_, last) = rounds.last()?;
    let row: Vec<String> = rounds
        .iter()
        .map(|(_, found)| total(*found).to_string())
        .collect();
    let row = row.join(", ");
    Some(match trend(rounds) {
        Trend::TooEarly => format!("The first round left {row} open."),
        Trend::Settled => match rounds.len() {
            1 => "The first round found nothing to do.".to_owned(),
            _ => format!("Settled: the rounds left {row} open."),
        },
        Trend::Falling => {
            format!("Falling: the rounds left {row} open, fewer each time it counts.")
        }
        Trend::Stuck => format!(
            "Stuck: the rounds left {row} open; the last one, with {}, brought no progress.",
            total(*last)
        ),
        Trend::Diverging => format!(
            "Diverging: the rounds left {row} open; there is more to do than at the beginning."
        ),
    })
}

const BAR: u32 = 30;
const GAP: u32 = 16;
const HEIGHT: u32 = 80;
/// Space for the count above a bar, and for the round number below it.
const ABOVE: u32 = 18;
const BELOW: u32 = 20;
/// More rounds do not fit on a page.
const SHOWN_MAX: usize = 24;

/// The sentence, and the picture that shows why.
pub fn figure(rounds: &[Counted]) -> Markup {
    match (rounds, sentence(rounds)) {
        ([_], Some(sentence)) => html! { p.muted #convergence { (sentence) } },
        _ => chart(rounds),
    }
}

/// One bar per round: findings to fix, and on top the findings to discuss.
fn chart(rounds: &[Counted]) -> Markup {
    let shown = &rounds[rounds.len().saturating_sub(SHOWN_MAX)..];
    let totals = shown.iter().map(|(_, found)| total(*found));
    let most = totals.max().unwrap_or(0).max(1);
    html! {
        figure.chart.stack #convergence {
            svg height=(ABOVE + HEIGHT + BELOW) role="img" aria-label="Open points of each round" {
                @for (index, round) in (0..).zip(shown) { (bar(GAP / 2 + index * (BAR + GAP), *round, most)) }
            }
            figcaption {
                ul.legend {
                    li { span.swatch.series-0 aria-hidden="true" {} " to fix" }
                    li { span.swatch.series-1 aria-hidden="true" {} " to discuss" }
                }
                @if let Some(sentence) = sentence(rounds) { p { (sentence) } }
            }
        }
    }
}

fn bar(x: u32, (number, found): Counted, most: u32) -> Markup {
    let high = |count: u32| {
        let high = u64::from(count) * u64::from(HEIGHT) / u64::from(most);
        u32::try_from(high)
            .unwrap_or(HEIGHT)
            .clamp(u32::from(count > 0) * 3, HEIGHT)
    };
    let fix = high(found.fix_required);
    let discuss = high(found.needs_discussion).min(HEIGHT - fix);
    let floor = ABOVE + HEIGHT;
    let top = floor - fix - discuss;
    html! {
        g {
            title {
                "Round " (number) ": " (found.fix_required) " to fix, " (found.needs_discussion) " to discuss"
            }
            rect.series-0 x=(x) y=(floor - fix) width=(BAR) height=(fix) {}
            rect.series-1 x=(x) y=(top) width=(BAR) height=(discuss) {}
            text x=(x + BAR / 2) y=(top - 5) text-anchor="middle" { (total(found)) }
            text x=(x + BAR / 2) y=(floor + BELOW - 4) text-anchor="middle" { (number) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(totals: &[u32]) -> Vec<Counted> {
        let found = |fix_required: &u32| Findings {
            fix_required: *fix_required,
            needs_discussion: 0,
        };
        (1..).zip(totals.iter().map(found)).collect()
    }

    #[test]
    fn a7_the_trend_is_that_of_the_last_round() {
        let rows: [(&[u32], Trend); 11] = [
            (&[], Trend::TooEarly),
            (&[4], Trend::TooEarly),
            (&[0], Trend::Settled),
            (&[5, 3, 0], Trend::Settled),
            (&[5, 3, 1], Trend::Falling),
            (&[5, 2, 3, 1], Trend::Falling),
            (&[5, 3, 3], Trend::Stuck),
            (&[5, 1, 4], Trend::Stuck),
            (&[2, 2], Trend::Stuck),
            (&[2, 1, 5], Trend::Diverging),
            (&[1, u32::MAX], Trend::Diverging),
        ];
        for (totals, wanted) in rows {
            assert_eq!(trend(&rounds(totals)), wanted, "{totals:?}");
        }
    }

    #[test]
    fn a7_the_sentence_names_the_counts() {
        assert_eq!(sentence(&[]), None);
        let said = sentence(&rounds(&[5, 3, 3])).unwrap();
        assert!(
            said.starts_with("Stuck: the rounds left 5, 3, 3 open"),
            "{said}"
        );
    }

    #[test]
    fn a7_the_chart_stays_in_its_frame_whatever_the_counts_are() {
        let found = Findings {
            fix_required: u32::MAX,
            needs_discussion: u32::MAX,
        };
        let html = chart(&[(1, found), (u32::MAX, Findings::default())]).into_string();
        assert!(html.contains("height=\"80\""), "{html}");
        assert!(!html.contains("y=\"-"), "{html}");
    }
}
