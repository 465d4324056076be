//! The inspection: compares the code with the requirements and says GO or NOGO.

use std::fmt::Write;

use super::{counted, lead};
use crate::clock;
use crate::code::{self, Defect, PARTS};
use crate::page::Lead;
use crate::script::{Script, Verdict};
use crate::spec_json::SpecJson;
use crate::tasks;
use crate::trouble::Trouble;
use crate::workplace::{self, Workplace};

pub(super) fn inspect(
    script: &Script,
    round: u32,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    workplace.read(&workplace.document("requirements.md"))?;
    let plan = workplace.read(&workplace.document("tasks.md"))?;
    for (_, file) in COMPONENTS {
        let path = workplace.code(file);
        if path.exists() {
            workplace.read(&path)?;
        }
    }
    let defect = match script.inspection.verdicts.at(round) {
        Verdict::Go => None,
        Verdict::Nogo => Some(code::found(&script.inspection, round)?),
    };
    workplace.say(
        "I go through the criteria one by one and look for the code and the test that answer each.",
    )?;
    let result = look(workplace, &plan, defect);
    match &result.defect {
        None => workplace.say("Every criterion has code that does it and a test that shows it.")?,
        Some(defect) => workplace.say(&format!(
            "Criterion {} does not hold: {}",
            defect.requirement, defect.details
        ))?,
    }
    let report = report(workplace, round, &result)?;
    workplace.write(
        &workplace.document(&format!("inspection-{round}.md")),
        &report,
    )?;
    record(workplace, round, result.verdict())?;
    Ok(match &result.defect {
        None => format!("Inspection {round}: GO."),
        Some(defect) => format!("Inspection {round}: NOGO. {}.", defect.title),
    })
}

/// What the inspector has found.
struct InspectionResult {
    defect: Option<Defect>,
    /// `token_bucket.py:34`, the place of the defect.
    place: String,
    done: usize,
    total: usize,
    tests: usize,
    missing: Vec<&'static str>,
}

impl InspectionResult {
    fn verdict(&self) -> Verdict {
        match self.defect {
            None => Verdict::Go,
            Some(_) => Verdict::Nogo,
        }
    }
}

fn look(workplace: &Workplace<'_>, plan: &str, defect: Option<Defect>) -> InspectionResult {
    let (done, total) = tasks::progress(plan);
    let files = PARTS.iter().flat_map(|part| part.iter()).map(|file| file.0);
    let load = |name: &str| workplace::load(&workplace.code(name)).unwrap_or_default();
    InspectionResult {
        place: defect
            .as_ref()
            .map_or(String::new(), |d| place(d, &load(&d.file))),
        defect,
        done,
        total,
        tests: files
            .clone()
            .map(|name| load(name).matches("def test_").count())
            .sum(),
        missing: files
            .filter(|name| !workplace.code(name).exists())
            .collect(),
    }
}

fn place(defect: &Defect, text: &str) -> String {
    let line = text.lines().position(|line| line.contains(&defect.flawed));
    match line {
        Some(line) => format!("{}:{}", defect.file, line + 1),
        None => defect.file.clone(),
    }
}

fn record(workplace: &mut Workplace<'_>, round: u32, verdict: Verdict) -> Result<(), Trouble> {
    let path = workplace.document("spec.json");
    workplace.change(&path, |text| {
        let mut spec = SpecJson::parse(&path, text)?;
        spec.record_inspection(round, verdict, &clock::now())?;
        Ok(spec.text())
    })
}

fn report(
    workplace: &Workplace<'_>,
    round: u32,
    result: &InspectionResult,
) -> Result<String, Trouble> {
    let mut page = format!(
        "# Inspection Report - {}\n\n{}## Summary\n\n- **Date**: {}\n- **Judgment**: {}\n- **Inspector**: scripted agent\n- **Round**: {round}\n\n## Findings by Category\n\n",
        workplace.spec(),
        lead(Lead::Inspection, workplace)?,
        clock::now(),
        judgment(result),
    );
    page += &requirements(result);
    page += &design(result);
    page += &plan(result);
    page += &statistics(result);
    page += &actions(result);
    Ok(page)
}

