//! The name of an event or effect, for the log of developers.

use std::fmt::Debug;

/// The name of the variant, without its fields. It costs a whole `Debug` text: only for a level that
/// is off by default.
pub fn variant(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let end = text.find(|it: char| !it.is_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_comes_before_the_fields() {
        assert_eq!(variant(&Some(1)), "Some");
        assert_eq!(variant(&None::<u32>), "None");
    }
}
