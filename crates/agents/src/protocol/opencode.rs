//! OpenCode's `run --format json`.

use serde_json::Value;

use super::{Dialect, Heard};
use crate::said::Said;

#[derive(Default)]
pub struct Opencode {}

impl Dialect for Opencode {
    fn telltales(&self) -> &'static [&'static str] {
        &[]
    }

    fn hear(&mut self, _line: &Value, _heard: &mut Heard, _said: &mut Vec<Said>) {}
}
