//! News of the project on their way to everybody who listens.

use std::path::{Path, PathBuf};

/// Where news come from.
pub struct Hub {
    pub runtime: PathBuf,
}

impl Hub {
    pub fn start(runtime: &Path) -> std::io::Result<Hub> {
        Ok(Hub {
            runtime: runtime.to_owned(),
        })
    }
}
