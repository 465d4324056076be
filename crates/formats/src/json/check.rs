//! Checks whether a text is JSON. If not, it tells where the error is and what a person can do.

use super::is_space;

/// Deeper files are not specs; the limit keeps the checker's recursion safe.
pub(crate) const DEPTH_MAX: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Empty,
    /// The text ends where more must follow.
    CutOff {
        at: usize,
        within: &'static str,
    },
    TooDeep {
        at: usize,
    },
    Wrong {
        at: usize,
        what: String,
    },
}

/// The span of the single value in `text`, which may begin with a byte order mark.
pub(crate) fn check(text: &str) -> Result<std::ops::Range<usize>, Fault> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
    };
    scan.space();
    if scan.peek().is_none() {
        return Err(Fault::Empty);
    }
    let start = scan.at;
    scan.value(0)?;
    let end = scan.at;
    scan.space();
    match scan.peek() {
        None => Ok(start..end),
        Some(_) => Err(scan.wrong("text after the end of the JSON value; remove it")),
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn wrong(&self, what: impl Into<String>) -> Fault {
        Fault::Wrong {
            at: self.at,
            what: what.into(),
        }
    }

    fn cut_off(&self, within: &'static str) -> Fault {
        Fault::CutOff {
            at: self.at,
            within,
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Fault> {
        match self.peek() {
            None => Err(self.cut_off("where a value should be")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(other) => Err(self.wrong(no_value(other))),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Fault> {
        self.open(depth)?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            match self.peek() {
                None => return Err(self.cut_off("inside an object")),
                Some(b'"') => self.string()?,
                Some(b'}') => return Err(self.wrong("a comma before `}`; remove the comma")),
                Some(b'/') => return Err(self.wrong("JSON has no comments; remove it")),
                Some(_) => return Err(self.wrong("a key in double quotes should be here")),
            }
            self.space();
            match self.peek() {
                None => return Err(self.cut_off("after a key")),
                Some(b':') => self.at += 1,
                Some(_) => return Err(self.wrong("`:` should follow the key")),
            }
            self.space();
            self.value(depth + 1)?;
            if self.ends_with(b'}', "inside an object")? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), Fault> {
        self.open(depth)?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            if self.peek() == Some(b']') {
                return Err(self.wrong("a comma before `]`; remove the comma"));
            }
            self.value(depth + 1)?;
            if self.ends_with(b']', "inside an array")? {
                return Ok(());
            }
        }
    }

    fn open(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= DEPTH_MAX {
            return Err(Fault::TooDeep { at: self.at });
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// After an element: true at the closing bracket, false after a comma.
    fn ends_with(&mut self, closer: u8, within: &'static str) -> Result<bool, Fault> {
        self.space();
        match self.peek() {
            None => Err(self.cut_off(within)),
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(false)
            }
            Some(byte) if byte == closer => {
                self.at += 1;
                Ok(true)
            }
            Some(b'"') => Err(self.wrong("a comma is missing before this")),
            Some(_) => {
                let closer = char::from(closer);
                Err(self.wrong(format!("`,` or `{closer}` should be here")))
            }
        }
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.cut_off("inside a string")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => {
                    let what = "a line break or control character inside a string; \
                                close the string with `\"` or write it as an escape such as \\n";
                    return Err(self.wrong(what));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let digits = match self.bytes.get(self.at + 1) {
            None => 0,
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                return Ok(());
            }
            Some(b'u') => 4,
            Some(_) => return Err(self.wrong("an unknown escape; write a backslash as \\\\")),
        };
        let hex = self.bytes.get(self.at + 2..self.at + 2 + digits);
        match hex {
            Some(hex) if digits == 4 && hex.iter().all(u8::is_ascii_hexdigit) => {
                self.at += 6;
                Ok(())
            }
            Some(_) if digits == 4 => Err(self.wrong("\\u needs four hexadecimal digits")),
            _ => Err(self.cut_off("inside a string")),
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.wrong("a number must not start with 0"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        match self.peek() {
            _ if self.at > start => Ok(()),
            None => Err(self.cut_off("inside a number")),
            Some(_) => Err(self.wrong("a digit should be here")),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            return Err(self.cut_off("inside a word"));
        }
        Err(self.wrong(format!("an unknown word; did you mean `{word}`?")))
    }
}

fn no_value(byte: u8) -> String {
    match byte {
        b'\'' => "text must be in double quotes, not in single ones".to_owned(),
        b'/' => "JSON has no comments; remove it".to_owned(),
        b',' => "a value is missing before this comma".to_owned(),
        b'}' | b']' => "a value is missing before this bracket".to_owned(),
        0 => "a NUL byte; the file was damaged while being written".to_owned(),
        _ => "a value should be here: text in double quotes, a number, true, false, null, { or ["
            .to_owned(),
    }
}
