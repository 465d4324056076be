//! A part of a long answer: an answer must fit into what an agent can read.

use serde::Serialize;
use serde_json::Value;

use crate::refusal::{Refusal, Result};

/// The most bytes of an answer.
pub const BYTES_MAX: usize = 64 * 1024;

/// The requested part: `count` items starting at number `from`, or else the last ones. Numbers
/// begin with 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    from: Option<u64>,
    count: Option<u64>,
}

/// Some of many items.
#[derive(Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The number of the first item.
    pub from: u64,
    pub total: u64,
    /// The number of the item after the last one, if there is one.
    pub next: Option<u64>,
    pub items: Vec<T>,
}

impl Part {
    pub fn new(from: Option<u64>, count: Option<u64>) -> Part {
        Part { from, count }
    }

    /// How many items are requested.
    pub fn count(self, usual: u64, most: u64) -> Result<u64> {
        match self.count {
            Some(count) if count == 0 || count > most => {
                Err(Refusal(format!("count: between 1 and {most}, not {count}")))
            }
            count => Ok(count.unwrap_or(usual)),
        }
    }

    /// The number of the first item, if it was given.
    pub fn first(self) -> Result<Option<u64>> {
        match self.from {
            Some(0) => Err(Refusal::new("from: numbers begin with 1")),
            from => Ok(from),
        }
    }
}

/// The requested part of `all`: `usual` items if no count was given, and fewer if they are long.
pub fn page<T: Serialize>(all: Vec<T>, part: Part, usual: u64) -> Result<Page<Value>> {
    let total = all.len() as u64;
    let count = part.count(usual, MOST)?;
    let from = part
        .first()?
        .unwrap_or((total + 1).saturating_sub(count).max(1));
    let mut items = Vec::new();
    let mut bytes = 0;
    let wanted = all.iter().skip((from - 1) as usize).take(count as usize);
    for item in wanted {
        let item = serde_json::to_value(item)?;
        bytes += item.to_string().len();
        if bytes > BYTES_MAX && !items.is_empty() {
            break;
        }
        items.push(item);
    }
    let behind = from + items.len() as u64;
    Ok(Page {
        from,
        total,
        next: (behind <= total).then_some(behind),
        items,
    })
}

/// The most items that can be requested at once.
pub const MOST: u64 = 1000;

/// `text` up to `most` bytes, with a note about the rest.
pub fn clipped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(from: Option<u64>, count: Option<u64>) -> Part {
        Part { from, count }
    }

    fn numbers(part: Part) -> (u64, Option<u64>, Vec<u64>) {
        let page = page((1..=10).collect::<Vec<u64>>(), part, 4).unwrap();
        let items = page.items.iter().map(|it| it.as_u64().unwrap());
        (page.from, page.next, items.collect())
    }

    #[test]
    fn without_a_beginning_the_last_ones_are_shown() {
        assert_eq!(numbers(part(None, None)), (7, None, vec![7, 8, 9, 10]));
        assert_eq!(numbers(part(None, Some(2))), (9, None, vec![9, 10]));
        assert_eq!(numbers(part(None, Some(99))), (1, None, (1..=10).collect()));
    }

    #[test]
    fn with_one_they_can_be_read_from_there_to_the_end() {
        assert_eq!(numbers(part(Some(1), None)), (1, Some(5), vec![1, 2, 3, 4]));
        assert_eq!(numbers(part(Some(9), None)), (9, None, vec![9, 10]));
        assert_eq!(numbers(part(Some(99), None)), (99, None, vec![]));
    }

    #[test]
    fn a_part_that_makes_no_sense_is_refused_with_the_name_of_the_field() {
        let words = |part| page(vec![1], part, 4).unwrap_err().0;
        assert_eq!(words(part(Some(0), None)), "from: numbers begin with 1");
        assert_eq!(
            words(part(None, Some(0))),
            "count: between 1 and 1000, not 0"
        );
        assert_eq!(
            words(part(None, Some(1001))),
            "count: between 1 and 1000, not 1001"
        );
    }

    #[test]
    fn long_items_make_a_short_page_that_has_one_at_least() {
        let all = vec!["x".repeat(BYTES_MAX / 2); 5];
        let page = page(all, part(Some(1), None), 4).unwrap();
        assert_eq!((page.items.len(), page.next), (1, Some(2)));
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        assert_eq!(clipped("äää", 6), "äää");
        assert_eq!(clipped("äää", 3), "ä… (4 more bytes)");
    }
}
