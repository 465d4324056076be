//! A page: its address, and the values of its scripts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::watch::{Notes, Watch, beginning, thrown};
use crate::wire::Wire;

/// How long to wait for an expected event. It is a safety limit, not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(30);

/// A page in its own window. Dropping it closes the page.
pub struct Page {
    person: Arc<Person>,
    target: String,
    session: String,
    watch: Arc<Watch>,
    phone: AtomicBool,
}

/// The cookies, storage and cache that several pages share.
struct Person {
    wire: Arc<Wire>,
    context: String,
}

impl Page {
    pub(crate) fn open(wire: &Arc<Wire>) -> Result<Page, Error> {
        let made = wire.call("", "Target.createBrowserContext", json!({}))?;
        let person = Person {
            wire: Arc::clone(wire),
            context: text(&made["browserContextId"]),
        };
        Page::of(&Arc::new(person))
    }

    fn of(person: &Arc<Person>) -> Result<Page, Error> {
        let wire = &person.wire;
        // In its own window a page is never hidden by another one.
        let wanted = json!({
            "url": "about:blank", "browserContextId": person.context, "newWindow": true,
        });
        let target = text(&wire.call("", "Target.createTarget", wanted)?["targetId"]);
        let wanted = json!({ "targetId": target, "flatten": true });
        let session = text(&wire.call("", "Target.attachToTarget", wanted)?["sessionId"]);
        // The main frame has the id of the page.
        let watch = Arc::new(Watch::new(&target));
        wire.watch(&session, &watch);
        let page = Page {
            person: Arc::clone(person),
            target,
            session,
            watch,
            phone: AtomicBool::new(false),
        };
        for (method, params) in beginning() {
            page.call(method, params)?;
        }
        page.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }))?;
        page.call("Performance.enable", json!({}))?;
        page.call(
            "Emulation.setFocusEmulationEnabled",
            json!({ "enabled": true }),
        )?;
        page.size(1280, 800, false);
        page.dark(false);
        Ok(page)
    }

    /// A second page of the same visitor, with the same cookies.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn another(&self) -> Page {
        Page::of(&self.person).unwrap_or_else(|error| panic!("cannot open a page: {error}"))
    }

    /// Opens a URL and waits until it is loaded. A page with status 404 is still a page.
    pub fn goto(&self, url: &str) -> Result<(), Error> {
        let before = self.watch.notes().moved;
        let answer = self.call("Page.navigate", json!({ "url": url }))?;
        let failed = |why: &str| Error::Navigation {
            url: url.to_owned(),
            why: why.to_owned(),
        };
        if let Some(why) = answer["errorText"].as_str() {
            return Err(failed(why));
        }
        // Without a loader only the fragment of the URL has changed.
        match answer["loaderId"].as_str() {
            Some(loader) => self.loaded(|notes| notes.begun.iter().any(|begun| begun == loader)),
            None => self.loaded(|notes| notes.moved > before),
        }
        .map_err(failed)
    }

    /// Loads the page again and waits for it.
    pub fn reload(&self) -> Result<(), Error> {
        let before = self.watch.notes().begun.len();
        self.call("Page.reload", json!({}))?;
        self.loaded(|notes| notes.begun.len() > before)
            .map_err(|why| Error::Navigation {
                url: self.url(),
                why: why.to_owned(),
            })
    }

    fn loaded(&self, begun: impl Fn(&Notes) -> bool) -> Result<(), &'static str> {
        match self
            .watch
            .wait(PATIENCE, |notes| begun(notes) && notes.loaded)
        {
            true => Ok(()),
            false => Err("it was not loaded within 30 s"),
        }
    }

    /// The value of an expression, as JSON. A promise is awaited.
    pub fn eval(&self, js: &str) -> Result<Value, Error> {
        let wanted = json!({
            "expression": js, "awaitPromise": true, "returnByValue": true,
        });
        let answer = self.call("Runtime.evaluate", wanted)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(Error::Thrown {
                why: thrown(details),
            }),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is truthy. An expression that throws counts as not true yet.
    ///
    /// # Panics
    /// If it does not become true within 30 s.
    #[track_caller]
    pub fn until(&self, js: &str) {
        self.awaited(&format!("!!(await (\n{js}\n))"), js);
    }

    /// Waits until the visible text of some match contains the text.
    ///
    /// # Panics
    /// If it does not within 30 s.
    #[track_caller]
    pub fn until_text(&self, selector: &str, text: &str) {
        let js = format!(
            "[...document.querySelectorAll({})].some(e => e.innerText.includes({}))",
            json!(selector),
            json!(text)
        );
        self.awaited(&js, &format!("{selector} has the text {text:?}"));
    }

    /// Waits for a truthy value.
    #[track_caller]
    pub(crate) fn awaited(&self, js: &str, what: &str) -> Value {
        let began = Instant::now();
        // The newline ends a comment in the expression.
        let wanted = format!("(async () => (\n{js}\n))()");
        loop {
            let why = match self.eval(&wanted) {
                Ok(value) if is_true(&value) => return value,
                Ok(_) => String::new(),
                Err(error @ (Error::Ended { .. } | Error::Silent { .. })) => {
                    panic!("waiting until {what}: {error}")
                }
                // The page is loading another one, or is not complete yet.
                Err(error) => format!(" ({error})"),
            };
            if began.elapsed() > PATIENCE {
                panic!(
                    "waited 30 s in vain until {what}{why}\nat {}, which says:\n{}\ntroubles: {:#?}",
                    self.url(),
                    self.visible(),
                    self.troubles()
                );
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The beginning of the visible text, to explain why a test failed.
    fn visible(&self) -> String {
        match self.eval("document.body.innerText.slice(0, 2000)") {
            Ok(value) => text(&value),
            Err(error) => error.to_string(),
        }
    }

    /// The visible text of the first match. Waits until there is one.
    ///
    /// # Panics
    /// If there is none within 30 s.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let js = format!(
            "[document.querySelector({}).innerText.trim()]",
            json!(selector)
        );
        text(&self.awaited(&js, &format!("there is {selector}"))[0])
    }

    /// How many elements match now.
    ///
    /// # Panics
    /// If the selector is invalid.
    #[track_caller]
    pub fn count(&self, selector: &str) -> usize {
        let js = format!("document.querySelectorAll({}).length", json!(selector));
        match self.eval(&js) {
            Ok(count) => count.as_u64().unwrap_or_default() as usize,
            Err(error) => panic!("cannot count {selector}: {error}"),
        }
    }

    /// Whether any element matches now.
    ///
    /// # Panics
    /// If the selector is invalid.
    #[track_caller]
    pub fn exists(&self, selector: &str) -> bool {
        self.count(selector) > 0
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        let found = self.call("Page.getNavigationHistory", json!({}));
        found.map_or_else(
            |error| error.to_string(),
            |history| {
                let current = history["currentIndex"].as_u64().unwrap_or_default();
                text(&history["entries"][current as usize]["url"])
            },
        )
    }

    /// All errors so far: `console:`, `uncaught:`, `security:`, `network:`, `dialog:`, `crash`.
    pub fn troubles(&self) -> Vec<String> {
        self.watch.notes().troubles
    }

    /// Every requested URL, including those of frames and workers. `data:` and `blob:` URLs make no
    /// request.
    pub fn requests(&self) -> Vec<String> {
        self.watch.notes().requests
    }

    /// Requests that failed, with the reason. Requests that the page itself cancelled are left out.
    pub fn failed(&self) -> Vec<String> {
        self.watch.notes().failed
    }

    /// The bytes received by finished requests, including headers.
    pub fn received_bytes(&self) -> u64 {
        self.watch.notes().received_bytes
    }

    /// Forgets troubles, requests, failures and bytes.
    pub fn forget(&self) {
        self.watch.forget();
    }

    /// The time of the first contentful paint, in ms since the navigation began. Waits for it.
    ///
    /// # Panics
    /// If nothing is painted within 30 s.
    #[track_caller]
    pub fn paint_ms(&self) -> f64 {
        let js = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
        let time = self.awaited(js, "something is painted");
        time.as_f64().unwrap_or_default()
    }

    /// Chromium's own figures: `JSHeapUsedSize`, `Nodes`, `LayoutCount` and more.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        let found = self.must("Performance.getMetrics", json!({}));
        let metrics = found["metrics"].as_array().into_iter().flatten();
        metrics
            .filter_map(|metric| Some((text(&metric["name"]), metric["value"].as_f64()?)))
            .collect()
    }

    pub(crate) fn is_phone(&self) -> bool {
        self.phone.load(Ordering::Relaxed)
    }

    pub(crate) fn set_phone(&self, phone: bool) {
        self.phone.store(phone, Ordering::Relaxed);
    }

    pub(crate) fn call(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.person.wire.call(&self.session, method, params)
    }

    /// A call that fails only if Chromium is gone.
    #[track_caller]
    pub(crate) fn must(&self, method: &str, params: Value) -> Value {
        self.call(method, params)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let wire = &self.person.wire;
        wire.tell("", "Target.closeTarget", json!({ "targetId": self.target }));
        wire.unwatch(&self.watch);
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let context = json!({ "browserContextId": self.context });
        self.wire.tell("", "Target.disposeBrowserContext", context);
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Whether JavaScript treats the value as true, as far as JSON can tell.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}
