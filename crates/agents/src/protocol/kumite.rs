//! kumite's own lines, which its bridge to ACP agents writes.

use serde_json::Value;

use super::{Dialect, Heard};
use crate::said::Said;

#[derive(Default)]
pub struct Kumite {}

impl Dialect for Kumite {
    fn telltales(&self) -> &'static [&'static str] {
        &[]
    }

    fn hear(&mut self, _line: &Value, _heard: &mut Heard, _said: &mut Vec<Said>) {}
}
