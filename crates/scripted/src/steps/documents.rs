//! Requirements, design, tasks.

use super::lead;
use crate::desk::{self, Desk};
use crate::page::{self, Lead};
use crate::script::{Script, Text};
use crate::tasks;
use crate::trouble::Trouble;

pub(super) fn requirements(script: &Script, desk: &mut Desk<'_>) -> Result<String, Trouble> {
    desk.say(
        "I start with what has to be true for the people who use this, one testable sentence each.",
    )?;
    let path = desk.document("requirements.md");
    // A person's description stays at the top of the document.
    let stub = desk::load(&path).unwrap_or_default();
    let description = page::section(&stub, "## Project Description").unwrap_or_default();
    let template = text(&script.document.requirements, REQUIREMENTS)
        .replace("{{lead}}", &lead(Lead::Requirements, desk)?)
        .replace("{{description}}", &description);
    desk.write(&path, &page::fill(&template, desk.spec()))?;
    desk.say("Every criterion is in EARS form, so that it can be checked later by an inspection.")?;
    Ok("Wrote requirements.md: acceptance criteria in EARS form, and what is out of scope.".into())
}

pub(super) fn design(script: &Script, desk: &mut Desk<'_>) -> Result<String, Trouble> {
    desk.read(&desk.document("requirements.md"))?;
    desk.say("The requirements ask for small decisions that never wait. A token bucket per client, refilled when it is asked, needs no timer and no thread.")?;
    let template =
        text(&script.document.design, DESIGN).replace("{{lead}}", &lead(Lead::Design, desk)?);
    let path = desk.document("design.md");
    desk.write(&path, &page::fill(&template, desk.spec()))?;
    desk.say("Each component names the requirements it answers.")?;
    Ok("Wrote design.md: architecture with a diagram, components and interfaces, error handling, testing.".into())
}

pub(super) fn tasks(script: &Script, desk: &mut Desk<'_>) -> Result<String, Trouble> {
    desk.read(&desk.document("requirements.md"))?;
    desk.read(&desk.document("design.md"))?;
    desk.say("I split the work from the inside out: the bucket, the limiter around it, the gate in front.")?;
    let template =
        text(&script.document.tasks, TASKS).replace("{{lead}}", &lead(Lead::Tasks, desk)?);
    let plan = page::fill(&template, desk.spec());
    desk.write(&desk.document("tasks.md"), &plan)?;
    let (_, total) = tasks::progress(&plan);
    desk.say("The appendix shows that every criterion has a task.")?;
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
