//! Moves bytes: the prompt to the agent, its output to the disk and to the reader. It never waits
//! for the agent, and a full disk stops neither of them.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::rc::Rc;
use std::time::{Duration, Instant};

use kumite_core::outcome::{Ended, Outcome};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionbio;

use super::log::Log;
use super::pace::Pace;
use super::start::Child;
use crate::mask::{Mask, Secrets};
use crate::process::timespec;
use crate::protocol::{Reader, Tail, paragraph};
use crate::request::Request;
use crate::transcript::Transcript;

/// The most that a drain reads: more than any pipe holds, so the writer must still be active.
const DRAIN_MAX: usize = 8 * 1024 * 1024;
const BUFFER: usize = 64 * 1024;

pub struct Pump {
    stdin: Option<(ChildStdin, Vec<u8>, usize)>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    log: Log,
    stderr_log: Log,
    mask: Mask,
    stderr_mask: Mask,
    secrets: Rc<Secrets>,
    transcript: Transcript,
    /// Reads the unmasked output; only what is written down is masked.
    pub reader: Reader,
    complaints: Tail,
    pace: Pace,
    buffer: Vec<u8>,
}

/// Why [`Pump::wait`] woke up.
#[derive(Default)]
pub struct Ready {
    pub signals: bool,
    pub output: bool,
}

impl Pump {
    pub fn new(request: &Request, child: &mut Child) -> Pump {
        let secrets = Rc::new(Secrets::of(&request.env));
        // Before the raw log: if there is only a raw log, an older kumite wrote it.
        let transcript = Transcript::begin(request, Rc::clone(&secrets));
        let max_bytes = request.log_max_bytes;
        let mut pump = Pump {
            stdin: child.stdin.take().map(|pipe| {
                (
                    pipe,
                    request.stdin.clone().unwrap_or_default().into_bytes(),
                    0,
                )
            }),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            log: Log::new(request.log.clone(), max_bytes),
            stderr_log: Log::new(request.stderr_log(), max_bytes),
            mask: Mask::new(Rc::clone(&secrets)),
            stderr_mask: Mask::new(Rc::clone(&secrets)),
            secrets,
            transcript,
            reader: Reader::new(request.protocol, request.session.clone()),
            complaints: Tail::new(4 * 1024),
            pace: Pace::new(child.pid),
            buffer: vec![0; BUFFER],
        };
        // Only our ends: the agent's block, as it expects. This cannot fail for a pipe.
        for pipe in pump.streams().into_iter().flatten() {
            let _ = ioctl_fionbio(pipe, true);
        }
        // A reader that follows the log finds it before the first output.
        pump.log.create();
        pump
    }

    /// Waits until there is something to do, and moves bytes.
    pub fn wait(&mut self, signals: &OwnedFd, until: Instant) -> Ready {
        let ready = self.poll(signals, until);
        if ready[3] {
            self.write_prompt();
        }
        let output = ready[1] && self.read_stdout() > 0;
        let complaint = ready[2] && self.read_stderr() > 0;
        Ready {
            signals: ready[0],
            output: output || complaint,
        }
    }

    /// Reads what is available, without waiting. `true`: there was something.
    pub fn drain(&mut self) -> bool {
        let mut total = 0;
        while total < DRAIN_MAX {
            let count = self.read_stdout() + self.read_stderr();
            if count == 0 {
                break;
            }
            total += count;
        }
        total > 0
    }

    /// The first thing that could not be stored, if any.
    pub fn loss(&self) -> Option<&str> {
        let logs = self.log.trouble().or(self.stderr_log.trouble());
        logs.or(self.transcript.loss())
    }

    /// All writers are gone: takes everything that is still in the pipes.
    pub fn finish(&mut self) {
        self.drain();
        self.log.append(&self.mask.finish());
        self.stderr_log.append(&self.stderr_mask.finish());
        self.reader.finish();
        self.transcript.say(self.reader.take_said());
    }

