//! A view of checked JSON text.

use std::borrow::Cow;
use std::ops::Range;

use super::is_space;

/// One value inside a text that [`super::check`] accepted.
///
/// Each access scans the text of this value once and stores nothing, so that a large file costs no
/// memory. If a key occurs twice the last one counts, as in JavaScript.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

pub(crate) struct Member<'a> {
    /// With its quotes.
    pub key: Range<usize>,
    pub value: Value<'a>,
}

impl<'a> Value<'a> {
    pub fn new(text: &'a str, span: Range<usize>) -> Value<'a> {
        let (start, end) = (span.start, span.end);
        Value { text, start, end }
    }

    pub fn span(self) -> Range<usize> {
        self.start..self.end
    }

    pub fn raw(self) -> &'a str {
        &self.text[self.start..self.end]
    }

    fn opens_with(self, byte: u8) -> bool {
        self.text.as_bytes()[self.start] == byte
    }

    pub fn is_object(self) -> bool {
        self.opens_with(b'{')
    }

    pub fn is_array(self) -> bool {
        self.opens_with(b'[')
    }

    pub fn is_null(self) -> bool {
        self.raw() == "null"
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub fn as_str(self) -> Option<Cow<'a, str>> {
        self.opens_with(b'"').then(|| unescape(self.raw()))
    }

    /// A whole number from 0, spelled without an exponent (`2` and `2.0` are the same in JSON).
    pub fn as_count(self) -> Option<u32> {
        let (whole, zeros) = self.raw().split_once('.').unwrap_or((self.raw(), ""));
        let plain = whole.bytes().all(|byte| byte.is_ascii_digit());
        (plain && zeros.bytes().all(|byte| byte == b'0'))
            .then(|| whole.parse().ok())
            .flatten()
    }

    /// The value of a key; None in anything but an object. `null` is a value.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.members()
            .filter(|member| unescape(&self.text[member.key.clone()]) == key)
            .last()
            .map(|member| member.value)
    }

    /// Like [`Value::get`], but `null` counts as absent.
    pub fn given(self, key: &str) -> Option<Value<'a>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// A text that is not empty.
    pub fn text(self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// The members of an object in order; empty for any other value.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> {
        let mut elements = Elements::of(self, self.is_object());
        std::iter::from_fn(move || elements.next_member())
    }

    /// The items of an array in order; empty for any other value.
    pub fn items(self) -> impl Iterator<Item = Value<'a>> {
        let mut elements = Elements::of(self, self.is_array());
        std::iter::from_fn(move || elements.next_value())
    }
}

/// Iterates over the elements of an object or array without looking into them.
struct Elements<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Elements<'a> {
    fn of(value: Value<'a>, fits: bool) -> Elements<'a> {
        Elements {
            text: value.text,
            at: value.start + 1,
            // The closing bracket is not an element; a value of another kind has no elements.
            end: if fits { value.end - 1 } else { value.start },
        }
    }

    fn next_member(&mut self) -> Option<Member<'a>> {
        let key = self.next_value()?.span();
        let value = self.next_value()?;
        Some(Member { key, value })
    }

    /// The next value after white space, comma and colon.
    fn next_value(&mut self) -> Option<Value<'a>> {
        let bytes = self.text.as_bytes();
        let between = |byte: u8| is_space(byte) || byte == b',' || byte == b':';
        while self.at < self.end && between(bytes[self.at]) {
            self.at += 1;
        }
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        self.at = end_of_value(bytes, start).min(self.end);
        Some(Value::new(self.text, start..self.at))
    }
}

fn end_of_value(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth > 0 => {
                at += 1;
                continue;
            }
            _ => return end_of_scalar(bytes, at),
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn end_of_scalar(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b',' | b'}' | b']');
    let length = bytes[start..].iter().position(ends);
    length.map_or(bytes.len(), |length| start + length)
}

/// The content of a quoted string. Half a surrogate pair, which JSON allows, becomes U+FFFD.
fn unescape(quoted: &str) -> Cow<'_, str> {
    let inner = &quoted[1..quoted.len() - 1];
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut plain = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let (character, length) = escaped(&rest[at..]);
        plain.push(character);
        rest = &rest[at + length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character of an escape sequence, and the length of the sequence in bytes.
fn escaped(escape: &str) -> (char, usize) {
    match escape.as_bytes()[1] {
        b'b' => ('\u{8}', 2),
        b'f' => ('\u{c}', 2),
        b'n' => ('\n', 2),
        b'r' => ('\r', 2),
        b't' => ('\t', 2),
        b'u' => unicode(escape),
        other => (char::from(other), 2),
    }
}

fn unicode(escape: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(0).unwrap_or(0xfffd), unit(6).unwrap_or(0)];
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}
