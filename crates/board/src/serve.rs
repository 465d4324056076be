//! The loop of `kumite-board serve`: it reads requests, and writes all waiting rows in one
//! transaction.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use duckdb::Connection;
use kumite_core::contest::rows;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT};

use crate::error::{Error, Kind};
use crate::open::{LOCK_STEP, absolute, check, close, open, write};
use crate::ticket::{self, For, Ticket};
use crate::wire::{Ask, Request, reply};

/// How long the file stays open with nothing to write.
const IDLE: Duration = Duration::from_millis(50);
/// The longest time the file stays open, however much there is to write.
const HELD_MAX: Duration = Duration::from_millis(500);
/// Longer than the retry interval of waiting processes, so that they cannot miss it.
const GAP: Duration = LOCK_STEP.saturating_add(Duration::from_millis(5));

/// Answers until the input ends. An error here concerns the output: nobody reads it any more.
pub fn serve(
    db: &Path,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    // Without a limit: the other side writes a request while it holds the lock that it also needs
    // for our answers. If its pipe were ever full, both would wait for each other. It sends at most
    // one write per team and round at a time, so the queue stays small.
    let (sender, requests) = channel();
    // A machine may have no room for another thread.
    thread::Builder::new().spawn(move || read(input, &sender))?;
    let mut board = Board {
        path: db.to_owned(),
        open: None,
    };
    while let Some(first) = next(&requests, &mut board) {
        let mut waiting = Vec::new();
        for request in [first].into_iter().chain(requests.try_iter()) {
            let Request { id, ask } = match request {
                Ok(request) => request,
                Err((id, error)) => {
                    reply(&mut output, id, Err(error))?;
                    continue;
                }
            };
            match ask {
                Ask::Write(write) => waiting.push((id, write)),
                Ask::Check {} => {
                    board.write(&mut waiting, &mut output)?;
                    reply(&mut output, Some(id), board.check())?;
                }
                Ask::Close {} => {
                    board.write(&mut waiting, &mut output)?;
                    board.close();
                    reply(&mut output, Some(id), Ok(()))?;
                }
            }
        }
        board.write(&mut waiting, &mut output)?;
    }
    Ok(())
}

/// Ctrl-C in a terminal is meant for the process that started us: we end when the input ends.
pub fn outlive_signals() -> io::Result<()> {
    let unused = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&unused))?;
    }
    Ok(())
}

/// A request, or the id of a bad request and its error.
type Incoming = Result<Request, (Option<u64>, Error)>;

fn read(mut input: impl BufRead, sender: &Sender<Incoming>) {
    let mut line = Vec::new();
    // An unreadable input counts as ended.
    while input
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        if sender.send(parse(&line)).is_err() {
            return;
        }
        line.clear();
    }
}

fn parse(line: &[u8]) -> Incoming {
    serde_json::from_slice(line).map_err(|error| {
        let known = serde_json::from_slice::<Value>(line).unwrap_or_default();
        let error = Error::new(Kind::Other, format!("cannot read the request: {error}"));
        (known["id"].as_u64(), error)
    })
}

/// Waits for a request, and releases the file meanwhile.
fn next(requests: &Receiver<Incoming>, board: &mut Board) -> Option<Incoming> {
    loop {
        let Some(open) = &board.open else {
            return requests.recv().ok();
        };
        let left = HELD_MAX.saturating_sub(open.since.elapsed());
        if left.is_zero() {
            board.close();
            thread::sleep(GAP);
            continue;
        }
        match requests.recv_timeout(left.min(IDLE)) {
            Ok(request) => return Some(request),
            Err(RecvTimeoutError::Timeout) => board.close(),
            Err(RecvTimeoutError::Disconnected) => {
                board.close();
                return None;
            }
        }
    }
}

struct Board {
    path: PathBuf,
    open: Option<Open>,
}

struct Open {
    connection: Connection,
    /// Released after the file is closed.
    ticket: Option<Ticket>,
    since: Instant,
}

impl Board {
    /// Writes all waiting rows in one transaction. If it fails, each write is tried alone, so that
    /// a bad row spoils only its own write.
    fn write(
        &mut self,
        waiting: &mut Vec<(u64, rows::Write)>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        if waiting.is_empty() {
            return Ok(());
        }
        let done = match self.hold() {
            // Trying each alone would only wait for the same file.
            Err(error) => vec![Err(error); waiting.len()],
            Ok(_) => self.commit_all(waiting),
        };
        for ((id, _), done) in waiting.drain(..).zip(done) {
            reply(output, Some(id), done)?;
        }
        Ok(())
    }

    fn commit_all(&mut self, waiting: &[(u64, rows::Write)]) -> Vec<Result<(), Error>> {
        let together = self.commit(waiting.iter().map(|(_, write)| write));
        if together.is_ok() || waiting.len() == 1 {
            return vec![together; waiting.len()];
        }
        let alone = waiting.iter().map(|(_, write)| self.commit([write]));
        alone.collect()
    }

    fn commit<'a>(
        &mut self,
        writes: impl IntoIterator<Item = &'a rows::Write>,
    ) -> Result<(), Error> {
        let path = self.path.clone();
        let done = write(&path, self.hold()?, writes);
        if done.is_err() {
            // DuckDB may refuse everything after an error, so the file is opened again.
            self.open = None;
        }
        done
    }

    fn hold(&mut self) -> Result<&Connection, Error> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let path = absolute(&self.path)?;
                let ticket = ticket::take(&path, For::Writing)?;
                Open {
                    connection: open(&path)?,
                    ticket,
                    since: Instant::now(),
                }
            }
        };
        Ok(&self.open.insert(open).connection)
    }

    fn check(&mut self) -> Result<(), Error> {
        match self.open {
            Some(_) => Ok(()),
            None => {
                let path = absolute(&self.path)?;
                let _ticket = ticket::take(&path, For::Writing)?;
                check(&path)
            }
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            close(open.connection);
            drop(open.ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};
    use std::sync::mpsc::RecvTimeoutError::Disconnected;

    use super::*;

    /// Takes no answer before the input has been read to its end.
    struct Deaf(Receiver<()>);

    impl Write for Deaf {
        fn write(&mut self, answer: &[u8]) -> io::Result<usize> {
            let read = self.0.recv_timeout(Duration::from_secs(60));
            assert_eq!(read, Err(Disconnected), "the input is not read");
            Ok(answer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Ends the wait when it is dropped, which is after its last byte was read.
    struct Input {
        requests: Cursor<Vec<u8>>,
        _read: Sender<()>,
    }

    impl io::Read for Input {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.requests.read(buffer)
        }
    }

    #[test]
    fn house_7_11_everything_is_read_although_nobody_takes_the_answers() {
        let (_read, is_read) = channel();
        let requests = Cursor::new("no request\n".repeat(100_000).into_bytes());
        let input = BufReader::new(Input { requests, _read });
        serve(Path::new("unused"), input, Deaf(is_read)).expect("it ends");
    }
}
