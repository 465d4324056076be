//! The formatting around one place of a file, so that new text looks like the text around it.

use super::Value;

/// The white space in one object or array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Before the first element.
    pub first: String,
    /// After a comma.
    pub between: String,
    /// After the last element.
    pub last: String,
    /// Between a key and its value.
    pub colon: String,
    /// The additional indentation of each level.
    unit: String,
}

impl Layout {
    /// The outermost layout, used to fill an empty `{}`.
    pub fn around(text: &str) -> Layout {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Layout {
            first: newline.to_owned(),
            between: newline.to_owned(),
            last: String::new(),
            colon: ": ".to_owned(),
            unit: "  ".to_owned(),
        }
    }

    /// The layout of a new value inside: one level deeper, or on the same line.
    pub fn nested(&self) -> Layout {
        if !self.between.contains('\n') {
            return self.clone();
        }
        let line = format!("{}{}", self.between, self.unit);
        Layout {
            first: line.clone(),
            between: line,
            last: self.between.clone(),
            colon: self.colon.clone(),
            unit: self.unit.clone(),
        }
    }

    /// The layout of existing text. An empty pair of brackets shows none, so `around` decides.
    pub fn of(text: &str, container: Value<'_>, around: &Layout) -> Layout {
        let elements = Edges::of(container);
        let Some(edges) = elements else {
            return around.nested();
        };
        let first = line_break(&text[container.span().start + 1..edges.first]);
        let colon = edges.colon.map(|span| &text[span]);
        let colon = colon.filter(|colon| !colon.contains('\n'));
        let colon = colon.unwrap_or(&around.colon);
        let between = match edges.previous_end {
            Some(end) => after_comma(&text[end..edges.last]),
            None if first.contains('\n') => first,
            None if colon.ends_with(' ') => " ",
            None => "",
        };
        Layout {
            first: first.to_owned(),
            between: between.to_owned(),
            last: line_break(&text[edges.last_end..container.span().end - 1]).to_owned(),
            colon: colon.to_owned(),
            unit: unit(between, around),
        }
    }
}

/// The positions of the outermost elements of a container.
struct Edges {
    first: usize,
    previous_end: Option<usize>,
    last: usize,
    last_end: usize,
    colon: Option<std::ops::Range<usize>>,
}

impl Edges {
    fn of(container: Value<'_>) -> Option<Edges> {
        let mut edges: Option<Edges> = None;
        let mut add = |start: usize, end: usize, colon| {
            edges = Some(Edges {
                first: edges.as_ref().map_or(start, |edges| edges.first),
                previous_end: edges.as_ref().map(|edges| edges.last_end),
                last: start,
                last_end: end,
                colon,
            });
        };
        for member in container.members() {
            let value = member.value.span();
            let colon = member.key.end..value.start;
            add(member.key.start, value.end, Some(colon));
        }
        for item in container.items() {
            add(item.span().start, item.span().end, None);
        }
        edges
    }
}

fn after_comma(space: &str) -> &str {
    line_break(space.split_once(',').map_or("", |(_, after)| after))
}

/// The last line break and what follows it: empty lines are not repeated.
fn line_break(space: &str) -> &str {
    match space.rfind('\n') {
        Some(at) if space[..at].ends_with('\r') => &space[at - 1..],
        Some(at) => &space[at..],
        None => space,
    }
}

/// The indentation that this level adds to the level around it.
fn unit(line: &str, around: &Layout) -> String {
    let deeper = line
        .contains('\n')
        .then(|| line.strip_prefix(around.between.as_str()));
    let deeper = deeper.flatten().filter(|unit| !unit.is_empty());
    deeper.unwrap_or(&around.unit).to_owned()
}
