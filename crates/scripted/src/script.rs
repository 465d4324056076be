//! The script: how the rounds end. `texts/script.toml` documents it.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::trouble::Trouble;

/// The content of a script. Absent values come from the built-in script.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Script {
    pub pace: Pace,
    pub review: Review,
    pub r#impl: Impl,
    pub inspection: Inspection,
    pub cost: Cost,
    pub document: Documents,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Review {
    pub fix_required: PerRound<u32>,
    pub needs_discussion: PerRound<u32>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Impl {
    pub ticks: PerRound<u32>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Inspection {
    pub verdicts: PerRound<Verdict>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Go,
    Nogo,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Cost {
    pub usd_per_step: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Documents {
    pub requirements: Option<Text>,
    pub design: Option<Text>,
    pub tasks: Option<Text>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub text: String,
}

impl Script {
    /// The script of this agent: the given one, or the built-in one.
    pub fn load(project: &Path, named: Option<&Path>) -> Result<Script, Trouble> {
        let Some(named) = named else {
            return parse(Path::new("texts/script.toml"), BUILT_IN);
        };
        let path = project.join(named);
        let text = std::fs::read_to_string(&path).map_err(|source| Trouble::Read {
            path: path.clone(),
            source,
        })?;
        parse(&path, &text)
    }
}

pub(crate) const BUILT_IN: &str = include_str!("../texts/script.toml");

/// Reads TOML; an error names its line.
pub(crate) fn parse<T: for<'de> Deserialize<'de>>(path: &Path, text: &str) -> Result<T, Trouble> {
    toml::from_str(text).map_err(|error| Trouble::Script {
        path: path.to_path_buf(),
        line: error.span().map_or(1, |span| line_at(text, span.start)),
        problem: error.message().to_string(),
    })
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    before.filter(|byte| **byte == b'\n').count() + 1
}

/// The pause between two lines of output.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pace(pub Duration);

impl TryFrom<String> for Pace {
    type Error = String;

    fn try_from(text: String) -> Result<Pace, String> {
        let pace = duration(&text).map(Pace);
        pace.ok_or_else(|| format!("{text:?} is no duration; write it like \"400ms\" or \"2s\""))
    }
}

/// `0`, `50ms`, `2s`, at most an hour.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, millis) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1),
        (None, Some(number)) => (number, 1_000),
        // Without a unit only 0 is clear.
        (None, None) => return (text == "0").then_some(Duration::ZERO),
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(millis)?;
    (millis <= 3_600_000).then(|| Duration::from_millis(millis))
}

/// One value per round; after the end of the list, the last one repeats.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Vec<T>", bound = "T: Deserialize<'de>")]
pub(crate) struct PerRound<T>(Vec<T>);

impl<T> TryFrom<Vec<T>> for PerRound<T> {
    type Error = &'static str;

    fn try_from(values: Vec<T>) -> Result<PerRound<T>, &'static str> {
        if values.is_empty() {
            return Err("an empty list; at least one round must be given");
        }
        Ok(PerRound(values))
    }
}

impl<T: Copy> PerRound<T> {
    pub fn at(&self, round: u32) -> T {
        let index = round.saturating_sub(1) as usize;
        self.0[index.min(self.0.len() - 1)]
    }
}

impl PerRound<u32> {
    /// The sum of all rounds before this one.
    pub fn before(&self, round: u32) -> usize {
        let counts = (1..round).map(|earlier| self.at(earlier));
        counts.fold(0, |sum, count| sum + count as usize)
    }
}

impl PerRound<Verdict> {
    /// How many inspections before this one say NOGO.
    pub fn nogos_before(&self, round: u32) -> usize {
        let verdicts = (1..round).map(|earlier| self.at(earlier));
        verdicts.filter(|v| *v == Verdict::Nogo).count()
    }

    /// How many inspections say NOGO in total, in the three rounds of a usual run or in as many as
    /// are listed.
    pub fn nogos(&self) -> usize {
        let listed = u32::try_from(self.0.len()).unwrap_or(u32::MAX - 1);
        self.nogos_before(listed.max(3) + 1)
    }
}

// The defaults repeat the built-in script; a test compares the two.

impl Default for Script {
    fn default() -> Script {
        Script {
            pace: Pace(Duration::from_millis(400)),
            review: Review::default(),
            r#impl: Impl::default(),
            inspection: Inspection::default(),
            cost: Cost::default(),
            document: Documents::default(),
        }
    }
}

impl Default for Review {
    fn default() -> Review {
        Review {
            fix_required: listed([3, 1, 0]),
            needs_discussion: listed([0, 0, 0]),
        }
    }
}

impl Default for Impl {
    fn default() -> Impl {
        Impl {
            ticks: listed([3, 3, 99]),
        }
    }
}

impl Default for Inspection {
    fn default() -> Inspection {
        Inspection {
            verdicts: listed([Verdict::Nogo, Verdict::Go]),
        }
    }
}

impl Default for Cost {
    fn default() -> Cost {
        Cost { usd_per_step: 0.04 }
    }
}

fn listed<T, const N: usize>(values: [T; N]) -> PerRound<T> {
    const { assert!(N > 0) };
    PerRound(values.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        parse::<Script>(Path::new("demo.toml"), text)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_defaults_are_those_of_the_built_in_script() {
        let built_in: Script = parse(Path::new("script.toml"), BUILT_IN).unwrap();
        assert_eq!(built_in, Script::default());
    }

    #[test]
    fn a_script_may_say_only_what_it_changes() {
        let script: Script = parse(Path::new("s"), "[review]\nfix_required = [2]\n").unwrap();
        assert_eq!(script.review.fix_required.at(7), 2);
        assert_eq!(script.inspection, Inspection::default());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, start) in [
            ("\n[review]\nfixes = [1]\n", "demo.toml:3: unknown field"),
            ("[impl]\nticks = []\n", "demo.toml:2: an empty list"),
            (
                "\n\npace = \"soon\"\n",
                "demo.toml:3: \"soon\" is no duration",
            ),
            (
                "[inspection]\n\nverdicts = [\"maybe\"]",
                "demo.toml:3: unknown variant",
            ),
            ("[review\n", "demo.toml:1: "),
        ] {
            assert!(problem(text).starts_with(start), "{}", problem(text));
        }
    }

    #[test]
    fn durations_have_a_unit_unless_they_are_nothing() {
        let millis = |text| duration(text).map(|d| d.as_millis());
        assert_eq!(millis("0"), Some(0));
        assert_eq!(millis("50ms"), Some(50));
        assert_eq!(millis("2s"), Some(2_000));
        for wrong in ["", "5", "s", "-1s", "2h", "99999999999999999999s"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }
}
