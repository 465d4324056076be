//! Ctrl-C and its kin: the first one ends agents and keeps everything, the second one does not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit;

/// The exit code of the first signal that came; 0: none.
#[derive(Clone, Default)]
pub struct Caught(Arc<AtomicU8>);

impl Caught {
    pub fn code(&self) -> Option<u8> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            code => Some(code),
        }
    }
}

/// Calls `act` with 1 for the first signal, 2 for the second, and so on.
pub fn catch(act: impl Fn(u32) + Send + 'static) -> std::io::Result<Caught> {
    let caught = Caught::default();
    let first = caught.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for (count, signal) in signals.forever().enumerate() {
                let code = match signal {
                    SIGTERM => exit::TERMINATED,
                    SIGHUP => exit::HUNG_UP,
                    _ => exit::INTERRUPTED,
                };
                let _ = first
                    .0
                    .compare_exchange(0, code, Ordering::AcqRel, Ordering::Acquire);
                act(count as u32 + 1);
            }
        })?;
    Ok(caught)
}
