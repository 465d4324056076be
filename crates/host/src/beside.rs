//! Work that the engine does not wait for.

use std::sync::{Arc, Mutex};
use std::thread;

/// Does the work in a thread of its own. On a machine without room for a thread it is done here:
/// late is better than never.
pub fn beside<W: FnOnce() + Send + 'static>(name: &str, work: W) {
    let work = Arc::new(Mutex::new(Some(work)));
    let here = Arc::clone(&work);
    let thread = thread::Builder::new().name(name.to_owned());
    if thread.spawn(move || once(&work)).is_err() {
        once(&here);
    }
}

fn once<W: FnOnce()>(work: &Mutex<Option<W>>) {
    let work = work
        .lock()
        .expect("no work panics while it is taken")
        .take();
    if let Some(work) = work {
        work();
    }
}
