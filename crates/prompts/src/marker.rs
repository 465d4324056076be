//! The mark on files that kumite wrote: a last line with a hash of everything before it. While the
//! hash is right nobody has edited the file, and a newer kumite may replace it.

const BEFORE: &str = "<!-- kumite:1 ";
const AFTER: &str = " -->";

/// `text` without its mark, if it has one.
pub fn strip(text: &str) -> &str {
    let end = text.trim_end();
    let (rest, last) = end.split_at(end.rfind('\n').map_or(0, |end| end + 1));
    match last.starts_with(BEFORE) {
        true => rest,
        false => text,
    }
}

/// `rest` with its mark. `rest` must end with a line feed.
pub fn seal(rest: &str) -> String {
    format!("{rest}{BEFORE}{}{AFTER}\n", hash(rest))
}

/// Whether kumite wrote `text` and nobody has changed it since.
/// Git may have turned the line ends into CRLF; that is not an edit.
pub fn is_ours(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    let text = text.trim_end();
    let (rest, last) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
    let hashed = last
        .strip_prefix(BEFORE)
        .and_then(|last| last.strip_suffix(AFTER));
    hashed.is_some_and(|hashed| hashed == hash(rest))
}

/// FNV-1a, 64 bits: enough to notice an edit, and the same for ever.
fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_sealed_text_is_ours_also_with_other_line_ends() {
        let sealed = seal("one\ntwo\n");
        assert!(is_ours(&sealed));
        assert!(is_ours(&sealed.replace('\n', "\r\n")));
        assert!(is_ours(sealed.trim_end()));
    }

    #[test]
    fn any_edit_makes_it_a_persons() {
        let sealed = seal("one\ntwo\n");
        assert!(!is_ours(&sealed.replace("two", "three")));
        assert!(!is_ours(&format!("{sealed}more\n")));
        assert!(!is_ours("one\ntwo\n"));
        assert!(!is_ours(""));
    }
}
