//! HTML as plain text.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// HTML without its tags.
pub fn to_text(html: &str) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    // It stops early at a script that should be run. We run none.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner().so_far.trim().to_owned()
}

#[derive(Default)]
struct Sink(RefCell<Text>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut text = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(letters) => text.add(&letters),
            Token::TagToken(tag) => return text.tag(&tag),
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// Text without repeated blanks and empty lines.
#[derive(Default)]
struct Text {
    so_far: String,
    /// Blanks are kept unchanged.
    is_kept: bool,
    /// Everything is left out until this element ends.
    unseen: Option<String>,
}

impl Text {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let is_start = tag.kind == TagKind::StartTag;
        if let Some(unseen) = &self.unseen {
            if !is_start && unseen == name {
                self.unseen = None;
            }
            return TokenSinkResult::Continue;
        }
        match name {
            "svg" if tag.self_closing => {}
            "script" | "style" | "template" | "svg" | "noscript" if is_start => {
                self.unseen = Some(name.to_owned());
            }
            "pre" => {
                self.line();
                self.is_kept = is_start;
            }
            "li" if is_start => {
                self.line();
                self.add("- ");
            }
            "td" | "th" => self.add(" "),
            "br" => self.line(),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "ul" | "ol"
            | "blockquote" | "section" | "article" => self.paragraph(),
            "div" | "tr" | "li" | "title" | "header" | "footer" | "main" | "nav" | "dt" | "dd"
            | "hr" | "form" => self.line(),
            _ => {}
        }
        match name {
            "script" if is_start => TokenSinkResult::RawData(ScriptData),
            "style" | "noscript" if is_start => TokenSinkResult::RawData(Rawtext),
            "title" | "textarea" if is_start => TokenSinkResult::RawData(Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    fn add(&mut self, piece: &str) {
        if self.unseen.is_some() {
            return;
        }
        for letter in piece.chars() {
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
            // Numbers without a character, as browsers show them.
            ("&#0;&#xD800;&#99999999;", "\u{fffd}\u{fffd}\u{fffd}"),
            ("a<svg><title>b</title></svg>c<svg/>d", "acd"),
            ("<title>a &amp; <b></title>c", "a & <b>\nc"),
            ("a<noscript><p>b</p></noscript>c", "ac"),
            ("日本<br>語", "日本\n語"),
            ("", ""),
        ] {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