fn judgment(result: &InspectionResult) -> &'static str {
    match result.verdict() {
        Verdict::Go => "GO",
        Verdict::Nogo => "NOGO",
    }
}

/// The criteria, and the file that meets each.
const CRITERIA: [(&str, &str, &str); 13] = [
    ("1.1", "a request with a token passes", "token_bucket.py"),
    ("1.2", "an empty bucket refuses", "token_bucket.py"),
    ("1.3", "a refusal says how long to wait", "token_bucket.py"),
    ("2.1", "tokens come back at the rate", "token_bucket.py"),
    ("2.2", "never above the capacity", "token_bucket.py"),
    ("2.3", "a clock that goes back", "token_bucket.py"),
    ("3.1", "one bucket per client", "limiter.py"),
    ("3.2", "new clients start full", "limiter.py"),
    ("3.3", "idle clients are forgotten", "limiter.py"),
    ("4.1", "limits are read", "settings.py"),
    ("4.2", "bad limits are quoted", "settings.py"),
    ("5.1", "429 with Retry-After", "gate.py"),
    ("5.2", "other requests pass unchanged", "gate.py"),
];

const COMPONENTS: [(&str, &str); 4] = [
    ("TokenBucket", "token_bucket.py"),
    ("Settings", "settings.py"),
    ("Limiter", "limiter.py"),
    ("Gate", "gate.py"),
];

fn requirements(result: &InspectionResult) -> String {
    let mut text = "### Requirements Compliance\n\n| Requirement | Status | Severity | Details |\n|---|---|---|---|\n".to_string();
    for (id, what, file) in CRITERIA {
        let _ = match &result.defect {
            Some(defect) if defect.requirement == id => {
                writeln!(
                    text,
                    "| {id} | FAIL | Critical | `{}`: {} |",
                    result.place, defect.details
                )
            }
            _ => writeln!(text, "| {id} | PASS | - | {what} (`{file}`) |"),
        };
    }
    text + "\n"
}

fn design(result: &InspectionResult) -> String {
    let mut text =
        "### Design Alignment\n\n| Component | Status | Severity | Details |\n|---|---|---|---|\n"
            .to_string();
    for (component, file) in COMPONENTS {
        let _ = match result.missing.contains(&file) {
            false => writeln!(
                text,
                "| {component} | PASS | - | `{file}` has the interface of the design |"
            ),
            true => writeln!(
                text,
                "| {component} | WARN | Minor | `{file}` was not found |"
            ),
        };
    }
    text + "\n"
}

fn plan(result: &InspectionResult) -> String {
    let InspectionResult { done, total, .. } = result;
    let (status, severity) = if done == total {
        ("PASS", "-")
    } else {
        ("WARN", "Minor")
    };
    format!(
        "### Task Completion\n\n| Task | Status | Severity | Details |\n|---|---|---|---|\n| tasks.md | {status} | {severity} | {done} of {total} boxes are ticked |\n\n",
    )
}

fn statistics(result: &InspectionResult) -> String {
    let critical = usize::from(result.defect.is_some());
    let absent = |(_, file): &&(&str, &str)| result.missing.contains(file);
    let absent = COMPONENTS.iter().filter(absent).count();
    let minor = absent + usize::from(result.done != result.total);
    // One more for tasks.md.
    let checks = CRITERIA.len() + COMPONENTS.len() + 1;
    format!(
        "## Statistics\n\n- Total checks: {checks}\n- Passed: {}\n- Critical: {critical}\n- Major: 0\n- Minor: {minor}\n- Tests in the code: {}\n\n",
        checks - critical - minor,
        result.tests,
    )
}

fn actions(result: &InspectionResult) -> String {
    match &result.defect {
        None => format!(
            "## Recommended Actions\n\nNone.\n\n## Next Steps\n\nReady for deployment, with {} in the code.\n",
            counted(result.tests, "test", "tests"),
        ),
        Some(defect) => format!(
            "## Recommended Actions\n\n1. **Critical** `{}`: {}.\n2. Add the missing test to `{}`.\n\n## Next Steps\n\nRepair the finding and inspect again.\n",
            result.place, defect.repair, defect.test_file,
        ),
    }
}
