//! Where `kumite-board` looks for the DuckDB library. `kumite` itself does not need it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let places = std::env::var("DEP_KUMITE_DUCKDB_PLACES").unwrap_or_default();
    for place in places.split(':').filter(|place| !place.is_empty()) {
        println!("cargo::rustc-link-arg-bin=kumite-board=-Wl,-rpath,{place}");
    }
}
