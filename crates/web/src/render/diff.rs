//! A diff, with its lines marked.

use maud::{Markup, html};

pub fn diff(text: &str) -> Markup {
    html! {
        pre.diff {
            @for line in text.lines() {
                span class=[kind(line)] { (line) "\n" }
            }
        }
    }
}

fn kind(line: &str) -> Option<&'static str> {
    match line.as_bytes().first()? {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => Some("hunk"),
        b'+' => Some("add"),
        b'-' => Some("del"),
        b'@' => Some("hunk"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_marked_and_escaped() {
        let text = diff("--- a\n+++ b\n@@ -1 +1 @@\n-<b>\n+<i>\n same\n").into_string();
        assert!(
            text.contains("<span class=\"del\">-&lt;b&gt;\n</span>"),
            "{text}"
        );
        assert!(
            text.contains("<span class=\"add\">+&lt;i&gt;\n</span>"),
            "{text}"
        );
        assert!(text.contains("<span class=\"hunk\">@@"), "{text}");
        assert!(text.contains("<span> same\n</span>"), "{text}");
    }
}
