//! Checks the input line by line: a line that is not JSON gets an answer, while the protocol's own
//! reader only skips it.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How many of them wait for their answer. A flood of garbage gets no flood of answers.
const WAITING_MAX: usize = 16;

/// Passes everything on unchanged, and reports why a line cannot be read.
pub struct Sieve<R> {
    inner: R,
    line: Vec<u8>,
    line_max: usize,
    wrong: Sender<String>,
}

impl<R> Sieve<R> {
    pub fn new(inner: R, line_max: usize) -> (Sieve<R>, Receiver<String>) {
        let (wrong, told) = mpsc::channel(WAITING_MAX);
        let sieve = Sieve {
            inner,
            line: Vec::new(),
            line_max,
            wrong,
        };
        (sieve, told)
    }

    fn look(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            // One byte over the limit is enough to know that it is too long.
            let room = (self.line_max + 1).saturating_sub(self.line.len());
            self.line.extend(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                if let Some(why) = wrong(&self.line, self.line_max) {
                    let _ = self.wrong.try_send(why);
                }
                self.line.clear();
            }
        }
    }
}

fn wrong(line: &[u8], line_max: usize) -> Option<String> {
    if line.len() > line_max {
        return Some(format!("a message has at most {line_max} bytes"));
    }
    if line.trim_ascii().is_empty() {
        return None;
    }
    let error = serde_json::from_slice::<IgnoredAny>(line).err()?;
    Some(format!("this line is no JSON: {error}"))
}

impl<R: AsyncRead + Unpin> AsyncRead for Sieve<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = read {
            self.look(&buffer.filled()[before..]);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_json_are_told_in_whatever_pieces_they_come() {
        let (mut sieve, mut told) = Sieve::new(tokio::io::empty(), 20);
        for piece in [
            "{\"a\"",
            ": 1}\nno",
            "thing\n\n",
            "{\"long\": \"0123456789 123456789\"}\n",
        ] {
            sieve.look(piece.as_bytes());
        }
        let first = told.try_recv().unwrap_or_default();
        assert!(first.contains("no JSON"), "{first}");
        let second = told.try_recv().unwrap_or_default();
        assert!(second.contains("20 bytes"), "{second}");
        assert!(told.try_recv().is_err());
    }
}
