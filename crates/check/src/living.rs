//! Finds processes that are still alive.

use std::fs;
use std::path::Path;

/// The command lines of all processes that name a path in `root`, or work there.
pub(crate) fn living_in(root: &Path) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let root = root.to_string_lossy();
    let own = std::process::id().to_string();
    let mut living = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name().to_string_lossy().into_owned();
        if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        // A process that is gone, or a zombie, has no command line.
        let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let cwd = fs::read_link(process.path().join("cwd")).unwrap_or_default();
        let is_ours = command.contains(&*root) || cwd.to_string_lossy().starts_with(&*root);
        if !command.is_empty() && is_ours {
            living.push(format!("{name} {}", command.trim_end()));
        }
    }
    living
}
