//! One file per kind of step. Each does its work and returns a closing sentence.

mod documents;
mod fix;
mod implement;
mod inspection;
mod merge;
mod reply;
mod review;

use crate::desk::{self, Desk};
use crate::env::{Job, Step};
use crate::page::{self, Lead};
use crate::script::Script;
use crate::spec_json;
use crate::trouble::Trouble;

pub(crate) fn play(job: &Job, script: &Script, desk: &mut Desk<'_>) -> Result<String, Trouble> {
    match job.step {
        Step::Requirements => documents::requirements(script, desk),
        Step::Design => documents::design(script, desk),
        Step::Tasks => documents::tasks(script, desk),
        Step::Review => review::review(script, job.round, desk),
        Step::Reply => reply::reply(script, job.round, desk),
        Step::Impl => implement::implement(script, job.round, desk),
        Step::Inspect => inspection::inspect(script, job.round, desk),
        Step::Fix => fix::fix(script, job.round, desk),
        Step::Merge => merge::merge(desk),
    }
}

/// The first sentence of a document in the language of the spec.
fn lead(kind: Lead, desk: &Desk<'_>) -> Result<String, Trouble> {
    let spec_json = desk::load(&desk.document("spec.json"))?;
    Ok(page::lead(
        kind,
        spec_json::language(&spec_json),
        desk.spec(),
    ))
}

/// `1 fix`, `2 fixes`
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
