//! The fix after a NOGO: repairs what the last inspection found.

use crate::clock;
use crate::code::{self, Defect, TESTS_END};
use crate::desk::{self, Desk};
use crate::script::{Script, Verdict};
use crate::spec_json::SpecJson;
use crate::tasks;
use crate::trouble::Trouble;

pub(super) fn fix(script: &Script, round: u32, desk: &mut Desk<'_>) -> Result<String, Trouble> {
    let spec_json = desk.document("spec.json");
    let recorded = SpecJson::parse(&spec_json, &desk::load(&spec_json)?)?.last_inspection();
    let inspection = recorded.unwrap_or(round);
    desk.read(&desk.document(&format!("inspection-{inspection}.md")))?;
    if script.inspection.verdicts.at(inspection) == Verdict::Go {
        return Ok(format!(
            "Inspection {inspection} said GO: there is nothing to repair."
        ));
    }
    let defect = code::found(&script.inspection, inspection)?;
    desk.say(&format!(
        "{}. I write the test that shows it, then the repair.",
        defect.title
    ))?;
    repair(&defect, desk)?;
    tick(&defect, inspection, desk)?;
    desk.change(&spec_json, |text| {
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
fn repair(defect: &Defect, desk: &mut Desk<'_>) -> Result<(), Trouble> {
    let tests = desk.code(&defect.test_file);
    if tests.exists() && !desk::load(&tests)?.contains(&defect.test) {
        let test = format!("{}{TESTS_END}", defect.test);
        desk.edit(&tests, TESTS_END, &test)?;
    }
    let code = desk.code(&defect.file);
    let repaired = code.exists() && desk.edit(&code, &defect.flawed, &defect.sound)?;
    match repaired {
        true => Ok(()),
        false => desk
            .say("The code does not have this line any more, so there is nothing to change in it."),
    }
}

/// A fix is ordinary work, so it gets a line in the plan.
fn tick(defect: &Defect, inspection: u32, desk: &mut Desk<'_>) -> Result<(), Trouble> {
    let title = format!(
        "{}\n  - `demo/{}/{}`, test in `{}`\n  - _Requirements: {}_",
        defect.repair,
        desk.spec(),
        defect.file,
        defect.test_file,
        defect.requirement
    );
    let path = desk.document("tasks.md");
    desk.change(&path, |text| {
        let added = tasks::add_fix(text, inspection, &clock::today(), &title);
        Ok(added.unwrap_or_else(|| text.to_string()))
    })
}
