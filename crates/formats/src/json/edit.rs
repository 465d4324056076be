//! Changes single values in a text and leaves every other byte alone.

use std::ops::Range;

use super::layout::Layout;
use super::new::write_element;
use super::{New, Value};

/// One step of the path to a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<'k> {
    Key(&'k str),
    /// An item of an array; the index after the last item adds a new one.
    Item(usize),
}

/// A checked JSON text that can be changed. The result is always JSON again.
pub(crate) struct Editor {
    text: String,
    root: Range<usize>,
}

impl Editor {
    /// `root` is the span that [`super::check`] found.
    pub fn new(text: String, root: Range<usize>) -> Editor {
        Editor { text, root }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn root(&self) -> Value<'_> {
        Value::new(&self.text, self.root.clone())
    }

    pub fn get(&self, path: &[&str]) -> Option<Value<'_>> {
        path.iter()
            .try_fold(self.root(), |value, key| value.get(key))
    }

    /// Sets the value at `path` to `new`. An equal value is left alone, missing parts of the path
    /// are added, and other values on the path, such as `null`, are replaced.
    pub fn set(&mut self, path: &[Step<'_>], new: New<'_>) {
        if let Some((span, written)) = self.plan(path, new) {
            self.root.end = self.root.end - span.len() + written.len();
            self.text.replace_range(span, &written);
        }
    }

    fn plan(&self, path: &[Step<'_>], new: New<'_>) -> Option<(Range<usize>, String)> {
        let mut value = self.root();
        let mut layout = Layout::of(&self.text, value, &Layout::around(&self.text));
        for (index, step) in path.iter().enumerate() {
            let rest = &path[index + 1..];
            let Some(child) = child(value, *step) else {
                return Some(self.insertion(value, &layout, *step, &wrap(rest, new)));
            };
            match rest.first() {
                None if new.is(child) => return None,
                Some(next) if fits(child, *next) => {
                    layout = Layout::of(&self.text, child, &layout);
                    value = child;
                }
                None | Some(_) => {
                    let mut written = String::new();
                    wrap(rest, new).write(&layout.nested(), &mut written);
                    return Some((child.span(), written));
                }
            }
        }
        None
    }

    fn insertion(
        &self,
        container: Value<'_>,
        layout: &Layout,
        step: Step<'_>,
        new: &New<'_>,
    ) -> (Range<usize>, String) {
        let key = match step {
            Step::Key(key) => Some(key),
            Step::Item(_) => None,
        };
        let last = container.members().map(|member| member.value).last();
        let Some(last) = last.or_else(|| container.items().last()) else {
            return self.filling(container, layout, key, new);
        };
        let like = new.is_same_kind(last) && last.raw().len() > 2;
        let inside = if like {
            Layout::of(&self.text, last, layout)
        } else {
            layout.nested()
        };
        let mut written = format!(",{}", layout.between);
        write_element(key, new, layout, &inside, &mut written);
        (last.span().end..last.span().end, written)
    }

    /// The first element between empty brackets.
    fn filling(
        &self,
        container: Value<'_>,
        layout: &Layout,
        key: Option<&str>,
        new: &New<'_>,
    ) -> (Range<usize>, String) {
        let mut written = layout.first.clone();
        write_element(key, new, layout, &layout.nested(), &mut written);
        written.push_str(&layout.last);
        let span = container.span();
        (span.start + 1..span.end - 1, written)
    }
}

fn child<'a>(value: Value<'a>, step: Step<'_>) -> Option<Value<'a>> {
    match step {
        Step::Key(key) => value.get(key),
        Step::Item(index) => value.items().nth(index),
    }
}

fn fits(container: Value<'_>, step: Step<'_>) -> bool {
    match step {
        Step::Key(_) => container.is_object(),
        Step::Item(_) => container.is_array(),
    }
}

/// Wraps a new value in the missing rest of the path.
fn wrap<'k>(rest: &[Step<'k>], new: New<'k>) -> New<'k> {
    rest.iter().rev().fold(new, |inner, step| match step {
        Step::Key(key) => New::Object(vec![(key, inner)]),
        Step::Item(_) => New::Array(vec![inner]),
    })
}