    /// The outcome without secrets.
    pub fn mask(&self, outcome: Outcome) -> Outcome {
        self.secrets.mask_outcome(outcome)
    }

    /// The agent's last words, without secrets.
    pub fn last_words(&self) -> String {
        // Masked before it is cut: half a secret would not be recognised.
        paragraph(&self.secrets.mask(self.reader.last_words()))
    }

    /// The last line of the transcript.
    pub fn note_end(&mut self, ended: &Ended) {
        self.transcript.end(ended, &self.complaints.last_line());
    }

    /// The agent's last words, for a person who wants to know what went wrong.
    pub fn last_line(&self) -> String {
        let complaint = self.complaints.last_line();
        if complaint.is_empty() {
            self.reader.last_line()
        } else {
            complaint
        }
    }

    /// What the end of the program tells in addition to its stdout.
    pub fn hint(&self, exit_code: i32) -> Option<Outcome> {
        let complaints = String::from_utf8_lossy(self.complaints.bytes());
        self.reader.exited(exit_code, &complaints)
    }

    /// The open streams among stdout, stderr and stdin.
    fn streams(&self) -> [Option<BorrowedFd<'_>>; 3] {
        let stdin = self.stdin.as_ref().map(|(pipe, ..)| pipe.as_fd());
        [
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
            stdin,
        ]
    }

    /// Which of signals, stdout, stderr and stdin are ready.
    fn poll(&self, signals: &OwnedFd, until: Instant) -> [bool; 4] {
        let [stdout, stderr, stdin] = self.streams();
        let flags = [PollFlags::IN, PollFlags::IN, PollFlags::IN, PollFlags::OUT];
        let all = [Some(signals.as_fd()), stdout, stderr, stdin];
        let mut fds = Vec::with_capacity(all.len());
        fds.extend(
            all.iter()
                .zip(flags)
                .filter_map(|(fd, flags)| Some(PollFd::from_borrowed_fd((*fd)?, flags))),
        );
        let timeout = timespec(until.saturating_duration_since(Instant::now()));
        if poll(&mut fds, Some(&timeout)).is_err() {
            // Waiting is impossible (no memory): check everything, but not all the time.
            std::thread::sleep(Duration::from_millis(10));
            return [true; 4];
        }
        let mut polled = fds.iter();
        all.map(|fd| fd.is_some() && polled.next().is_some_and(|fd| !fd.revents().is_empty()))
    }

    fn write_prompt(&mut self) {
        let Some((pipe, prompt, written)) = &mut self.stdin else {
            return;
        };
        match pipe.write(&prompt[*written..]) {
            Ok(count) => *written += count,
            Err(error) if is_later(&error) => return,
            // The agent does not read the rest, which is allowed.
            Err(_) => *written = prompt.len(),
        }
        if *written == prompt.len() {
            self.stdin = None;
        }
    }

    fn read_stdout(&mut self) -> usize {
        let count = read(&mut self.stdout, &mut self.buffer);
        if count > 0 {
            self.log.append(&self.mask.feed(&self.buffer[..count]));
            self.reader.feed(&self.buffer[..count]);
            self.transcript.say(self.reader.take_said());
            self.pace.note(count);
        }
        count
    }

    fn read_stderr(&mut self) -> usize {
        let count = read(&mut self.stderr, &mut self.buffer);
        if count > 0 {
            let shown = self.stderr_mask.feed(&self.buffer[..count]);
            self.stderr_log.append(&shown);
            self.complaints.push(&self.buffer[..count]);
            self.reader.complain(&self.buffer[..count]);
            self.pace.note(count);
        }
        count
    }
}

/// Reads once. A stream at its end is closed, and not read again.
pub fn read<R: Read>(stream: &mut Option<R>, buffer: &mut [u8]) -> usize {
    let Some(open) = stream else { return 0 };
    match open.read(buffer) {
        Ok(count @ 1..) => count,
        Err(error) if is_later(&error) => 0,
        Ok(_) | Err(_) => {
            *stream = None;
            0
        }
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
