//! The full final text of an agent. A transcript keeps only the beginning of a long text, so it is
//! read from the raw log on request.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::files::{self, Error, REQUEST};
use crate::logs::rotated;
use crate::protocol::last_text;
use crate::request::{Protocol, Request};

/// How much of the end of a log is read. No result is longer than a quarter of it.
const READ_MAX: u64 = 16 * 1024 * 1024;

/// The last text of the agent of `dir`, with secrets masked. `None`: a command printed more than
/// one text can hold.
pub fn final_text(dir: &Path) -> Result<Option<String>, Error> {
    let request: Option<Request> = files::read(dir, REQUEST)?;
    let Some(request) = request else {
        // An agent without a request was never started.
        return Ok(Some(String::new()));
    };
    let read = |source| Error::Read {
        path: request.log.clone(),
        source,
    };
    let (current, mut is_whole) = end_of(&request.log, READ_MAX).map_err(read)?;
    let mut raw = Vec::new();
    if is_whole {
        let room = READ_MAX - current.len() as u64;
        (raw, is_whole) = end_of(&rotated(&request.log), room).map_err(read)?;
    }
    raw.extend(current);
    if !is_whole && request.protocol == Protocol::Plain {
        return Ok(None);
    }
    Ok(Some(last_text(request.protocol, &raw)))
}

/// At most `max` bytes of the end of a file, and whether that is all of it. A missing file is
/// empty.
fn end_of(path: &Path, max: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), true)),
        Err(error) => return Err(error),
    };
    let bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(max)))?;
    let mut end = Vec::new();
    file.take(max).read_to_end(&mut end)?;
    Ok((end, bytes <= max))
}
