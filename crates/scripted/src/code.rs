//! The code that the agent writes: a small rate limiter in Python, and its defects until an
//! inspection finds them.

use std::path::Path;

use serde::Deserialize;

use crate::script::{self, Inspection};
use crate::trouble::Trouble;

/// A file of the code: its name and its correct text.
pub(crate) type File = (&'static str, &'static str);

/// The code in the order of the tasks.
pub(crate) const PARTS: [&[File]; 3] = [
    &[
        (
            "token_bucket.py",
            include_str!("../texts/code/token_bucket.py"),
        ),
        (
            "test_token_bucket.py",
            include_str!("../texts/code/test_token_bucket.py"),
        ),
    ],
    &[
        ("settings.py", include_str!("../texts/code/settings.py")),
        (
            "test_settings.py",
            include_str!("../texts/code/test_settings.py"),
        ),
        ("limiter.py", include_str!("../texts/code/limiter.py")),
        (
            "test_limiter.py",
            include_str!("../texts/code/test_limiter.py"),
        ),
    ],
    &[
        ("gate.py", include_str!("../texts/code/gate.py")),
        ("test_gate.py", include_str!("../texts/code/test_gate.py")),
        ("README.md", include_str!("../texts/code/README.md")),
    ],
];

/// A defect in the code that an inspection finds and a fix repairs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defect {
    pub title: String,
    pub requirement: String,
    pub file: String,
    pub details: String,
    pub repair: String,
    pub sound: String,
    pub flawed: String,
    pub test_file: String,
    pub test: String,
}

/// The defects in the code of this script: one for each future NOGO.
pub(crate) fn defects(inspection: &Inspection) -> Result<Vec<Defect>, Trouble> {
    let mut defects = all()?;
    defects.truncate(inspection.verdicts.nogos());
    Ok(defects)
}

/// The defect that inspection `round` finds if it says NOGO. If a script has more NOGO verdicts
/// than there are defects, the last defect is found again.
pub(crate) fn found(inspection: &Inspection, round: u32) -> Result<Defect, Trouble> {
    let mut defects = all()?;
    let index = inspection.verdicts.nogos_before(round);
    Ok(defects.swap_remove(index.min(defects.len() - 1)))
}

/// The first version of a file, with these defects and without the tests that show them.
pub(crate) fn first_draft(file: &File, defects: &[Defect]) -> String {
    let (name, sound) = file;
    let mut text = sound.to_string();
    for defect in defects {
        if defect.file == *name {
            text = text.replacen(&defect.sound, &defect.flawed, 1);
        }
        if defect.test_file == *name {
            text = text.replacen(&defect.test, "", 1);
        }
    }
    text
}

/// The end of a file's tests; a new test goes before it.
pub(crate) const TESTS_END: &str = "\n\nif __name__ == \"__main__\":";

fn all() -> Result<Vec<Defect>, Trouble> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Texts {
        defect: Vec<Defect>,
    }
    let text = include_str!("../texts/defects.toml");
    script::parse(Path::new("texts/defects.toml"), text).map(|texts: Texts| texts.defect)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound(name: &str) -> &'static str {
        let mut files = PARTS.iter().flat_map(|part| part.iter());
        files.find(|file| file.0 == name).unwrap().1
    }

    #[test]
    fn each_defect_can_be_put_in_and_taken_out() {
        for defect in all().unwrap() {
            let code = sound(&defect.file);
            assert_eq!(code.matches(&defect.sound).count(), 1, "{}", defect.title);
            assert!(!code.contains(&defect.flawed), "{}", defect.title);
            let tests = sound(&defect.test_file);
            assert_eq!(tests.matches(&defect.test).count(), 1, "{}", defect.title);
            assert_eq!(tests.matches(TESTS_END).count(), 1);
        }
    }

    #[test]
    fn there_are_as_many_defects_as_verdicts_against_the_code() {
        assert_eq!(defects(&Inspection::default()).unwrap().len(), 1);
        let texts = [
            ("[\"go\"]", 0),
            ("[\"nogo\"]", 3),
            ("[\"nogo\", \"nogo\", \"go\"]", 2),
        ];
        for (verdicts, count) in texts {
            let text = format!("verdicts = {verdicts}");
            let inspection: Inspection = script::parse(Path::new("s"), &text).unwrap();
            assert_eq!(defects(&inspection).unwrap().len(), count, "{verdicts}");
        }
    }
}
