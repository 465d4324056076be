//! Finds the DuckDB library, or tells how to get it. A program linked with it first looks beside
//! itself; a development build also looks where the library was found.

use std::env;
use std::path::{Path, PathBuf};

const SYSTEM: [&str; 3] = ["/usr/local/lib", "/usr/lib", "/opt/homebrew/lib"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    println!("cargo::rerun-if-env-changed=KUMITE_DIST");
    if env::var_os("CARGO_FEATURE_DUCKDB_BUNDLED").is_some() {
        return;
    }
    let Some(dir) = find() else {
        println!(
            "cargo::error=the DuckDB library is not there; run `cargo xtask setup`, or build with \
             `--features duckdb-bundled` (from source, about half an hour)"
        );
        return;
    };
    println!("cargo::rustc-link-search=native={}", dir.display());
    let beside = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "@loader_path",
        _ => "$ORIGIN",
    };
    let mut places = vec![beside.to_owned(), format!("{beside}/../lib")];
    if env::var_os("KUMITE_DIST").is_none() {
        places.push(dir.display().to_string());
    }
    for place in &places {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{place}");
    }
    // The arguments above apply only to this package; the program belongs to another one.
    println!("cargo::metadata=places={}", places.join(":"));
}

fn find() -> Option<PathBuf> {
    let chosen = env::var_os("DUCKDB_LIB_DIR").map(PathBuf::from);
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let debian = PathBuf::from(format!("/usr/lib/{arch}-linux-gnu"));
    let system = SYSTEM.iter().map(PathBuf::from).chain([debian]);
    chosen
        .into_iter()
        .inspect(|dir| println!("cargo::rerun-if-changed={}", dir.display()))
        .chain(system)
        .find(|dir| has_library(dir))
}

fn has_library(dir: &Path) -> bool {
    let files = ["libduckdb.so", "libduckdb.dylib"];
    files.iter().any(|file| dir.join(file).exists())
}
