//! Small pieces of text.

use maud::{Markup, html};

/// A sentence in which text in backticks is shown as code.
pub fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// `1 task`, `2 tasks`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `approval_needed` as people say it.
pub fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code_and_nothing_is_markup() {
        let html = prose("see `kumite log`, then <b>").into_string();
        assert_eq!(html, "see <code>kumite log</code>, then &lt;b&gt;");
        assert_eq!(
            prose("one ` alone").into_string(),
            "one <code> alone</code>"
        );
    }
}
