//! A position in a text as people count it: lines and columns from 1.

use std::fmt;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    pub line: usize,
    /// Counted in characters, not in bytes.
    pub column: usize,
}

impl TextPosition {
    /// The place of a byte. An offset inside a character gives the place of that character.
    pub fn of(text: &str, offset: usize) -> TextPosition {
        TextPosition::in_bytes(text.as_bytes(), offset)
    }

    /// Like [`TextPosition::of`], for bytes that may not be text.
    pub fn in_bytes(bytes: &[u8], offset: usize) -> TextPosition {
        let before = &bytes[..offset.min(bytes.len())];
        let line = before.split(|byte| *byte == b'\n').count();
        let newline = before.iter().rposition(|byte| *byte == b'\n');
        let on_line = &before[newline.map_or(0, |newline| newline + 1)..];
        // Editors neither show nor count a byte order mark.
        let on_line = on_line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(on_line);
        TextPosition {
            line,
            column: on_line
                .iter()
                .filter(|byte| starts_character(**byte))
                .count()
                + 1,
        }
    }
}

fn starts_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_a_byte_order_mark_is_none() {
        assert_eq!(
            TextPosition::of("ab\n判定x", 9),
            TextPosition { line: 2, column: 3 }
        );
        assert_eq!(
            TextPosition::of("\u{feff}x", 3),
            TextPosition { line: 1, column: 1 }
        );
        assert_eq!(TextPosition::of("", 7), TextPosition { line: 1, column: 1 });
    }
}
