//! Markdown as HTML. Agents wrote it, so it is untrusted: raw HTML is shown as text, images are
//! named but not loaded, and the output passes an allow-list.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The most bytes of a document that are shown.
const MAX_BYTES: usize = 1_000_000;
/// Deeper nesting is flattened.
const DEPTH_MAX: usize = 24;
/// After this many paragraphs, cells and other elements there is only plain text: more would
/// overload the browser, and us.
const ELEMENTS_MAX: usize = 30_000;
/// The sanitiser's time grows with the square of the line ends and escaped characters in one text,
/// so a longer text is divided.
const PIECE_MAX: usize = 256;
/// An invisible element that divides a text.
const DIVIDER: &str = "<wbr>";

pub fn markdown(text: &str) -> Markup {
    let shown = start_of(text);
    let (blocks, is_flat) = without_towers(shown);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES;
    let mut tame = Tame::default();
    let events = Parser::new_ext(&blocks, options).flat_map(|event| tame.see(event));
    let mut unsafe_html = String::new();
    pulldown_cmark::html::push_html(&mut unsafe_html, events);
    let safe = PreEscaped(POLICY.clean(&unsafe_html).to_string());
    html! {
        (safe)
        @if !is_flat {
            p.muted { "Some of this is nested so deeply that it is shown less deep." }
        }
        @if shown.len() < text.len() {
            p.muted { "This document is longer than 1 MB; the rest of it is not shown." }
        }
    }
}

/// The text up to the limit, cut after a line or at least after a character.
fn start_of(text: &str) -> &str {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_BYTES);
    match text[..end].rfind('\n') {
        Some(line) => &text[..=line],
        None => &text[..end],
    }
}

/// Turns the parser's events into what may be shown.
#[derive(Default)]
struct Tame {
    /// For each open element, whether it is shown.
    open: Vec<bool>,
    elements: usize,
    /// How many line ends and escaped characters the current text has.
    weight: usize,
}

type Events<'a> = Vec<Event<'a>>;

impl Tame {
    fn see<'a>(&mut self, event: Event<'a>) -> Events<'a> {
        if matches!(event, Event::Start(_) | Event::End(_)) {
            self.weight = 0;
        }
        match event {
            Event::Start(tag) => {
                self.elements += 1;
                let shown = self.open.len() < DEPTH_MAX && self.elements <= ELEMENTS_MAX;
                self.open.push(shown);
                match shown {
                    true => start(tag),
                    false => Vec::new(),
                }
            }
            Event::End(tag) => match self.open.pop() {
                Some(true) => end(tag),
                _ => Vec::new(),
            },
            Event::Html(text) | Event::InlineHtml(text) => match raw(text) {
                Event::Text(text) => self.divided(text, Event::Text),
                event => vec![event],
            },
            Event::FootnoteReference(label) => vec![note(&label)],
            Event::TaskListMarker(done) => vec![Event::InlineHtml(task(done).into())],
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::Code(text) => {
                self.divided(text, Event::Code)
            }
            Event::Text(text) => self.divided(text, Event::Text),
            Event::SoftBreak => {
                let mut events = vec![event];
                events.extend(self.weigh(1));
                events
            }
            Event::HardBreak | Event::Rule => vec![event],
        }
    }

    fn divided<'a>(&mut self, text: CowStr<'a>, event: fn(CowStr<'a>) -> Event<'a>) -> Events<'a> {
        let weight = text.bytes().filter(is_heavy).count();
        if weight <= PIECE_MAX {
            let mut events: Events<'a> = self.weigh(weight).into_iter().collect();
            events.push(event(text));
            return events;
        }
        let mut events = Events::new();
        let mut rest = text.as_ref();
        while !rest.is_empty() {
            let heavy = rest.bytes().enumerate().filter(|(_, byte)| is_heavy(byte));
            let end = heavy.map(|(at, _)| at + 1).nth(PIECE_MAX - 1);
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            events.push(event(piece.to_owned().into()));
            events.push(Event::InlineHtml(DIVIDER.into()));
            rest = behind;
        }
        self.weight = 0;
        events
    }

    /// A divider, if the current text has become too heavy.
    fn weigh<'a>(&mut self, weight: usize) -> Option<Event<'a>> {
        self.weight += weight;
        (self.weight > PIECE_MAX).then(|| {
            self.weight = weight;
            Event::InlineHtml(DIVIDER.into())
        })
    }
}

