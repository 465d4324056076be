// Makes the page live. The server renders everything; this file connects the scripts.

import * as act from "./act.js";
import * as keys from "./keys.js";
import * as page from "./page.js";
import * as stream from "./stream.js";

const UNKNOWN = "This browser is not known any more. In the project, kumite serve link prints a new link.";
const AWAY = "The server does not answer. Trying again.";

// What the scripts of single pages are given.
const bus = { on: stream.on, log: stream.log, toast: act.toast };

function live(is, text) {
  const dot = document.getElementById("live");
  dot.classList.toggle("is-on", is);
  dot.classList.toggle("is-off", !is);
  dot.setAttribute("aria-label", text);
  dot.title = text;
}

function banner(text) {
  const box = document.getElementById("offline");
  // A screen reader ignores changes in a hidden element, so show the box before the text.
  box.hidden = !text;
  box.textContent = text;
}

// Elements that have a script of their own, and the module of that script.
const mounted = new Map();

async function mountAll() {
  for (const [element, module] of mounted) {
    if (element.isConnected) continue;
    mounted.delete(element);
    module?.unmount?.(element);
  }
  for (const element of page.main().querySelectorAll("[data-module]")) {
    if (mounted.has(element)) continue;
    mounted.set(element, null);
    const module = await import(element.dataset.src);
    if (!element.isConnected) mounted.delete(element);
    else {
      mounted.set(element, module);
      module.mount(element, bus);
    }
  }
}

const two = (number) => String(number).padStart(2, "0");
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

// For today the time is enough; any other day comes with its date.
function moment(date) {
  const minute = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return minute;
  const year = date.getFullYear() === now.getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${DAY.format(date)}${year} ${minute}`;
}

function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m, s] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  if (d > 0) return `${d}d ${h}h`;
  if (h > 0) return `${h}h ${two(m)}m`;
  return m > 0 ? `${m}m ${two(s)}s` : `${s}s`;
}

function timed(element) {
  const date = new Date(element.dateTime);
  if (Number.isNaN(date.getTime())) return;
  const now = Date.now() + page.skew;
  let text = moment(date);
  if (element.classList.contains("since")) text = span(now - date);
  else if (element.classList.contains("until")) text = date > now ? `in ${span(date - now)}` : "now";
  if (element.textContent !== text) element.textContent = text;
  if (!element.title) element.title = FULL.format(date);
}

// On a phone a table becomes a list of rows, where each figure needs the name of its column.
function label(table) {
  const names = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  for (const cell of table.querySelectorAll("tbody td.num")) {
    const name = names[cell.cellIndex];
    if (name) cell.dataset.label = name;
  }
}

function arrived() {
  for (const table of page.main().querySelectorAll("table.list")) label(table);
  for (const element of page.main().querySelectorAll("time[datetime]")) timed(element);
  keys.filterAgain();
  mountAll();
}

stream.on("arrived", arrived);
stream.on("news", page.hear);
stream.on("news", act.notice);
// After a gap, ask for the page again: it shows the present state, whatever was missed.
stream.on("reset", page.refreshNow);
let isFirst = true;
stream.on("open", () => {
  live(true, "Connected");
  banner("");
  // The first stream begins with the news after this page; a later one may have missed changes
  // that send no news.
  if (!isFirst) page.refreshNow();
  isFirst = false;
});
stream.on("away", (why) => {
  live(false, "Not connected");
  banner(why ? `No live news: ${why}` : AWAY);
  // The server may answer but no longer know this browser.
  page.refreshNow();
});
stream.on("unknown", () => {
  live(false, "Not logged in");
  banner(UNKNOWN);
});

act.start();
keys.start();
page.start();
// The page is complete without the rest, so nothing takes the processor from its first paint. A
// hidden page is not painted.
if (document.hidden) begin();
else requestAnimationFrame(() => setTimeout(begin));

function begin() {
  page.unfold();
  page.arrived();
  stream.start();
}

setInterval(() => {
  for (const element of document.querySelectorAll("time.since, time.until")) timed(element);
}, 1000);
