//! Edits of spec.json, as a careful agent makes them.

use std::path::Path;
use std::{fs, io, process};

use serde_json::{Map, Value, json};

use crate::documents::SOME_TIME;
use crate::play::{Action, Counts, Names, Verdict, VerdictIn};

/// Reads, edits and replaces a JSON object in one step; unknown keys and the order stay.
pub fn edit(path: &Path, edit: impl FnOnce(&mut Value)) -> io::Result<()> {
    let mut value: Value = serde_json::from_slice(&fs::read(path)?)?;
    if !value.is_object() {
        return Err(io::Error::other("it is not a JSON object"));
    }
    edit(&mut value);
    let beside = path.with_file_name(format!(".spec.json.{}.tmp", process::id()));
    fs::write(&beside, format!("{value:#}\n"))?;
    fs::rename(&beside, path)
}

pub fn record_reply(spec: &mut Value, round: u32, action: &Action) {
    let fix = action.fix + u32::from(matches!(action.counts, Counts::Conflict));
    let fix_status = match (fix, action.discuss) {
        (0, 0) => "not_required",
        (_, 0) => "applied",
        (_, _) => "pending",
    };
    let (fix_name, discuss_name) = match action.names {
        Names::Seed => ("fixRequiredCount", "needsDiscussionCount"),
        Names::Shipped => ("fixRequired", "needsDiscussion"),
    };
    let details = entry(
        &mut object(spec, "documentReview")["roundDetails"],
        "roundNumber",
        round,
    );
    details["status"] = json!("reply_complete");
    details["fixStatus"] = json!(fix_status);
    details[fix_name] = json!(fix);
    details[discuss_name] = json!(action.discuss);
    details["replyCompletedAt"] = json!(SOME_TIME);
}

pub fn record_inspection(spec: &mut Value, round: u32, action: &Action) {
    let passed = matches!(action.verdict, Verdict::Go);
    let conflict = matches!(action.verdict_in, VerdictIn::Conflict);
    let result = if passed != conflict { "go" } else { "nogo" };
    let details = entry(&mut object(spec, "inspection")["rounds"], "number", round);
    details["result"] = json!(result);
    details["inspectedAt"] = json!(SOME_TIME);
}

pub fn record_fix(spec: &mut Value) {
    let rounds = spec
        .pointer_mut("/inspection/rounds")
        .and_then(Value::as_array_mut);
    if let Some(last) = rounds.and_then(|rounds| rounds.last_mut())
        && last["result"] == "nogo"
    {
        last["fixedAt"] = json!(SOME_TIME);
    }
}

/// The object under `key`, created if missing.
fn object<'a>(spec: &'a mut Value, key: &str) -> &'a mut Value {
    let value = &mut spec[key];
    if !value.is_object() {
        *value = json!({});
    }
    value
}

/// The entry with this number in a list of rounds, appended if missing.
fn entry<'a>(list: &'a mut Value, key: &str, number: u32) -> &'a mut Value {
    if !list.is_array() {
        *list = json!([]);
    }
    let known = list.as_array().and_then(|rounds| {
        rounds
            .iter()
            .position(|round| round.get(key).is_some_and(|found| *found == number))
    });
    let index = known.unwrap_or_else(|| {
        let rounds = list.as_array_mut().expect("it was made a list above");
        rounds.push(json!({ key: number }));
        rounds.len() - 1
    });
    &mut list[index]
}

/// RFC 7396.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (key, value) in patch {
        match (value, target.as_object_mut()) {
            (Value::Null, Some(object)) => drop(object.shift_remove(key)),
            _ => merge(&mut target[key], value),
        }
    }
}
