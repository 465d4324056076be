//! Reads the output of an agent: how the agent ended, and its transcript.
//!
//! Each kind of program has a [`Dialect`]; the [`Reader`] cuts the bytes into lines for it.

mod kumite;
mod last;
mod lines;
mod plain;
mod reader;
#[cfg(test)]
pub(crate) mod recorded;
pub(crate) mod reset;
pub(crate) mod service;
mod tail;
pub(crate) mod what;

use kumite_core::outcome::{Outcome, Usage};
use serde_json::Value;

use crate::programs;
use crate::request::Protocol;
use crate::said::Said;
pub use last::last_text;
pub use reader::Reader;
pub use tail::{Tail, last_line, paragraph, shorten};

/// What the output has said so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    pub session: Option<String>,
    /// The usage of this process alone, not of earlier ones in the session.
    pub usage: Usage,
    /// The last result: success, or the reason of the failure. If there are two results, the last
    /// one counts: the agent knew more by then.
    pub said: Option<Outcome>,
    /// The number of results. It grows even if a new result is equal to the one before.
    pub results: u64,
}

impl Heard {
    /// Takes a result.
    pub fn result(&mut self, outcome: Outcome) {
        self.results += 1;
        self.said = Some(outcome);
    }

    /// Takes a result, and adds it to the transcript.
    pub fn end(&mut self, outcome: Outcome, said: &mut Vec<Said>) {
        self.result(outcome.clone());
        said.push(Said::Ended {
            outcome,
            text: String::new(),
            usage: self.usage,
        });
    }
}

/// The output format of one kind of program: one JSON object per line.
pub trait Dialect {
    /// Every line with the end or the session of the agent contains one of these words. During a
    /// flood of output only such lines are read.
    fn telltales(&self) -> &'static [&'static str];

    /// Reads one line of stdout. Its entries for the transcript go to `said`. A result goes to
    /// [`Heard::result`], and to `said` as [`Said::Ended`].
    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>);

    /// Reads one line of stderr. Some programs report only there that they will wait for hours;
    /// this counts as a result too.
    fn complain(&mut self, line: &str, heard: &mut Heard, said: &mut Vec<Said>) {
        let _ = (line, heard, said);
    }

    /// The program ended by itself. Returns what its exit code and the end of its stderr add to
    /// stdout, if they add anything.
    fn exited(&self, code: i32, complaints: &str) -> Option<Outcome> {
        let _ = (code, complaints);
        None
    }
}

/// `None`: the agent is any command, so nothing is known about its output.
fn dialect(protocol: Protocol) -> Option<Box<dyn Dialect>> {
    Some(match protocol {
        Protocol::Program(program) => programs::dialect(program),
        Protocol::Kumite => Box::new(kumite::Kumite::default()),
        Protocol::Plain => return None,
    })
}

/// Dollars as agents report them, in millionths. An impossible price becomes 0.
pub(crate) fn usd_micros(usd: f64) -> u64 {
    // The cast saturates, and turns NaN and negative numbers into 0.
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
