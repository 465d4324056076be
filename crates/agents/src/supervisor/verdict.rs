//! How it ended, in one word. Unknown is never success.

use kumite_core::outcome::Outcome;
use rustix::process::WaitStatus;

use super::watch::Cause;
use crate::request::Protocol;

/// All that the verdict rests on.
pub struct Evidence<'a> {
    pub cause: Cause,
    /// What the agent's last result said: of all if it exited by itself, else of those that came
    /// before we ended it. What an agent says because it is being ended does not count.
    pub said: Option<&'a Result<(), String>>,
    pub exit: Option<WaitStatus>,
    /// The agent's last words on stderr, or else on stdout.
    pub last_line: String,
    pub protocol: Protocol,
}

pub fn judge(evidence: &Evidence<'_>) -> Outcome {
    match (evidence.cause, evidence.said) {
        (Cause::Exited, _) => exited(evidence),
        (_, Some(Ok(()))) => Outcome::Finished,
        (Cause::Told, _) => Outcome::Killed,
        (_, Some(Err(sentence))) => Outcome::Failed(sentence.clone()),
        (Cause::Overtime, None) => Outcome::TimedOut,
        (Cause::Silent | Cause::Settled, None) => Outcome::Hung,
    }
}

fn exited(evidence: &Evidence<'_>) -> Outcome {
    if let Some(signal) = evidence.exit.and_then(WaitStatus::terminating_signal) {
        return Outcome::Failed(format!("was killed by signal {signal}{}", name(signal)));
    }
    let Some(code) = evidence.exit.and_then(WaitStatus::exit_status) else {
        return Outcome::Lost("the agent's exit code was not seen".to_owned());
    };
    match evidence.protocol {
        Protocol::Plain if code == 0 => Outcome::Finished,
        Protocol::Plain => failed(format!("exit code {code}"), &evidence.last_line),
        Protocol::Claude => match (evidence.said, code) {
            (Some(Ok(())), 0) => Outcome::Finished,
            (Some(Ok(())), _) => failed(
                format!("ended with exit code {code} after a good result"),
                &evidence.last_line,
            ),
            (Some(Err(sentence)), _) => Outcome::Failed(sentence.clone()),
            (None, 0) => failed(
                "ended with exit code 0 but without a result".to_owned(),
                &evidence.last_line,
            ),
            (None, _) => failed(
                format!("ended with exit code {code} and without a result"),
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

/// The names that people know; the others are numbers to them too.
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
    use super::*;

    fn check(cause: Cause, said: Option<Result<(), String>>, expected: Outcome) {
        let (exit, last_line) = (None, String::new());
        let evidence = Evidence {
            cause,
            said: said.as_ref(),
            exit,
            last_line,
            protocol: Protocol::Claude,
        };
        assert_eq!(judge(&evidence), expected);
    }

    fn bad() -> Option<Result<(), String>> {
        Some(Err("bad".to_owned()))
    }

    #[test]
    fn a_good_result_outweighs_every_reason_to_end_the_agent() {
        for cause in [Cause::Settled, Cause::Silent, Cause::Overtime, Cause::Told] {
            check(cause, Some(Ok(())), Outcome::Finished);
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
