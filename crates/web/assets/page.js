// What is shown: asks the server again when it is stale, and goes from page to page without a full
// load. Two rules keep it true. The address changes in the same moment as the content. And an
// answer for a page that is no longer shown is dropped.

import { morph } from "./morph.js";
import { doubt, tell } from "./stream.js";

const KNOWN_MAX = 40;
const REFRESH_MIN = 150;
const LOADING = '<main id="main" data-topics="*" tabindex="-1" aria-busy="true"></main>';

// The last version of pages by address, the newest last; and when each was requested.
const known = new Map();
const asked = new Map();
const underway = new Map();
// The address of the shown page. An answer is used only if this has not changed meanwhile.
let shown = here();
let visits = 0;
let heard = 0;
let due = 0;
let busy = false;
let took = 0;
// How far the server's clock is ahead of ours, in milliseconds.
export let skew = 0;

export function start() {
  history.scrollRestoration = "manual";
  const top = history.state?.top ?? 0;
  // The place to go to may be below the part that is painted first.
  if (top > 0 || location.hash) unfold();
  scrollTo({ top, behavior: "instant" });
  addEventListener("scroll", scrolled, { passive: true });
  document.addEventListener("click", clicked);
  document.addEventListener("pointerover", hovered);
  document.addEventListener("focusin", hovered);
  addEventListener("popstate", (event) => back(event.state?.top ?? 0));
  addEventListener("pageshow", (event) => event.persisted && refresh());
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  addEventListener("focus", refresh);
  // Files may be edited by hand, which sends no news.
  setInterval(() => document.hidden || refresh(), 20_000);
}

// Long lists come with their first rows, and the rest as text, so that the first paint does not
// wait for it. Only text that our own server has rendered and escaped gets here.
export function unfold() {
  for (const later of document.querySelectorAll("noscript.later")) {
    const { content } = Object.assign(document.createElement("template"), { innerHTML: later.textContent });
    const rows = content.querySelector("[data-joins]");
    if (rows) later.parentElement.querySelector(rows.dataset.joins).append(...rows.children);
    else later.before(content);
    later.remove();
  }
}

// Each history entry remembers its scroll position.
let scrolling = 0;
function scrolled() {
  clearTimeout(scrolling);
  scrolling = setTimeout(() => history.replaceState({ top: scrollY }, ""), 100);
}

export const main = () => document.getElementById("main");

function here() {
  return location.pathname + location.search;
}

// News arrived; refresh if the page shows its subject.
export function hear(news) {
  heard += 1;
  const topics = (main().dataset.topics ?? "").split(" ");
  const about = ["*", `spec:${news.spec}`, `contest:${news.execution_id}`];
  if (about.some((topic) => topics.includes(topic))) refresh();
}

// Refreshes soon, once for many news items, and never so often that the server does nothing else.
export function refresh() {
  if (!due) due = setTimeout(refreshNow, Math.max(REFRESH_MIN, 3 * took));
}

export async function refreshNow() {
  clearTimeout(due);
  due = 0;
  // Without topics nothing on the page can change.
  if (!main().dataset.topics) return;
  // One refresh at a time: news that comes meanwhile causes another one.
  if (busy) {
    due = setTimeout(refreshNow, REFRESH_MIN);
    return;
  }
  busy = true;
  const address = shown;
  const began = performance.now();
  const html = await ask(address);
  took = performance.now() - began;
  busy = false;
  if (!html || address !== shown) return;
  morph(main(), parse(html));
  arrived();
  tell("refreshed");
}

// The `<main>` of a page as text. Empty: not a page of ours. Null: it could not be loaded, and the
// listeners have been told.
function ask(address, priority = "auto") {
  const answer = fetchPart(address, priority).finally(() => underway.delete(address));
  underway.set(address, answer);
  return answer;
}

async function fetchPart(address, priority) {
  asked.set(address, performance.now());
  try {
    const answer = await fetch(address, { headers: { "X-Part": "1" }, priority });
    const html = await answer.text();
    const ahead = Date.parse(answer.headers.get("date") ?? "") - Date.now();
    // The header has whole seconds and the answer took time, so small differences mean nothing.
    if (!Number.isNaN(ahead)) skew = Math.abs(ahead) > 3000 ? ahead : 0;
    if (answer.status === 401) {
      tell("unknown");
      return null;
    }
    if (!html.startsWith("<main")) return "";
    if (answer.ok) remember(address, html);
    return html;
  } catch {
    doubt();
    return null;
  }
}

function remember(address, html) {
  known.delete(address);
  known.set(address, html);
  if (known.size > KNOWN_MAX) known.delete(known.keys().next().value);
}

// Only text that our own server has rendered and escaped gets here.
function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").querySelector("main");
}

export async function visit(href) {
  const url = new URL(href, location.href);
  const address = url.pathname + url.search;
  const mine = ++visits;
  const before = heard;
  let html = known.get(address);
  const isOld = html !== undefined;
  if (!isOld) {
    working(true);
    html = await (underway.get(address) ?? ask(address, "high"));
    // The person has gone to another page meanwhile.
    if (mine !== visits) return;
    working(false);
  }
  if (html === null) return;
  if (html === "") {
    location.assign(url);
    return;
  }
  const stays = url.pathname === location.pathname;
  history.replaceState({ top: scrollY }, "");
  if (address !== shown) history.pushState({}, "", url);
  swap(address, html, stays ? scrollY : 0);
  if (url.hash) document.getElementById(decodeURIComponent(url.hash.slice(1)))?.scrollIntoView();
  // News that came during the request may be missing from the answer.
  if (isOld || heard !== before) refreshNow();
}

// Back and forward change the address first, so the old content must go at once.
async function back(top) {
  const address = here();
  if (address === shown) return;
  const mine = ++visits;
  const html = known.get(address);
  if (html !== undefined) {
    swap(address, html, top);
    refreshNow();
    return;
  }
  swap(address, LOADING, 0);
  const fresh = await ask(address, "high");
  if (mine !== visits || fresh === null) return;
  if (fresh === "") location.reload();
  else swap(address, fresh, top);
}

function swap(address, html, top) {
  shown = address;
  working(false);
  const next = parse(html);
  main().replaceWith(next);
  arrived();
  scrollTo({ top, behavior: "instant" });
  // Screen readers start reading at the focused element.
  next.focus({ preventScroll: true });
  tell("swapped");
}

// Updates everything that depends on `<main>`, however it came.
export function arrived() {
  const { title = "", place = "" } = main().dataset;
  const needs = [...main().querySelectorAll("[data-needs]")];
  const sum = needs.reduce((sum, each) => sum + Number(each.dataset.needs), 0);
  document.title = `${sum > 0 ? `(${sum}) ` : ""}${title} · kumite`;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.getAttribute("href") === place) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  tell("arrived");
}

function working(is) {
  document.getElementById("busy").classList.toggle("is-on", is);
}

// A link to another of our pages, or null.
function ours(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return null;
  if (/^\/(api|assets|login)\b/.test(link.pathname)) return null;
  return link;
}

function clicked(event) {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = ours(event);
  if (!link || (link.hash && link.pathname + link.search === shown)) return;
  event.preventDefault();
  visit(link.href);
}

// A person who points at a link for a moment is about to follow it, so load its page now.
let hover = 0;
function hovered(event) {
  clearTimeout(hover);
  const link = ours(event);
  if (!link) return;
  const address = link.pathname + link.search;
  const isFresh = performance.now() - (asked.get(address) ?? -Infinity) < 5000;
  if (address !== shown && !isFresh) hover = setTimeout(ask, 70, address, "low");
}
