//! What an agent says on its stdout, as far as kumite has to know while it runs. The transcript as
//! a whole is on the disk; here is only what tells how the agent ended.

mod claude;
mod lines;
mod plain;
mod tail;

use kumite_core::outcome::Usage;

use crate::request::Protocol;
pub use tail::{Tail, last_line, shorten};

/// What was heard so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    pub session: Option<String>,
    pub usage: Usage,
    /// The last result: that it is done, or why not.
    pub said: Option<Result<(), String>>,
    /// How many results there were: a new one can say the same as the one before.
    pub results: u64,
}

/// Reads stdout in pieces of any size, in bounded memory.
pub struct Reader {
    words: Words,
    heard: Heard,
}

enum Words {
    Claude(Box<claude::Words>),
    Plain(Tail),
}

impl Reader {
    pub fn new(protocol: Protocol, session: Option<String>) -> Reader {
        let words = match protocol {
            Protocol::Claude => Words::Claude(Box::default()),
            Protocol::Plain => Words::Plain(Tail::new(plain::REPORT_MAX)),
        };
        Reader {
            words,
            heard: Heard {
                session,
                ..Heard::default()
            },
        }
    }

    pub fn feed(&mut self, piece: &[u8]) {
        match &mut self.words {
            Words::Claude(words) => words.feed(piece, &mut self.heard),
            Words::Plain(tail) => tail.push(piece),
        }
    }

    /// Takes what follows the last newline for a line as well. May be called at any time, and
    /// more than once.
    pub fn look_at_tail(&mut self) {
        match &mut self.words {
            Words::Claude(words) => words.look_at_tail(&mut self.heard),
            Words::Plain(tail) => plain::read_report(tail, &mut self.heard),
        }
    }

    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    pub fn into_heard(self) -> Heard {
        self.heard
    }

    /// The last line of a plain program, which often says what went wrong.
    pub fn last_line(&self) -> String {
        match &self.words {
            Words::Claude(_) => String::new(),
            Words::Plain(tail) => tail.last_line(),
        }
    }
}

/// Dollars as agents report them, as money: what cannot be a price is none.
fn usd_micros(usd: f64) -> u64 {
    // The cast saturates, and makes 0 of what is not a number or below 0.
    (usd * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_rounded_and_nonsense_costs_nothing() {
        let prices = [0.095488, 0.09548000000000001, -1.0, f64::NAN, f64::INFINITY];
        assert_eq!(prices.map(usd_micros), [95488, 95480, 0, 0, u64::MAX]);
    }
}
