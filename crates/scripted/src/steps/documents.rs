//! Requirements, design, tasks.

use super::lead;
use crate::page::{self, Lead};
use crate::script::{Script, Text};
use crate::tasks;
use crate::trouble::Trouble;
use crate::workplace::{self, Workplace};

pub(super) fn requirements(
    script: &Script,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    workplace.say(
        "I start with what has to be true for the people who use this, one testable sentence each.",
    )?;
    let path = workplace.document("requirements.md");
    // A person's description stays at the top of the document.
    let stub = workplace::load(&path).unwrap_or_default();
    let description = page::section(&stub, "## Project Description").unwrap_or_default();
    let template = text(&script.document.requirements, REQUIREMENTS)
        .replace("{{lead}}", &lead(Lead::Requirements, workplace)?)
        .replace("{{description}}", &description);
    workplace.write(&path, &page::fill(&template, workplace.spec()))?;
    workplace.say(
        "Every criterion is in EARS form, so that it can be checked later by an inspection.",
    )?;
    Ok("Wrote requirements.md: acceptance criteria in EARS form, and what is out of scope.".into())
}

pub(super) fn design(script: &Script, workplace: &mut Workplace<'_>) -> Result<String, Trouble> {
    workplace.read(&workplace.document("requirements.md"))?;
    workplace.say("The requirements ask for small decisions that never wait. A token bucket per client, refilled when it is asked, needs no timer and no thread.")?;
    let template =
        text(&script.document.design, DESIGN).replace("{{lead}}", &lead(Lead::Design, workplace)?);
    let path = workplace.document("design.md");
    workplace.write(&path, &page::fill(&template, workplace.spec()))?;
    workplace.say("Each component names the requirements it answers.")?;
    Ok("Wrote design.md: architecture with a diagram, components and interfaces, error handling, testing.".into())
}

pub(super) fn tasks(script: &Script, workplace: &mut Workplace<'_>) -> Result<String, Trouble> {
    workplace.read(&workplace.document("requirements.md"))?;
    workplace.read(&workplace.document("design.md"))?;
    workplace.say("I split the work from the inside out: the bucket, the limiter around it, the gate in front.")?;
    let template =
        text(&script.document.tasks, TASKS).replace("{{lead}}", &lead(Lead::Tasks, workplace)?);
    let plan = page::fill(&template, workplace.spec());
    workplace.write(&workplace.document("tasks.md"), &plan)?;
    let (_, total) = tasks::progress(&plan);
    workplace.say("The appendix shows that every criterion has a task.")?;
    Ok(format!(
        "Wrote tasks.md: {total} boxes, (P) marks what can be done at the same time."
    ))
}

const REQUIREMENTS: &str = include_str!("../../texts/requirements.md");
const DESIGN: &str = include_str!("../../texts/design.md");
const TASKS: &str = include_str!("../../texts/tasks.md");

fn text<'t>(other: &'t Option<Text>, built_in: &'t str) -> &'t str {
    other.as_ref().map_or(built_in, |other| &other.text)
}
