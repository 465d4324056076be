//! The merge: a demo has nothing to merge into, so it only says what it would do.

use crate::code::PARTS;
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) fn merge(desk: &mut Desk<'_>) -> Result<String, Trouble> {
    let spec = desk.spec();
    let files = PARTS.iter().flat_map(|part| part.iter()).map(|file| file.0);
    let files: Vec<_> = files.filter(|name| desk.code(name).exists()).collect();
    desk.say(&format!(
        "I would merge {spec} as one commit with these files of demo/{spec}/: {}.",
        files.join(", ")
    ))?;
    Ok(format!(
        "{spec} would be merged now. The scripted agent leaves git alone."
    ))
}
