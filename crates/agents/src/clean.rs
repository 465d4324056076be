//! Text of agents for people: nothing in it may control a terminal, or hide what it says.

/// `text` without escape sequences and control characters; newlines and tabs stay.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' | '\t' => out.push(letter),
            '\u{1b}' => match letters.next() {
                Some('[') => skip_parameters(&mut letters),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut letters),
                // A sequence of two characters, or of three that select a character set.
                Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => drop(letters.next()),
                Some('\n') => out.push('\n'),
                _ => {}
            },
            '\u{9b}' => skip_parameters(&mut letters),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut letters),
            _ if letter.is_control() || turns_text_around(letter) => {}
            _ => out.push(letter),
        }
    }
    out
}

/// The same on one line.
pub fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips up to the letter that ends a control sequence.
fn skip_parameters(letters: &mut Letters<'_>) {
    while letters
        .next_if(|letter| matches!(letter, ' '..='?'))
        .is_some()
    {}
    letters.next_if(|letter| matches!(letter, '@'..='~'));
}

/// Skips a title, a link or the like. Its end is on the same line, or missing.
fn skip_string(letters: &mut Letters<'_>) {
    while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
        match letter {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                letters.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Text that is displayed in another order could mislead a reader.
fn turns_text_around(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        for (text, expected) in [
            ("plain\n\twords ü ✓", "plain\n\twords ü ✓"),
            ("\x1b[31;1mred\x1b[0m", "red"),
            ("\x1b[2J\x1b[Hcleared", "cleared"),
            ("\x1b]0;a title\x07after", "after"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1bP1$r0m\x1b\\after", "after"),
            ("\x1b(Bafter", "after"),
            ("\x1bcafter", "after"),
            ("\u{9b}31mred \u{9d}title\u{9c}after", "red after"),
            ("a bell\x07, a back\x08space\r\n", "a bell, a backspace\n"),
            ("\x1b]never ends\nnext", "\nnext"),
            ("cut \x1b[3", "cut "),
            ("cut \x1b", "cut "),
            ("turned \u{202e}around", "turned around"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(
            clean_line("two\nlines\tand \x1b[1mmore"),
            "two lines and more"
        );
    }
}
