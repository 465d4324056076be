//! kumite's programs that are not part of its binary, such as `kumite-board`.

use std::env;
use std::path::PathBuf;

/// The path of `program`: named by `variable`, beside us, in `../lib/kumite`, or on the PATH. If it
/// is in none of these places, the error is the path where it was expected.
pub fn find(program: &str, variable: &str) -> Result<PathBuf, PathBuf> {
    if let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return match path.is_file() {
            true => Ok(path),
            false => Err(path),
        };
    }
    let own = env::current_exe().unwrap_or_default();
    let beside = own.with_file_name(program);
    let lib = own
        .parent()
        .map(|bin| bin.join("../lib/kumite").join(program));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|dir| dir.join(program));
    let mut places = [beside.clone()].into_iter().chain(lib).chain(on_path);
    places.find(|place| place.is_file()).ok_or(beside)
}
