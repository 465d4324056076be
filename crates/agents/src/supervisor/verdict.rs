//! How it ended, in one word. Unknown is never success.

use kumite_core::outcome::Outcome;

use super::watch::Cause;
use crate::request::Protocol;

/// Everything that the verdict is based on.
pub struct Evidence<'a> {
    pub cause: Cause,
    /// The agent's last result. If we ended the agent, only results from before that count: what an
    /// agent says because it is interrupted means nothing. But a good result with exit code 0
    /// counts even after a stop.
    pub said: Option<&'a Outcome>,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// The agent's last words on stderr, or else on stdout.
    pub last_line: String,
    /// What the exit code and stderr tell, in the program's own way.
    pub hint: Option<Outcome>,
    pub protocol: Protocol,
}

pub fn judge(evidence: &Evidence<'_>) -> Outcome {
    match (evidence.cause, evidence.said) {
        (Cause::Exited, _) => exited(evidence),
        (_, Some(Outcome::Finished)) => Outcome::Finished,
        (Cause::Told, _) => Outcome::Killed,
        (_, Some(bad)) => bad.clone(),
        (Cause::Overtime, None) => Outcome::TimedOut,
        (Cause::Silent | Cause::Settled, None) => Outcome::Hung,
    }
}

fn exited(evidence: &Evidence<'_>) -> Outcome {
    if let Some(signal) = evidence.signal {
        return Outcome::Failed(format!("was killed by signal {signal}{}", name(signal)));
    }
    let Some(code) = evidence.exit_code else {
        return Outcome::Lost("the agent's exit code was not seen".to_owned());
    };
    match (evidence.protocol, evidence.said, code) {
        (Protocol::Plain, None, 0) | (_, Some(Outcome::Finished), 0) => Outcome::Finished,
        (Protocol::Plain, None | Some(Outcome::Finished), _) => {
            failed(format!("exit code {code}"), &evidence.last_line)
        }
        (_, said, _) => match (&evidence.hint, said) {
            // There may be a better description of a failure than the program's own.
            (Some(hint), None | Some(Outcome::Failed(_))) => hint.clone(),
            (_, Some(Outcome::Finished)) => failed(
                format!("ended with exit code {code} after a good result"),
                &evidence.last_line,
            ),
            (_, Some(bad)) => bad.clone(),
            (None, None) => failed(
                match code {
                    0 => "ended with exit code 0 but without a result".to_owned(),
                    _ => format!("ended with exit code {code} and without a result"),
                },
                &evidence.last_line,
            ),
        },
    }
}

fn failed(sentence: String, last_line: &str) -> Outcome {
    let more = if last_line.is_empty() {
        String::new()
    } else {
        format!(": {last_line}")
    };
    Outcome::Failed(sentence + &more)
}

/// The names that people know; other signals are only numbers for them.
fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => " (HUP)",
        libc::SIGINT => " (INT)",
        libc::SIGQUIT => " (QUIT)",
        libc::SIGILL => " (ILL)",
        libc::SIGABRT => " (ABRT)",
        libc::SIGBUS => " (BUS)",
        libc::SIGFPE => " (FPE)",
        libc::SIGKILL => " (KILL)",
        libc::SIGSEGV => " (SEGV)",
        libc::SIGPIPE => " (PIPE)",
        libc::SIGTERM => " (TERM)",
        libc::SIGXCPU => " (XCPU)",
        libc::SIGXFSZ => " (XFSZ)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;

    fn check(cause: Cause, said: Option<Outcome>, expected: Outcome) {
        let evidence = Evidence {
            cause,
            said: said.as_ref(),
            exit_code: None,
            signal: None,
            last_line: String::new(),
            hint: None,
            protocol: Protocol::Program(ProgramKind::Claude),
        };
        assert_eq!(judge(&evidence), expected);
    }

    fn bad() -> Option<Outcome> {
        Some(Outcome::Failed("bad".to_owned()))
    }

    #[test]
    fn a_good_result_outweighs_every_reason_to_end_the_agent() {
        for cause in [Cause::Settled, Cause::Silent, Cause::Overtime, Cause::Told] {
            check(cause, Some(Outcome::Finished), Outcome::Finished);
        }
    }

    #[test]
    fn a_bad_result_is_the_reason_unless_we_were_told() {
        for cause in [Cause::Settled, Cause::Silent, Cause::Overtime] {
            check(cause, bad(), Outcome::Failed("bad".to_owned()));
        }
        check(Cause::Told, bad(), Outcome::Killed);
    }

    #[test]
    fn without_a_result_the_cause_decides() {
        check(Cause::Silent, None, Outcome::Hung);
        check(Cause::Overtime, None, Outcome::TimedOut);
        check(Cause::Told, None, Outcome::Killed);
    }
}
