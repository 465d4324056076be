//! A person's actions on a page, sent as real mouse, touch or keyboard events.

use serde_json::{Value, json};

use crate::Page;
use crate::keys::Key;

/// Finds the first visible match with this text, and the middle of its first box, once it can be
/// clicked: enabled, not moving, and not covered.
const TARGET: &str = "(async (selector, text) => {
    const matches = [...document.querySelectorAll(selector)];
    const found = matches.find(e => (e.innerText ?? e.textContent).includes(text)
        && e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0);
    if (!found || found.matches(':disabled')) return null;
    const middle = () => {
        const box = found.getClientRects()[0];
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    found.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { x, y } = middle();
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const now = middle();
    if (now.x !== x || now.y !== y) return null;
    const hit = document.elementFromPoint(x, y);
    if (found.contains(hit) || hit?.closest('label')?.control === found) return { x, y };
    throw new Error('it is covered by ' + hit?.outerHTML.slice(0, 200));
})";

/// The middle of the visible part of the first match.
const MIDDLE: &str = "(selector => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const middle = (from, to, size) => (Math.max(from, 0) + Math.min(to, size)) / 2;
    return { x: middle(box.left, box.right, innerWidth), y: middle(box.top, box.bottom, innerHeight) };
})";

impl Page {
    /// Clicks in the middle of the first visible match, with a finger if the page is on a phone.
    ///
    /// # Panics
    /// If there is none within 30 s, or it stays disabled or covered.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.click_target(selector, "", &format!("{selector} can be clicked"));
    }

    /// Clicks the first visible match whose text contains this one.
    ///
    /// # Panics
    /// As `click` does.
    #[track_caller]
    pub fn click_text(&self, selector: &str, text: &str) {
        let what = format!("{selector} with the text {text:?} can be clicked");
        self.click_target(selector, text, &what);
    }

    #[track_caller]
    fn click_target(&self, selector: &str, text: &str, what: &str) {
        let js = format!("{TARGET}({}, {})", json!(selector), json!(text));
        let at = self.awaited(&js, what);
        if self.is_phone() {
            let touch = json!({ "type": "touchStart", "touchPoints": [at] });
            self.must("Input.dispatchTouchEvent", touch);
            let end = json!({ "type": "touchEnd", "touchPoints": [] });
            self.must("Input.dispatchTouchEvent", end);
            return;
        }
        self.mouse("mouseMoved", &at, json!({}));
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(kind, &at, json!({ "button": "left", "clickCount": 1 }));
        }
    }

    /// Presses and releases a key: `Enter`, `Escape`, `j`, `?`, `Shift+Tab`, `Control+Enter`.
    ///
    /// # Panics
    /// If there is no such key.
    #[track_caller]
    pub fn press(&self, key: &str) {
        let Some(key) = Key::named(key) else {
            panic!("there is no key {key:?}")
        };
        for event in key.events() {
            self.must("Input.dispatchKeyEvent", event);
        }
    }

    /// Types text at the focus.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        self.must("Input.insertText", json!({ "text": text }));
    }

    /// Turns the wheel over the middle of the first match; a positive number scrolls down. Use
    /// `html` for the window. The page moves a little later, so wait for what it shows.
    ///
    /// # Panics
    /// If there is no match within 30 s.
    #[track_caller]
    pub fn scroll(&self, selector: &str, by: f64) {
        let js = format!("{MIDDLE}({})", json!(selector));
        let at = self.awaited(&js, &format!("there is {selector}"));
        self.mouse("mouseWheel", &at, json!({ "deltaX": 0, "deltaY": by }));
    }

    #[track_caller]
    fn mouse(&self, kind: &str, at: &Value, more: Value) {
        let mut event = more;
        event["type"] = json!(kind);
        event["x"] = at["x"].clone();
        event["y"] = at["y"].clone();
        self.must("Input.dispatchMouseEvent", event);
    }
}
