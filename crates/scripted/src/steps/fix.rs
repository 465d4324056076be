//! The fix after a NOGO: repairs what the last inspection found.

use crate::clock;
use crate::code::{self, Defect, TESTS_END};
use crate::script::{Script, Verdict};
use crate::spec_json::SpecJson;
use crate::tasks;
use crate::trouble::Trouble;
use crate::workplace::{self, Workplace};

pub(super) fn fix(
    script: &Script,
    round: u32,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    let spec_json = workplace.document("spec.json");
    let recorded = SpecJson::parse(&spec_json, &workplace::load(&spec_json)?)?.last_inspection();
    let inspection = recorded.unwrap_or(round);
    workplace.read(&workplace.document(&format!("inspection-{inspection}.md")))?;
    if script.inspection.verdicts.at(inspection) == Verdict::Go {
        return Ok(format!(
            "Inspection {inspection} said GO: there is nothing to repair."
        ));
    }
    let defect = code::found(&script.inspection, inspection)?;
    workplace.say(&format!(
        "{}. I write the test that shows it, then the repair.",
        defect.title
    ))?;
    repair(&defect, workplace)?;
    tick(&defect, inspection, workplace)?;
    workplace.change(&spec_json, |text| {
        let mut spec = SpecJson::parse(&spec_json, text)?;
        spec.record_fix(&clock::now())?;
        Ok(spec.text())
    })?;
    Ok(format!(
        "{}, with a test. Ready to be inspected again.",
        defect.repair
    ))
}

/// Code that is not ours, or already repaired, is left alone.
fn repair(defect: &Defect, workplace: &mut Workplace<'_>) -> Result<(), Trouble> {
    let tests = workplace.code(&defect.test_file);
    if tests.exists() && !workplace::load(&tests)?.contains(&defect.test) {
        let test = format!("{}{TESTS_END}", defect.test);
        workplace.edit(&tests, TESTS_END, &test)?;
    }
    let code = workplace.code(&defect.file);
    let repaired = code.exists() && workplace.edit(&code, &defect.flawed, &defect.sound)?;
    match repaired {
        true => Ok(()),
        false => workplace
            .say("The code does not have this line any more, so there is nothing to change in it."),
    }
}

/// A fix is ordinary work, so it gets a line in the plan.
fn tick(defect: &Defect, inspection: u32, workplace: &mut Workplace<'_>) -> Result<(), Trouble> {
    let title = format!(
        "{}\n  - `demo/{}/{}`, test in `{}`\n  - _Requirements: {}_",
        defect.repair,
        workplace.spec(),
        defect.file,
        defect.test_file,
        defect.requirement
    );
    let path = workplace.document("tasks.md");
    workplace.change(&path, |text| {
        let added = tasks::add_fix(text, inspection, &clock::today(), &title);
        Ok(added.unwrap_or_else(|| text.to_string()))
    })
}
