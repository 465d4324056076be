//! `cargo xtask setup`: the DuckDB library that the board is linked with, prebuilt, pinned and
//! checked. Building it from source takes half an hour (`--features duckdb-bundled`).
//!
//! It is unpacked once into the cache and linked into `vendor/duckdb`, where `.cargo/config.toml`
//! points. A release has it beside its programs: `cargo xtask dist`.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Done, Stop, cache, fail, root, run};
use crate::tools::npm;

/// The package that carries the library for one platform.
struct Package {
    os: &'static str,
    arch: &'static str,
    name: &'static str,
    version: &'static str,
    /// SHA-256 of the packed file.
    hash: &'static str,
}

/// 1.5.5 where 1.5.6 is not published: the tests of `crates/board` pass with both.
const PACKAGES: [Package; 4] = [
    Package {
        os: "linux",
        arch: "x86_64",
        name: "linux-x64",
        version: "1.5.6-r.1",
        hash: "1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff",
    },
    Package {
        os: "linux",
        arch: "aarch64",
        name: "linux-arm64",
        version: "1.5.5-r.5",
        hash: "3b85f3ea438f7dc3691d7b5e6e4222ffe9127fd17885f96ca72e0c99925c348e",
    },
    Package {
        os: "macos",
        arch: "aarch64",
        name: "darwin-arm64",
        version: "1.5.5-r.5",
        hash: "08b3cfd7d4d620a5fb67ef49db28551b767107266af3a8e2600e49d99ee59456",
    },
    Package {
        os: "macos",
        arch: "x86_64",
        name: "darwin-x64",
        version: "1.5.5-r.5",
        hash: "1266f62ac7c02f7971554a2b0b2c4c19923a97258bfdf1b203873e174e7a28c4",
    },
];

const FILE: &str = if cfg!(target_os = "macos") {
    "libduckdb.dylib"
} else {
    "libduckdb.so"
};

/// The licence must accompany every copy of the library.
const LICENSE: &str = "LICENSE";

/// Fast if it is already done.
pub fn setup() -> Done {
    if let Some(dir) = chosen() {
        eprintln!("the DuckDB library is taken from {}", dir.display());
        return Ok(());
    }
    let here = PACKAGES.iter().find(|one| one.os == OS && one.arch == ARCH);
    let Some(package) = here else {
        return fail(&format!(
            "no prebuilt DuckDB library is known for {OS} on {ARCH}: set DUCKDB_LIB_DIR to a directory \
             with DuckDB 1.5, or build with `--features duckdb-bundled` (about half an hour)"
        ));
    };
    let mark = vendor().join("package");
    let there = [FILE, LICENSE]
        .iter()
        .all(|file| vendor().join(file).exists());
    if there && fs::read_to_string(&mark).is_ok_and(|mark| mark == package.hash) {
        return Ok(());
    }
    let cached = cached(package)?;
    let placed = place(&cached).and_then(|()| fs::write(&mark, package.hash));
    placed.or_else(|error| fail(&format!("cannot fill {}: {error}", vendor().display())))
}

/// The path of the library.
pub fn library() -> PathBuf {
    chosen().unwrap_or_else(vendor).join(FILE)
}

/// Its licence, unless the person chose another library.
pub fn license() -> Option<PathBuf> {
    Some(vendor().join(LICENSE)).filter(|_| chosen().is_none())
}

fn vendor() -> PathBuf {
    root().join("vendor/duckdb")
}

/// The person's own directory. Cargo itself sets the variable to ours.
fn chosen() -> Option<PathBuf> {
    let dir = std::env::var_os("DUCKDB_LIB_DIR").filter(|dir| !dir.is_empty())?;
    Some(PathBuf::from(dir)).filter(|dir| *dir != vendor())
}

/// The directory in the cache with the library, downloaded if missing.
fn cached(package: &Package) -> Result<PathBuf, Stop> {
    let dir = cache().join(format!("duckdb-{}-{}", package.name, package.version));
    if [FILE, LICENSE].iter().all(|file| dir.join(file).exists()) {
        return Ok(dir);
    }
    npm(
        "the DuckDB library comes from npm: install Node.js, or build with `--features duckdb-bundled` \
         (about half an hour)",
    )?;
    // An incomplete or unchecked package never gets the final name.
    let new = cache().join(format!("duckdb-new-{}", std::process::id()));
    let done = fetch(package, &new).and_then(|()| {
        let moved = fs::create_dir_all(&dir).and_then(|()| {
            let mut files = [FILE, LICENSE].into_iter();
            files.try_for_each(|file| fs::rename(new.join("package").join(file), dir.join(file)))
        });
        moved.or_else(|error| fail(&format!("cannot fill {}: {error}", dir.display())))
    });
    let removed = fs::remove_dir_all(&new);
    done?;
    removed.or_else(|error| fail(&format!("cannot remove {}: {error}", new.display())))?;
    Ok(dir)
}

/// Downloads, checks and unpacks the package in `dir`.
fn fetch(package: &Package, dir: &Path) -> Done {
    if let Err(error) = fs::create_dir_all(dir) {
        return fail(&format!("cannot make {}: {error}", dir.display()));
    }
    let wanted = format!("@duckdb/node-bindings-{}@{}", package.name, package.version);
    let packed = dir.join(format!(
        "duckdb-node-bindings-{}-{}.tgz",
        package.name, package.version
    ));
    run(Command::new("npm")
        .args(["pack", "--silent", &wanted])
        .current_dir(dir))?;
    check(&packed, &wanted, package.hash)?;
    run(Command::new("tar")
        .arg("-xzf")
        .arg(&packed)
        .current_dir(dir))
}

fn check(packed: &Path, name: &str, pinned: &str) -> Done {
    let hash = sha256(packed)?;
    if hash == pinned {
        return Ok(());
    }
    fail(&format!(
        "{name} is not the file that was pinned: its SHA-256 is {hash}, not {pinned}; nothing of it is kept"
    ))
}

/// Uses the system's own program: `sha256sum`, on macOS `shasum`.
fn sha256(file: &Path) -> Result<String, Stop> {
    let programs: [(&str, &[&str]); 2] = [("sha256sum", &[]), ("shasum", &["-a", "256"])];
    for (program, args) in programs {
        let Ok(output) = Command::new(program).args(args).arg(file).output() else {
            continue;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        if let (true, Some(hash)) = (output.status.success(), said.split_whitespace().next()) {
            return Ok(hash.to_owned());
        }
    }
    fail(&format!(
        "cannot check {}: it needs `sha256sum` or `shasum`",
        file.display()
    ))
}

/// Hard links, or copies if the cache is on another disk. A running program keeps its own file.
fn place(cached: &Path) -> std::io::Result<()> {
    fs::create_dir_all(vendor())?;
    for file in [FILE, LICENSE] {
        let (from, to) = (cached.join(file), vendor().join(file));
        if to.exists() {
            fs::remove_file(&to)?;
        }
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_that_was_pinned_is_taken() {
        let file = std::env::temp_dir().join(format!("kumite-pinned-{}", std::process::id()));
        fs::write(&file, "abc").unwrap();
        let pinned = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(check(&file, "abc", pinned).is_ok());
        fs::write(&file, "abd").unwrap();
        assert!(check(&file, "abc", pinned).is_err());
        fs::remove_file(&file).unwrap();
        assert!(check(&file, "abc", pinned).is_err());
    }
}
