//! HTML as plain text.

/// HTML without its tags.
pub fn to_text(html: &str) -> String {
    let mut text = Text::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.add(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let inside = &rest[1..];
        if !inside.starts_with(|first: char| first.is_ascii_alphabetic() || "/!?".contains(first)) {
            text.add("<");
            rest = inside;
            continue;
        }
        let end = tag_end(inside);
        let tag = &inside[..end];
        rest = inside.get(end + 1..).unwrap_or_default();
        let name_end = |letter: char| letter.is_ascii_whitespace() || letter == '/';
        let name = tag
            .trim_start_matches('/')
            .split(name_end)
            .next()
            .unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let is_closing = tag.starts_with('/');
        match name.as_str() {
            "svg" if tag.ends_with('/') => {}
            "script" | "style" | "template" | "svg" | "noscript" if !is_closing => {
                rest = behind(rest, &name);
            }
            "pre" => {
                text.line();
                text.is_kept = !is_closing;
            }
            "li" if !is_closing => {
                text.line();
                text.add("- ");
            }
            "td" | "th" => text.add(" "),
            "br" => text.line(),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "ul" | "ol"
            | "blockquote" | "section" | "article" => text.paragraph(),
            "div" | "tr" | "li" | "title" | "header" | "footer" | "main" | "nav" | "dt" | "dd"
            | "hr" | "form" => text.line(),
            _ => {}
        }
    }
    text.add(rest);
    text.so_far.trim().to_owned()
}

/// Where a tag ends; a `>` inside of quotes does not count.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in tag.char_indices() {
        match (quote, letter) {
            (None, '>') => return at,
            (None, '"' | '\'') if before == '=' => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        if !letter.is_ascii_whitespace() {
            before = letter;
        }
    }
    tag.len()
}

/// What follows the end of the element `name`.
fn behind<'a>(html: &'a str, name: &str) -> &'a str {
    let mut places = html.match_indices("</").map(|(at, _)| at + 2);
    let end = places.find(|at| {
        let here = html.get(*at..*at + name.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(name))
    });
    let closing = end.map_or("", |end| &html[end..]);
    closing.split_once('>').map_or("", |(_, rest)| rest)
}

/// Text in which blanks and empty lines do not pile up.
#[derive(Default)]
struct Text {
    so_far: String,
    /// Blanks are kept as they are.
    is_kept: bool,
}

impl Text {
    fn add(&mut self, piece: &str) {
        for letter in entities(piece).chars() {
            let is_blank = letter.is_whitespace() && !self.is_kept;
            let at_blank = self.so_far.ends_with([' ', '\n']) || self.so_far.is_empty();
            match (is_blank, at_blank) {
                (true, true) => {}
                (true, false) => self.so_far.push(' '),
                (false, _) => self.so_far.push(letter),
            }
        }
    }

    fn line(&mut self) {
        let end = self.so_far.trim_end_matches(' ').len();
        self.so_far.truncate(end);
        if !self.so_far.is_empty() && !self.so_far.ends_with('\n') {
            self.so_far.push('\n');
        }
    }

    fn paragraph(&mut self) {
        self.line();
        if !self.so_far.is_empty() && !self.so_far.ends_with("\n\n") {
            self.so_far.push('\n');
        }
    }
}

/// How far the end of a character's name is looked for.
const NAME_MAX: usize = 12;

fn entities(piece: &str) -> String {
    let mut all = String::with_capacity(piece.len());
    let mut rest = piece;
    while let Some((front, behind)) = rest.split_once('&') {
        all.push_str(front);
        let mut letters = behind.char_indices().take(NAME_MAX);
        let end = letters.find(|(_, letter)| *letter == ';').map(|(at, _)| at);
        match end.and_then(|end| Some((entity(&behind[..end])?, &behind[end + 1..]))) {
            Some((letter, after)) => {
                all.push(letter);
                rest = after;
            }
            None => {
                all.push('&');
                rest = behind;
            }
        }
    }
    all.push_str(rest);
    all
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|letter| *letter != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "copy" => '©',
        "middot" => '·',
        "bull" => '•',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "laquo" => '«',
        "raquo" => '»',
        "times" => '×',
        "euro" => '€',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_text_without_tags_scripts_and_piled_up_blanks() {
        for (html, text) in [
            ("<p>one</p><p>two</p>", "one\n\ntwo"),
            ("a <b>bold</b>\n   word", "a bold word"),
            ("x<script>if (a < b) { alert('</p>') }</script>y", "xy"),
            ("x<STYLE>p { }</Style >y", "xy"),
            ("x<script src=a.js", "x"),
            ("x<script>never closed", "x"),
            ("a<!-- <p>no</p> -->b", "ab"),
            ("a<!-- no end", "a"),
            ("<a title=\"a > b\" href='x'>link</a>!", "link!"),
            ("<p class=x\">one</p>two", "one\n\ntwo"),
            ("1 < 2 and 3 <4", "1 < 2 and 3 <4"),
            ("<ul><li>one<li>two</ul>", "- one\n- two"),
            ("<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>", "a b\nc"),
            (
                "<pre>fn a() {\n    b();\n}</pre>done  now",
                "fn a() {\n    b();\n}\ndone now",
            ),
            (
                "&lt;b&gt; &amp;amp; &#65;&#x42; &nbsp; &mdash; &unknown; & ;",
                "<b> &amp; AB — &unknown; & ;",
            ),
            ("&#0;&#xD800;&#99999999;", "&#0;&#xD800;&#99999999;"),
            ("日本<br>語", "日本\n語"),
            ("", ""),
        ] {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
