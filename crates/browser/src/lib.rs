//! The real Chromium in tests: what a person does on a page, and what they see there.
//!
//! It is driven over the DevTools protocol through two pipes, so it listens on no port, and it
//! ends with the process that started it. All calls block. A call returns a `Result` if a test may
//! want to inspect its error; every other call panics with a sentence when it fails.
//!
//! ```no_run
//! # fn main() -> Result<(), kumite_browser::Error> {
//! let page = kumite_browser::Browser::shared().page();
//! page.goto("http://127.0.0.1:8080/")?;
//! page.click_text("button", "Approve");
//! page.until_text(".toast", "approved");
//! assert!(page.troubles().is_empty());
//! # Ok(())
//! # }
//! ```

mod browser;
mod error;
mod input;
mod keys;
mod page;
mod process;
mod view;
mod watch;
mod wire;

pub use browser::Browser;
pub use error::Error;
pub use page::Page;
pub use view::Cookie;
