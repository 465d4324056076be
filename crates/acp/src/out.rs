//! Lines for the supervisor.

use std::io::Write;
use std::time::{Duration, Instant};

use kumite_agents::Said;

/// How often an agent that works silently shows that it is alive.
const BEAT: Duration = Duration::from_secs(5);

pub struct Out {
    to: Box<dyn Write>,
    written_at: Instant,
}

impl Out {
    pub fn new(to: impl Write + 'static) -> Out {
        Out {
            to: Box::new(to),
            written_at: Instant::now(),
        }
    }

    pub fn say(&mut self, said: &Said) {
        if let Ok(line) = serde_json::to_string(said) {
            self.write(&line, Instant::now());
        }
    }

    /// The agent did something that is not a line of output. The supervisor ignores an empty line,
    /// but counts it as a sign of life.
    pub fn alive(&mut self, now: Instant) {
        if now.duration_since(self.written_at) >= BEAT {
            self.write("", now);
        }
    }

    fn write(&mut self, line: &str, now: Instant) {
        // If nobody reads, the supervisor is gone, but the agent's work is still worth finishing.
        let _ = self.to.write_all(format!("{line}\n").as_bytes());
        let _ = self.to.flush();
        self.written_at = now;
    }
}

#[cfg(test)]
pub mod tests {
    use std::cell::RefCell;
    use std::io;
    use std::rc::Rc;

    use super::*;

    /// The output, for a test to inspect.
    #[derive(Clone, Default)]
    pub struct Page(Rc<RefCell<Vec<u8>>>);

    impl Page {
        pub fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_agent_without_words_is_alive_every_five_seconds() {
        let page = Page::default();
        let mut out = Out::new(page.clone());
        let start = out.written_at;
        for tenth in 0..=120 {
            out.alive(start + Duration::from_millis(100) * tenth);
        }
        assert_eq!(page.text(), "\n\n");
        out.say(&Said::Note {
            text: "two\nlines".to_owned(),
        });
        let line = r#"{"kind":"note","text":"two\nlines"}"#;
        assert_eq!(page.text(), format!("\n\n{line}\n"));
    }
}
