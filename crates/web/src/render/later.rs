//! The rest of a long list. A browser parses a whole page before it paints, so a whole page holds
//! the end of a long list as a text, which the script turns into rows after the first paint. A
//! browser without scripts reads it as a part of the page.

use maud::{Markup, html};

/// Whether somebody waits for the first paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haste {
    FirstPaint,
    None,
}

/// A list in chunks, of which only the first one is painted at once.
pub fn chunks<T>(
    haste: Haste,
    items: &[T],
    size: usize,
    chunk: &dyn Fn(usize, &[T]) -> Markup,
) -> Markup {
    let mut chunks = items.chunks(size).enumerate();
    let first = chunks.next();
    html! {
        @if let Some((index, items)) = first { (chunk(index, items)) }
        (rest(if_any(haste, chunks.len()), &html! { @for (index, items) in chunks { (chunk(index, items)) } }))
    }
}

/// The rows of a table, of which only the first `size` are painted at once: the body of the table,
/// and what follows the table.
pub fn rows<T>(
    haste: Haste,
    items: &[T],
    size: usize,
    row: &dyn Fn(&T) -> Markup,
    table: &dyn Fn(&Markup) -> Markup,
) -> Markup {
    let all = |items: &[T]| html! { @for item in items { (row(item)) } };
    if haste == Haste::None || items.len() <= size {
        return table(&all(items));
    }
    let (first, others) = items.split_at(size);
    html! {
        (table(&all(first)))
        (rest(haste, &html! { table.list { tbody data-joins="tbody" { (all(others)) } } }))
    }
}

/// What nobody sees before they scroll.
pub fn rest(haste: Haste, rest: &Markup) -> Markup {
    html! {
        @match haste {
            Haste::FirstPaint => noscript.later { (rest) },
            Haste::None => (rest),
        }
    }
}

fn if_any(haste: Haste, count: usize) -> Haste {
    match count {
        0 => Haste::None,
        _ => haste,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(haste: Haste, count: usize) -> String {
        let items: Vec<usize> = (0..count).collect();
        let chunk = |index: usize, items: &[usize]| html! { ul id=(index) { @for item in items { li { (item) } } } };
        chunks(haste, &items, 2, &chunk).into_string()
    }

    #[test]
    fn only_the_first_chunk_of_a_long_list_is_painted_at_once() {
        assert_eq!(
            list(Haste::FirstPaint, 3),
            "<ul id=\"0\"><li>0</li><li>1</li></ul><noscript class=\"later\"><ul id=\"1\"><li>2</li></ul></noscript>"
        );
        for (haste, count) in [
            (Haste::FirstPaint, 2),
            (Haste::None, 5),
            (Haste::FirstPaint, 0),
        ] {
            let text = list(haste, count);
            assert!(!text.contains("noscript"), "{text}");
            assert_eq!(text.matches("<li>").count(), count);
        }
    }

    #[test]
    fn no_text_in_the_rest_can_end_it() {
        let hostile = "</noscript><script>alert(1)</script>";
        let chunk = |_: usize, items: &[&str]| html! { ul { @for item in items { li title=(item) { (item) } } } };
        let text = chunks(Haste::FirstPaint, &["a", hostile], 1, &chunk).into_string();
        assert_eq!(text.matches("</noscript>").count(), 1, "{text}");
        assert!(!text.contains("<script"), "{text}");
    }

    #[test]
    fn the_other_rows_of_a_table_follow_it() {
        let table = |rows: &Markup| html! { table { tbody { (rows) } } };
        let row = |item: &u32| html! { tr { td { (item) } } };
        let text = |haste| rows(haste, &[1, 2, 3], 2, &row, &table).into_string();
        assert!(text(Haste::FirstPaint).contains("<tr><td>2</td></tr></tbody></table><noscript"));
        assert!(!text(Haste::None).contains("noscript"));
        assert_eq!(text(Haste::None).matches("<tr>").count(), 3);
    }
}
