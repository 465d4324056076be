//! Tests of the real binary: real files, real processes, a separate agent program that misbehaves
//! on demand (`crates/fake-agent`).

mod smoke;
mod world;
