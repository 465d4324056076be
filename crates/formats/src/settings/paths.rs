//! Paths and patterns of paths in settings.

use super::value::{Allowed, Plain};

/// Whether a path, or a pattern of paths, stays inside the directory that it is relative to.
pub(crate) fn is_inside(path: &str) -> bool {
    let is_usable = !path.trim().is_empty() && !path.contains('\0');
    is_usable && !path.starts_with('/') && path.split('/').all(|part| part != "..")
}

impl Plain {
    /// A directory of the project.
    pub(super) fn inside(&self) -> Result<String, Allowed> {
        let path = self.text().ok().filter(|path| is_inside(path));
        path.ok_or_else(|| {
            "a directory inside the project, such as \".\" or \"web\": no `/` at its beginning, \
             no `..`"
                .to_owned()
        })
    }

    /// Places anywhere on the machine. `~name` would need the list of users, so it is refused
    /// instead of being taken for a file of that name.
    pub(super) fn places(&self) -> Result<Vec<String>, Allowed> {
        let is_place = |path: &String| {
            let is_home = path == "~" || path.starts_with("~/");
            !path.trim().is_empty() && (is_home || !path.starts_with('~'))
        };
        let places = self.texts().ok();
        places
            .filter(|places| places.iter().all(is_place))
            .ok_or_else(|| {
                "a list of paths, such as [\"/opt/cache\", \"~/.cache\", \"target\"]; \
                 none of them is empty, and `~` is followed by `/`"
                    .to_owned()
            })
    }

    /// Names of variables of the environment.
    pub(super) fn variables(&self) -> Result<Vec<String>, Allowed> {
        let names = self.texts().ok();
        let is_name = |name: &String| !name.trim().is_empty() && !name.contains('=');
        let names = names.filter(|names| names.iter().all(is_name));
        names.ok_or_else(|| {
            "a list of names of variables, such as [\"ANTHROPIC_API_KEY\"]".to_owned()
        })
    }
}
