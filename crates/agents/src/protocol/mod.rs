//! What an agent says on its stdout: how it ended, and its transcript.
//!
//! Each kind of program has a [`Dialect`]; the [`Reader`] cuts the bytes into lines for it.

mod claude;
mod claude_said;
mod codex;
mod gemini;
mod kumite;
mod last;
mod lines;
mod opencode;
mod plain;
mod reader;
#[cfg(test)]
mod recorded;
mod reset;
mod service;
mod tail;
mod what;

use kumite_core::outcome::{Outcome, Usage};
use serde_json::Value;

use crate::request::Protocol;
use crate::said::Said;
pub use last::last_text;
pub use reader::Reader;
pub use tail::{Tail, last_line, shorten};

/// What was heard so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    pub session: Option<String>,
    /// Of this process alone, not of the session's earlier ones.
    pub usage: Usage,
    /// The last result: that it is done, or why not. Of two results the last one counts: the agent
    /// knew more when it wrote that.
    pub said: Option<Outcome>,
    /// How many results there were: a new one can say the same as the one before.
    pub results: u64,
}

impl Heard {
    /// Takes a result.
    pub fn result(&mut self, outcome: Outcome) {
        self.results += 1;
        self.said = Some(outcome);
    }

    /// Takes a result, and says it.
    fn end(&mut self, outcome: Outcome, said: &mut Vec<Said>) {
        self.result(outcome.clone());
        said.push(Said::Ended {
            outcome,
            text: String::new(),
            usage: self.usage,
        });
    }
}

/// How one kind of program talks: a JSON object a line.
pub trait Dialect {
    /// A line that tells how the agent ended, or which session it has, holds one of these words.
    /// When an agent floods us, only such lines are read.
    fn telltales(&self) -> &'static [&'static str];

    /// Hears one line. What it means for people goes to `said`, and may be nothing. A result is
    /// noted with [`Heard::result`] and said as [`Said::Ended`].
    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>);

    /// Hears one line of its stderr. Some programs tell only there that they will wait for hours:
    /// that is a result, too.
    fn complain(&mut self, line: &str, heard: &mut Heard, said: &mut Vec<Said>) {
        let _ = (line, heard, said);
    }

    /// The program ended by itself: what its exit code and the end of its stderr tell beyond what
    /// it said on stdout. `None`: nothing.
    fn exited(&self, code: i32, complaints: &str) -> Option<Outcome> {
        let _ = (code, complaints);
        None
    }
}

/// `None`: any command, which has none.
fn dialect(protocol: Protocol) -> Option<Box<dyn Dialect>> {
    Some(match protocol {
        Protocol::Claude => Box::new(claude::Claude::default()),
        Protocol::Codex => Box::new(codex::Codex::default()),
        Protocol::Gemini => Box::new(gemini::Gemini::default()),
        Protocol::Opencode => Box::new(opencode::Opencode::default()),
        Protocol::Kumite => Box::new(kumite::Kumite::default()),
        Protocol::Plain => return None,
    })
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
