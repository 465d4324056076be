//! What agents and people have written for a spec.

use kumite_project::documents::{self, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::OfSpec;
use crate::page::{BYTES_MAX, MOST, Part, clipped};
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};

pub fn tools() -> [Tool; 2] {
    [
        tool(
            "list_documents",
            Reach::Reads,
            "The documents of a spec: requirements, design, tasks, reviews, replies, inspections.",
            list_documents,
        ),
        tool(
            "get_document",
            Reach::Reads,
            "The text of a document, such as design.md; a long one in parts.",
            get_document,
        ),
    ]
}

fn list_documents(call: &Call<'_>, args: OfSpec) -> Result<Answer> {
    let (_, spec) = call.access.spec(&args.spec)?;
    Answer::of(&json!({"spec": spec.name, "documents": documents::list(&spec)?}))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetDocument {
    /// Name of the spec.
    spec: String,
    /// File name of the document, from list_documents.
    document: String,
    /// Number of the first line, from 1.
    from: Option<u64>,
    /// How many lines, at most 1000; by default all that fit.
    count: Option<u64>,
}

fn get_document(call: &Call<'_>, args: GetDocument) -> Result<Answer> {
    let (_, spec) = call.access.spec(&args.spec)?;
    let part = Part::new(args.from, args.count);
    let (first, count) = (part.first()?.unwrap_or(1), part.count(u64::MAX, MOST)?);
    let found = documents::read(&spec, &args.document).map_err(|error| match &error {
        Error::None { .. } => Refusal(format!("{error}; list_documents tells which it has")),
        Error::Read { .. } => error.into(),
    })?;
    let (text, next) = lines(&found.text, first, count);
    let data = json!({
        "spec": spec.name,
        "document": found.document,
        "from": first,
        "next": next,
        "text": text,
    });
    Answer::with_text(&data, text)
}

/// The requested lines, as many as fit, and the number of the next one.
fn lines(whole: &str, first: u64, count: u64) -> (String, Option<u64>) {
    let mut text = String::new();
    let rest = whole.split_inclusive('\n').skip((first - 1) as usize);
    for (number, line) in (first..).zip(rest) {
        let is_enough = number - first >= count;
        if is_enough || (text.len() + line.len() > BYTES_MAX && !text.is_empty()) {
            return (text, Some(number));
        }
        text += &clipped(line, BYTES_MAX);
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_in_parts_that_make_up_the_whole() {
        let whole = "one\ntwo\nthree";
        assert_eq!(lines(whole, 1, u64::MAX), (whole.to_owned(), None));
        assert_eq!(lines(whole, 1, 2), ("one\ntwo\n".to_owned(), Some(3)));
        assert_eq!(lines(whole, 3, 2), ("three".to_owned(), None));
        assert_eq!(lines(whole, 9, 2), (String::new(), None));
        let long = format!("{}\n", "x".repeat(1000)).repeat(100);
        let (mut read, mut next) = (String::new(), Some(1));
        while let Some(from) = next {
            let (text, behind) = lines(&long, from, u64::MAX);
            assert!(text.len() <= BYTES_MAX);
            read += &text;
            next = behind;
        }
        assert!(read == long);
    }
}
