//! Documents: templates with the name of the spec, and a first sentence in the spec's language.

use crate::spec_json::Language;

/// The first sentence of a Japanese document; other languages use the templates.
#[derive(Clone, Copy)]
pub(crate) enum Lead {
    Requirements,
    Design,
    Tasks,
    Review,
    Reply,
    Inspection,
}

pub(crate) fn lead(lead: Lead, language: Language, spec: &str) -> String {
    if language == Language::English {
        return String::new();
    }
    let sentence = match lead {
        Lead::Requirements => "の要件を EARS 形式で定義します。本文は英語です。",
        Lead::Design => {
            "の設計(構成、インターフェース、エラー処理、テスト方針)を説明します。本文は英語です。"
        }
        Lead::Tasks => "の実装タスクを順番に並べたものです。本文は英語です。",
        Lead::Review => "の要件・設計・タスクの整合性を確認した結果です。本文は英語です。",
        Lead::Reply => "のレビューで挙がった指摘への回答です。本文は英語です。",
        Lead::Inspection => "の実装を要件と照合した検査結果です。本文は英語です。",
    };
    format!("この文書は `{spec}` {sentence}\n\n")
}

/// Inserts the name of the spec into a template.
pub(crate) fn fill(template: &str, spec: &str) -> String {
    template
        .replace("{{spec}}", spec)
        .replace("{{title}}", &title(spec))
}

/// `login-form` as people write it: `Login form`.
pub(crate) fn title(spec: &str) -> String {
    let words = spec.replace('-', " ");
    let mut letters = words.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The section of a document with this heading, followed by an empty line.
pub(crate) fn section(text: &str, heading: &str) -> Option<String> {
    let at_line_start = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let mut places = text.match_indices(heading).map(|(at, _)| at);
    let start = places.find(at_line_start)?;
    let rest = &text[start..];
    let end = rest.find("\n## ").map_or(rest.len(), |at| at + 1);
    Some(format!("{}\n\n", rest[..end].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_one_begins() {
        let text =
            "# R\n\n## Project Description (Input)\nA form.\n\n### Notes\nx\n\n## Requirements\n";
        let found = section(text, "## Project Description");
        assert_eq!(
            found.unwrap(),
            "## Project Description (Input)\nA form.\n\n### Notes\nx\n\n"
        );
        assert_eq!(section(text, "## Elsewhere"), None);
    }

    #[test]
    fn a_title_is_made_of_the_name() {
        assert_eq!(title("login-form-2"), "Login form 2");
    }
}
