//! Keys by name, as a keyboard with US layout has them.

use serde_json::{Value, json};

/// A key, and the modifier keys held with it.
#[derive(Debug, PartialEq)]
pub struct Key {
    key: String,
    code: String,
    number: u32,
    /// The text it types, if any.
    text: String,
    held: u8,
}

const ALT: u8 = 1;
const CONTROL: u8 = 2;
const META: u8 = 4;
const SHIFT: u8 = 8;

/// Name, number, and the typed text.
const NAMED: [(&str, u32, &str); 14] = [
    ("Backspace", 8, ""),
    ("Tab", 9, ""),
    ("Enter", 13, "\r"),
    ("Escape", 27, ""),
    ("Space", 32, " "),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("End", 35, ""),
    ("Home", 36, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("Delete", 46, ""),
];

/// Name, number, and the typed text without and with shift.
const SIGNS: [(&str, u32, char, char); 11] = [
    ("Semicolon", 186, ';', ':'),
    ("Equal", 187, '=', '+'),
    ("Comma", 188, ',', '<'),
    ("Minus", 189, '-', '_'),
    ("Period", 190, '.', '>'),
    ("Slash", 191, '/', '?'),
    ("Backquote", 192, '`', '~'),
    ("BracketLeft", 219, '[', '{'),
    ("Backslash", 220, '\\', '|'),
    ("BracketRight", 221, ']', '}'),
    ("Quote", 222, '\'', '"'),
];

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

impl Key {
    /// `Enter`, `j`, `?`, `Shift+Tab`, `Control+Enter`. `None`: there is no such key.
    pub fn named(name: &str) -> Option<Key> {
        let (holding, name) = match name.rsplit_once('+') {
            Some((holding, name)) if !name.is_empty() => (holding, name),
            _ => ("", name),
        };
        let mut held = 0;
        for word in holding.split_terminator('+') {
            held |= match word {
                "Alt" => ALT,
                "Control" => CONTROL,
                "Meta" => META,
                "Shift" => SHIFT,
                _ => return None,
            };
        }
        let mut key = plain(name)?;
        key.held |= held;
        // With these modifiers a key is a command and types nothing.
        if key.held & (ALT | CONTROL | META) != 0 {
            key.text.clear();
        }
        Some(key)
    }

    /// Down, then up.
    pub fn events(&self) -> [Value; 2] {
        let mut down = json!({
            "type": "rawKeyDown", "key": self.key, "code": self.code,
            "windowsVirtualKeyCode": self.number, "modifiers": self.held,
        });
        let mut up = down.clone();
        up["type"] = json!("keyUp");
        if !self.text.is_empty() {
            down["type"] = json!("keyDown");
            down["text"] = json!(self.text);
        }
        [down, up]
    }
}

fn plain(name: &str) -> Option<Key> {
    let key = |key: &str, code: &str, number, text: &str, held| {
        Some(Key {
            key: key.to_owned(),
            code: code.to_owned(),
            number,
            text: text.to_owned(),
            held,
        })
    };
    if let Some((code, number, text)) = NAMED.iter().find(|(named, ..)| *named == name) {
        let name = if *text == " " { text } else { code };
        return key(name, code, *number, text, 0);
    }
    let mut letters = name.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return None;
    };
    let upper = letter.to_ascii_uppercase();
    if letter == ' ' {
        return plain("Space");
    }
    if letter.is_ascii_alphabetic() {
        let held = if letter == upper { SHIFT } else { 0 };
        return key(name, &format!("Key{upper}"), upper.into(), name, held);
    }
    let shifted = SHIFTED_DIGITS.find(letter);
    if let Some(digit) = shifted.or(letter.to_digit(10).map(|digit| digit as usize)) {
        let held = if shifted.is_some() { SHIFT } else { 0 };
        let number = u32::from(b'0') + digit as u32;
        return key(name, &format!("Digit{digit}"), number, name, held);
    }
    let has = |sign: &&(_, _, char, char)| sign.2 == letter || sign.3 == letter;
    let (code, number, _, with_shift) = SIGNS.iter().find(has)?;
    let held = if *with_shift == letter { SHIFT } else { 0 };
    key(name, code, *number, name, held)
}

#[cfg(test)]
mod tests {
    use super::{CONTROL, Key, SHIFT};

    fn check(name: &str, code: &str, number: u32, text: &str, held: u8) {
        let key = Key::named(name).unwrap();
        let found = (&*key.code, key.number, &*key.text, key.held);
        assert_eq!(found, (code, number, text, held), "{name}");
    }

    #[test]
    fn a_key_is_found_by_what_it_types_or_by_its_name() {
        check("j", "KeyJ", 74, "j", 0);
        check("G", "KeyG", 71, "G", SHIFT);
        check("7", "Digit7", 55, "7", 0);
        check("!", "Digit1", 49, "!", SHIFT);
        check("/", "Slash", 191, "/", 0);
        check("?", "Slash", 191, "?", SHIFT);
        check("+", "Equal", 187, "+", SHIFT);
        check(" ", "Space", 32, " ", 0);
        check("Enter", "Enter", 13, "\r", 0);
        check("Shift+Tab", "Tab", 9, "", SHIFT);
        check("Control+Enter", "Enter", 13, "", CONTROL);
        check("Control+Shift+k", "KeyK", 75, "", CONTROL | SHIFT);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in ["", "Return", "Ctrl+a", "ä", "jk"] {
            assert_eq!(Key::named(name), None, "{name}");
        }
    }
}
