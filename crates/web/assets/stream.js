// The news of the project, as they happen: one stream per tab that somebody looks at, because
// browsers allow only few connections. Whoever was away asks for what came behind the last id.
//
// It is read with `fetch`, not with an EventSource: that one tells neither why it was refused, nor
// news of a type that it was not told about before, nor that the line has gone silent.

const PAUSE_MIN = 300;
const PAUSE_MAX = 5000;
// A server that restarts quickly need not be told about.
const PATIENCE = 700;

const listeners = new Map();
const logs = new Set();
// What ends the stream that is open.
let source = null;
let last = "";
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

// Lines of the log of one agent ("SPEC/AGENT") come with the same stream.
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
  // A page that the browser keeps for the way back must not hold a connection.
  addEventListener("pagehide", close);
  addEventListener("pageshow", follow);
  addEventListener("online", again);
  follow();
}

// The server did not answer somebody else: perhaps the stream is dead and does not know it.
export function doubt() {
  if (source) fail();
}

function follow() {
  if (document.visibilityState === "hidden") close();
  else if (!source) open();
}

// With the next breath: who leaves one log mostly enters another.
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
    // It broke off, was never there, or we gave it up ourselves.
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

// One message: an id, a name, and JSON. Comments only say that the line is alive.
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
  // What has a key stands in the project's news; the rest is between the server and us.
  if (data?.key) tell("news", data);
  tell(fields.event, data);
}
