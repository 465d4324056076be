//! One file per kind of step. Each does its work and returns a closing sentence.

mod documents;
mod fix;
mod implement;
mod inspection;
mod merge;
mod reply;
mod review;

use crate::env::{Assignment, Step};
use crate::page::{self, Lead};
use crate::script::Script;
use crate::spec_json;
use crate::trouble::Trouble;
use crate::workplace::{self, Workplace};

pub(crate) fn play(
    job: &Assignment,
    script: &Script,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    match job.step {
        Step::Requirements => documents::requirements(script, workplace),
        Step::Design => documents::design(script, workplace),
        Step::Tasks => documents::tasks(script, workplace),
        Step::Review => review::review(script, job.round, workplace),
        Step::Reply => reply::reply(script, job.round, workplace),
        Step::Impl => implement::implement(script, job.round, workplace),
        Step::Inspect => inspection::inspect(script, job.round, workplace),
        Step::Fix => fix::fix(script, job.round, workplace),
        Step::Merge => merge::merge(workplace),
    }
}

/// The first sentence of a document in the language of the spec.
fn lead(kind: Lead, workplace: &Workplace<'_>) -> Result<String, Trouble> {
    let spec_json = workplace::load(&workplace.document("spec.json"))?;
    Ok(page::lead(
        kind,
        spec_json::language(&spec_json),
        workplace.spec(),
    ))
}

/// `1 fix`, `2 fixes`
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
