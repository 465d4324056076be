//! Ctrl-C and similar signals: the first one ends agents and keeps everything, the second one does
//! not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit;

/// The exit code for the first signal received; 0: none.
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

/// The signals that were ignored when kumite was started: `nohup` ignores SIGHUP, and a shell
/// without job control ignores SIGINT for background programs. They stay ignored.
struct Ignored(u64);

impl Ignored {
    fn has(&self, signal: i32) -> bool {
        self.0 >> (signal - 1) & 1 == 1
    }
}

fn ignored() -> Ignored {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    Ignored(mask.unwrap_or(0))
}

/// Calls `act` with 1 for the first signal, 2 for the second, and so on.
pub fn catch(act: impl Fn(u32) + Send + 'static) -> std::io::Result<Caught> {
    let caught = Caught::default();
    let first = caught.clone();
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP];
    let wanted = wanted.into_iter().filter(|signal| !ignored.has(*signal));
    let mut signals = Signals::new(wanted)?;
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