/// Bytes that are written as an entity, or that end a line.
fn is_heavy(byte: &u8) -> bool {
    matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\n' | b'\r' | b'\0')
}

fn start(tag: Tag<'_>) -> Events<'_> {
    match tag {
        // Headings move down one level: the page has its own title.
        Tag::Heading { level, .. } => vec![Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })],
        Tag::HtmlBlock => vec![Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))],
        Tag::Image { .. } => vec![Event::Text("[image: ".into())],
        Tag::FootnoteDefinition(label) => vec![Event::Html("<div>".into()), note(&label)],
        other => vec![Event::Start(other)],
    }
}

fn end(tag: TagEnd) -> Events<'static> {
    match tag {
        TagEnd::Heading(level) => vec![Event::End(TagEnd::Heading(below(level)))],
        TagEnd::HtmlBlock => vec![Event::End(TagEnd::CodeBlock)],
        TagEnd::Image => vec![Event::Text("]".into())],
        TagEnd::FootnoteDefinition => vec![Event::Html("</div>".into())],
        other => vec![Event::End(other)],
    }
}

/// The only raw HTML with a good use is a line break within a table.
fn raw(text: CowStr<'_>) -> Event<'_> {
    match text.as_ref() {
        "<br>" | "<br/>" | "<br />" => Event::HardBreak,
        _ => Event::Text(text),
    }
}

fn note(label: &str) -> Event<'static> {
    Event::InlineHtml(html! { sup { (label) } }.into_string().into())
}

fn task(done: bool) -> &'static str {
    match done {
        true => r#"<input type="checkbox" disabled checked aria-label="done"> "#,
        false => r#"<input type="checkbox" disabled aria-label="open"> "#,
    }
}

fn below(level: HeadingLevel) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + 1).unwrap_or(HeadingLevel::H6)
}

/// Limits quotes within quotes to a depth that people use: each later line would be compared with
/// all of them. Returns whether nothing was cut.
fn without_towers(text: &str) -> (Cow<'_, str>, bool) {
    // After a `<`, a `>` is the end of a tag.
    let is_tower = |line: &str| {
        let mut start = line.split('<');
        let start = start.next().unwrap_or_default();
        start.bytes().filter(|byte| *byte == b'>').count() > DEPTH_MAX
    };
    if !text.lines().any(is_tower) {
        return (Cow::Borrowed(text), true);
    }
    let flat = text.split_inclusive('\n').map(|line| match is_tower(line) {
        true => {
            let mut parts = line.splitn(DEPTH_MAX + 1, '>');
            let kept: Vec<&str> = parts.by_ref().take(DEPTH_MAX).collect();
            let rest: String = parts.collect();
            Cow::Owned(kept.join(">") + ">" + &rest.replace('>', "&gt;"))
        }
        false => Cow::Borrowed(line),
    });
    (Cow::Owned(flat.collect()), false)
}

static POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "div",
        "em",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "input",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
        "wbr",
    ];
    let attributes = HashMap::from([
        ("a", HashSet::from(["href", "title"])),
        ("code", HashSet::from(["class"])),
        ("input", HashSet::from(["checked", "disabled"])),
        ("ol", HashSet::from(["start"])),
    ]);
    let words = HashMap::from([
        ("type", HashSet::from(["checkbox"])),
        ("aria-label", HashSet::from(["done", "open"])),
    ]);
    let mut policy = Builder::empty();
    policy
        .tags(HashSet::from(tags))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .generic_attributes(HashSet::new())
        .tag_attributes(attributes)
        .tag_attribute_values(HashMap::from([("input", words)]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .strip_comments(true)
        .attribute_filter(|element, attribute, value| {
            let kept = (element, attribute) != ("code", "class") || is_language(value);
            kept.then_some(Cow::Borrowed(value))
        });
    policy
});

/// `language-rust`, and nothing that could match our own classes.
fn is_language(class: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || "+-_#.".contains(it);
    class
        .strip_prefix("language-")
        .is_some_and(|name| (1..=24).contains(&name.len()) && name.chars().all(is_part))
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
