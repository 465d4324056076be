//! One Chromium.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::json;

use crate::process::Process;
use crate::wire::Wire;
use crate::{Error, Page};

/// A running Chromium without a window, with an empty profile. Dropping it ends all its processes
/// and removes the profile; the same happens by itself if this process dies.
pub struct Browser {
    wire: Arc<Wire>,
    process: Process,
}

static SHARED: OnceLock<Browser> = OnceLock::new();

impl Browser {
    /// Starts the program that `KUMITE_CHROMIUM` names, else `chromium`, `chromium-browser` or
    /// `google-chrome`.
    pub fn start() -> Result<Browser, Error> {
        Browser::start_with(&[])
    }

    /// The same with more switches, such as `--ignore-certificate-errors` or
    /// `--host-resolver-rules=MAP evil.test 127.0.0.1`.
    pub fn start_with(switches: &[&str]) -> Result<Browser, Error> {
        let (process, to, from) = Process::start(switches)?;
        let wire = Wire::new(to, from);
        let browser = Browser { wire, process };
        match browser.wire.call("", "Browser.getVersion", json!({})) {
            Ok(_) => Ok(browser),
            Err(Error::Ended { .. }) => Err(Error::Unready {
                said: browser.process.said(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The shared browser of this process, started on first use. It ends with the process.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn shared() -> &'static Browser {
        SHARED.get_or_init(|| {
            Browser::start().unwrap_or_else(|error| panic!("cannot share a browser: {error}"))
        })
    }

    /// A page for a new visitor: no cookies, nothing stored.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn page(&self) -> Page {
        Page::open(&self.wire).unwrap_or_else(|error| panic!("cannot open a page: {error}"))
    }

    /// The directory of all its files. All its processes have this path in their command line.
    pub fn dir(&self) -> &Path {
        self.process.dir()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.wire.close();
        self.process.end();
    }
}
