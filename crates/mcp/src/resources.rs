//! Documents as resources: `kumite://specs/<spec>/<document>`.

use kumite_project::documents;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use crate::access::ProjectAccess;
use crate::refusal::{Refusal, Result};

const ROOT: &str = "kumite://specs/";
/// How many resources are listed at once.
const PAGE: usize = 500;
/// All other bytes of a segment are escaped.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The documents of all specs. `cursor` comes from the previous page.
pub fn list(access: &ProjectAccess, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let wrong = |_| Refusal::new("the cursor is none that resources/list has told");
    let from: usize = cursor.map_or(Ok(0), str::parse).map_err(wrong)?;
    let mut all = Vec::new();
    for spec in access.project()?.all_specs()? {
        for document in documents::list(&spec)? {
            let name = format!("{}/{}", spec.name, document.name);
            let uri = format!("{ROOT}{}/{}", spec.name, encoded(&document.name));
            let resource = Resource::new(uri, name).with_mime_type(kind(&document.name));
            all.push(resource.with_size(document.bytes));
        }
    }
    let more = all.len() > from.saturating_add(PAGE);
    let page = all.into_iter().skip(from).take(PAGE).collect();
    let mut listed = ListResourcesResult::with_all_items(page);
    listed.next_cursor = more.then(|| (from + PAGE).to_string());
    Ok(listed)
}

pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{ROOT}{{spec}}/{{document}}"), "document")
        .with_description("A document of a spec, such as kumite://specs/login/design.md");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

pub fn read(access: &ProjectAccess, uri: &str) -> Result<ReadResourceResult> {
    let place = uri.strip_prefix(ROOT).and_then(|path| path.split_once('/'));
    let (spec, name) = place.ok_or_else(|| {
        Refusal(format!(
            "{uri} is no document: those are {ROOT}SPEC/DOCUMENT"
        ))
    })?;
    let (_, spec) = access.spec(spec)?;
    let found = documents::read(&spec, &decoded(name))?;
    let contents =
        ResourceContents::text(found.text, uri).with_mime_type(kind(&found.document.name));
    Ok(ReadResourceResult::new(vec![contents]))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("md") => "text/markdown",
        Some("json") => "application/json",
        _ => "text/plain",
    }
}

/// A name as one segment of a URI.
fn encoded(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// Text that is not an escape stays unchanged.
fn decoded(name: &str) -> String {
    percent_decode_str(name).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_an_address_comes_back_as_it_was() {
        for name in [
            "design.md",
            "zwei Wörter.md",
            "100%.md",
            "a%2F..md",
            "%zz",
            "%",
        ] {
            let address = encoded(name);
            assert!(
                address.is_ascii() && !address.contains([' ', '/']),
                "{address}"
            );
            assert_eq!(decoded(&address), name);
        }
        assert_eq!(decoded("100%"), "100%");
    }
}
