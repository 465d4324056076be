//! Users of the machine, by name: for messages about files of other users.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The user that a file belongs to.
pub fn owner(path: &Path) -> Option<String> {
    fs::symlink_metadata(path).ok().map(|file| name(file.uid()))
}

/// `, which belongs to root (...)`, if that is why something is not permitted; otherwise nothing.
pub fn whose(path: &Path, error: &io::Error) -> String {
    let me = rustix::process::geteuid().as_raw();
    // If a file cannot be created, its directory counts.
    let Some(file) = path
        .ancestors()
        .find_map(|path| fs::symlink_metadata(path).ok())
    else {
        return String::new();
    };
    match error.kind() == io::ErrorKind::PermissionDenied && file.uid() != me {
        true => format!(
            ", which belongs to {} (`sudo chown -R {} .kiro` makes it yours)",
            name(file.uid()),
            known(me).unwrap_or_else(|| me.to_string())
        ),
        false => String::new(),
    }
}

fn name(uid: u32) -> String {
    known(uid).unwrap_or_else(|| format!("uid {uid}"))
}

fn known(uid: u32) -> Option<String> {
    named(&fs::read_to_string("/etc/passwd").unwrap_or_default(), uid)
}

fn named(users: &str, uid: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_number_and_odd_lines_do_not_matter() {
        let users = "root:x:0:0::/root:/bin/sh\n\nodd\ndev:x:1000:1000::/home/dev:/bin/sh\n";
        assert_eq!(named(users, 0).as_deref(), Some("root"));
        assert_eq!(named(users, 1000).as_deref(), Some("dev"));
        assert_eq!(named(users, 7), None);
    }
}
