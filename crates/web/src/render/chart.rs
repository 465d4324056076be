//! Charts as SVG, made from data alone. Horizontal sizes are in percent of the available width, so
//! that text is as large on a phone as elsewhere; colours come from the style sheet.

mod scores;
mod timeline;

use maud::{Markup, html};

pub use scores::{Point, Series, scores, scores_table};
pub use timeline::{Bar, How, Lane, timeline};

/// How many series have a colour of their own.
pub const COLOURS: usize = 8;

/// The class of a series; series without a colour share one class.
fn class(colour: Option<usize>) -> String {
    match colour {
        Some(colour) => format!("series-{}", colour % COLOURS),
        None => "series-rest".to_owned(),
    }
}

/// The names of the series with their colours.
pub fn legend<'a>(names: impl Iterator<Item = (&'a str, Option<usize>)>) -> Markup {
    html! {
        ul.legend {
            @for (name, colour) in names {
                li { (swatch(colour)) " " (name) }
            }
        }
    }
}

pub fn swatch(colour: Option<usize>) -> Markup {
    html! { span class={ "swatch " (class(colour)) } aria-hidden="true" {} }
}

/// A bar that fills `share` of its width, for a table cell.
pub fn meter(share: f64, title: &str) -> Markup {
    let share = if share.is_finite() { share } else { 0.0 };
    html! {
        svg.meter width="100%" height="10" role="img" aria-label=(title) {
            title { (title) }
            rect.ground width="100%" height="10" rx="3" {}
            rect.series-0 width=(percent(share.clamp(0.0, 1.0) * 100.0)) height="10" rx="3" {}
        }
    }
}

fn percent(value: f64) -> String {
    format!("{value:.2}%")
}

/// The smallest of 1, 2 or 5 times a power of ten that covers `span` in at most `most` steps.
fn step(span: f64, most: f64) -> f64 {
    let raw = span / most;
    let unit = 10_f64.powf(raw.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|it| it * unit);
    let enough = steps.into_iter().find(|step| *step >= raw * 0.999_999);
    enough.unwrap_or(10.0 * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        let rows = [
            (100.0, 20.0),
            (99.0, 20.0),
            (10.0, 2.0),
            (24.0, 5.0),
            (3.0, 1.0),
        ];
        for (span, wanted) in rows {
            let found = step(span, 5.0);
            assert!((found - wanted).abs() < 1e-9, "{span}: {found}");
        }
    }

    #[test]
    fn a_meter_stays_within_its_place() {
        for (share, wanted) in [
            (0.0, "0.00%"),
            (0.5, "50.00%"),
            (7.0, "100.00%"),
            (-1.0, "0.00%"),
            (f64::NAN, "0.00%"),
        ] {
            let text = meter(share, "x").into_string();
            assert!(text.contains(&format!("width=\"{wanted}\"")), "{text}");
        }
    }

    #[test]
    fn names_in_a_legend_and_a_title_are_escaped() {
        let bad = "<script>alert(1)</script>";
        let text = legend([(bad, Some(9))].into_iter()).into_string() + &meter(1.0, bad).0;
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("series-1"), "{text}");
    }
}
