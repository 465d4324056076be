// The news of the project, as it happens. Each visible tab has one stream, because browsers allow
// only few connections. After a break the stream asks for everything after its last id.
//
// It is read with `fetch`, not with an EventSource. An EventSource does not tell why it was
// refused, does not deliver event types that were not registered before, and does not notice a dead
// line.

const PAUSE_MIN = 300;
const PAUSE_MAX = 5000;
// A break shorter than this is not shown: the server is probably restarting.
const PATIENCE = 700;

const listeners = new Map();
const logs = new Set();
// Ends the open stream.
let source = null;
// The id of the last event. At first the server says which news this page already shows.
let last = document.body.dataset.news ?? "";
let pause = PAUSE_MIN;
let retry = 0;
let alarm = 0;

export function on(type, listener) {
  if (!listeners.has(type)) listeners.set(type, new Set());
  listeners.get(type).add(listener);
  return () => listeners.get(type).delete(listener);
}

export function tell(type, data) {
  for (const listener of [...(listeners.get(type) ?? [])]) listener(data);
}

// Also follows the log of one agent ("SPEC/AGENT"), on the same stream.
export function log(agent) {
  logs.add(agent);
  again();
  return () => {
    logs.delete(agent);
    again();
  };
}

export function start() {
  document.addEventListener("visibilitychange", follow);
  // A page in the browser's back-forward cache must not hold a connection.
  addEventListener("pagehide", close);
  addEventListener("pageshow", follow);
  addEventListener("online", again);
  follow();
}

// Another request got no answer, so the stream may be dead without our knowing.
export function doubt() {
  if (source) fail();
}

function follow() {
  if (document.visibilityState === "hidden") close();
  else if (!source) open();
}

// Not at once: a page that leaves one log usually enters another.
function again() {
  pause = PAUSE_MIN;
  close();
  retry = setTimeout(follow);
}

function close() {
  clearTimeout(retry);
  source?.abort();
  source = null;
}

async function open() {
  clearTimeout(retry);
  const mine = new AbortController();
  source = mine;
  const query = new URLSearchParams();
  if (last) query.set("after", last);
  for (const agent of logs) query.set("log", agent);
  let why = "";
  try {
    const headers = { Accept: "text/event-stream" };
    const answer = await fetch(`/api/events?${query}`, { headers, signal: mine.signal });
    if (answer.status === 401) tell("unknown");
    if (answer.ok) {
      opened();
      await read(answer.body.pipeThrough(new TextDecoderStream()));
    } else {
      why = (await answer.json()).error;
    }
  } catch {
    // The stream broke off, never began, or was closed by us.
  }
  if (source === mine) fail(why);
}

async function read(stream) {
  let text = "";
  for (let reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) heard(block);
  }
}

function opened() {
  pause = PAUSE_MIN;
  clearTimeout(alarm);
  alarm = 0;
  tell("open");
}

function fail(why = "") {
  close();
  alarm ||= setTimeout(() => tell("away", why), PATIENCE);
  retry = setTimeout(follow, pause);
  pause = Math.min(pause * 2, PAUSE_MAX);
}

// One message: an id, a name, and JSON. Comments only show that the line is alive.
function heard(block) {
  const fields = { event: "message" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, "");
  }
  if (fields.id) last = fields.id;
  if (fields.data === undefined) return;
  let data;
  try {
    data = JSON.parse(fields.data);
  } catch {
    data = null;
  }
  // Items with a key are news of the project; the rest is between the server and this script.
  if (data?.key) tell("news", data);
  tell(fields.event, data);
}
