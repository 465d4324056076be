//! A page as plain text.

use std::io::Read;

use super::html::to_text;

/// A longer page is cut: the rest seldom adds anything.
const BYTES_MAX: usize = 2 << 20;
/// How much of it a member gets to read.
const CHARS_MAX: usize = 100_000;

/// What the server tells about the page.
pub struct Kind {
    pub media_type: String,
    pub encoding: String,
}

/// Reads the text of a page, or returns why it has none.
pub fn read(body: impl Read, kind: &Kind) -> Result<String, String> {
    if !matches!(kind.encoding.trim(), "" | "identity") {
        return Err(format!("it is packed with {}", kind.encoding));
    }
    let (media_type, settings) = kind
        .media_type
        .split_once(';')
        .unwrap_or((&kind.media_type, ""));
    let media_type = media_type.trim().to_ascii_lowercase();
    if !is_text(&media_type) {
        return Err(format!("it is no text but {media_type}"));
    }
    let mut bytes = Vec::new();
    let most = BYTES_MAX as u64 + 1;
    body.take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let is_long = bytes.len() > BYTES_MAX;
    bytes.truncate(BYTES_MAX);
    let text = decoded(bytes, &charset(settings))?;
    let is_html = match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => true,
        "" => text.trim_start().starts_with('<'),
        _ => false,
    };
    let text = if is_html { to_text(&text) } else { text };
    Ok(cut(text, is_long))
}

fn is_text(media_type: &str) -> bool {
    let known = [
        "",
        "application/json",
        "application/xml",
        "application/javascript",
        "application/yaml",
    ];
    media_type.starts_with("text/")
        || known.contains(&media_type)
        || media_type.ends_with("+json")
        || media_type.ends_with("+xml")
}

fn charset(settings: &str) -> String {
    let named = settings.split(';').filter_map(|one| one.split_once('='));
    let mut charset = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let name = charset.next().map_or("", |(_, name)| name);
    name.trim().trim_matches('"').to_ascii_lowercase()
}

fn decoded(bytes: Vec<u8>, charset: &str) -> Result<String, String> {
    if matches!(charset, "iso-8859-1" | "latin1" | "windows-1252") {
        return Ok(bytes.into_iter().map(char::from).collect());
    }
    if !matches!(charset, "" | "utf-8" | "utf8" | "us-ascii" | "ascii") {
        return Err(format!(
            "it is written in {charset}, and only UTF-8 and Latin-1 are understood"
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => Err("it is no text".to_owned()),
        Ok(text) => Ok(text),
        // A character that was cut in two at the end.
        Err(error) if error.utf8_error().error_len().is_none() => {
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(_) => Err("it is no valid UTF-8".to_owned()),
    }
}

fn cut(mut text: String, is_long: bool) -> String {
    let end = text.char_indices().nth(CHARS_MAX).map(|(at, _)| at);
    if let Some(end) = end {
        text.truncate(end);
    }
    if is_long || end.is_some() {
        text.push_str("\n\n[the page goes on; the rest was left out]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(media_type: &str, bytes: &[u8]) -> Result<String, String> {
        let kind = Kind {
            media_type: media_type.to_owned(),
            encoding: String::new(),
        };
        read(bytes, &kind)
    }

    #[test]
    fn only_text_that_can_be_read_is_read() {
        assert_eq!(page("text/html; charset=UTF-8", b"<b>a</b>").unwrap(), "a");
        assert_eq!(page("text/plain", b"<b>a</b>").unwrap(), "<b>a</b>");
        assert_eq!(page("", b"<b>a</b>").unwrap(), "a");
        assert_eq!(page("application/ld+json", b"{}").unwrap(), "{}");
        assert_eq!(
            page("text/plain; charset=\"ISO-8859-1\"", b"caf\xe9").unwrap(),
            "café"
        );
        for (media_type, bytes, words) in [
            ("image/png", &b"x"[..], "image/png"),
            ("application/octet-stream", b"x", "octet-stream"),
            ("text/plain; charset=shift_jis", b"x", "shift_jis"),
            ("text/plain", b"caf\xe9 au lait", "UTF-8"),
            ("", b"a\0b", "no text"),
        ] {
            let why = page(media_type, bytes).unwrap_err();
            assert!(why.contains(words), "{media_type}: {why}");
        }
        let packed = Kind {
            media_type: String::new(),
            encoding: "br".to_owned(),
        };
        assert!(read(&b"x"[..], &packed).is_err());
    }

    #[test]
    fn a_long_page_is_cut_and_says_so() {
        let left_out = "[the page goes on; the rest was left out]";
        let long = page("text/plain", "é".repeat(CHARS_MAX + 1).as_bytes()).unwrap();
        assert_eq!(
            long.chars().filter(|letter| *letter == 'é').count(),
            CHARS_MAX
        );
        assert!(long.ends_with(left_out));
        // The limit cuts the last character in two.
        let huge = format!("<p>a{}</p>", "é".repeat(BYTES_MAX));
        assert!(
            page("text/html", huge.as_bytes())
                .unwrap()
                .ends_with(left_out)
        );
        let fits = page("text/plain", "e".repeat(CHARS_MAX).as_bytes()).unwrap();
        assert_eq!(fits.len(), CHARS_MAX);
    }
}
