// Keyboard shortcuts. Single letters do nothing while somebody types.

import { main, visit } from "./page.js";

// How long a `g` waits for its second key.
const CHORD = 1500;

let chord = 0;

export function start() {
  document.addEventListener("keydown", pressed);
  document.addEventListener("input", (event) => event.target.dataset.filter && filter(event.target));
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  const types = target.closest("input, textarea, select, [contenteditable]");
  // The browser closes a dialog by itself, and nothing on the page below it moves.
  if (document.querySelector("dialog[open]")) return;
  if (types) {
    const { filter } = types.dataset;
    if (key !== "Escape" && !(key === "Enter" && filter)) return;
    // Browsers would empty the field. Keep its text, so that the person can step through the
    // matching rows.
    event.preventDefault();
    types.blur();
    if (key === "Enter") main().querySelector(`${filter} [data-item]:not([hidden]) a`)?.focus();
    return;
  }
  const goes = chord && document.querySelector(`header.top nav [data-key="${CSS.escape(key)}"]`);
  clearTimeout(chord);
  chord = 0;
  if (goes) visit(goes.getAttribute("href"));
  else if (key === "g") chord = setTimeout(() => (chord = 0), CHORD);
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "/") document.querySelector("[data-filter]")?.select();
  else if (key === "?") document.getElementById("help").showModal();
  else if (key === "Escape") document.querySelector(".toast:last-child button")?.click();
  else return;
  event.preventDefault();
}

// To the next item, or to the first one.
function step(by) {
  const items = [...main().querySelectorAll("[data-item]")].filter(isSeen);
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by];
  const link = next?.matches("a, button") ? next : next?.querySelector("a, button, summary");
  link?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const isSeen = (item) => !item.closest("[hidden], details:not([open]) > :not(summary)");

// The text of each filter, kept while the tab is open, so that it is there again when the person
// comes back.
const typed = new Map();

export function filter(field) {
  typed.set(location.pathname, field.value);
  const list = main().querySelector(field.dataset.filter);
  if (!list) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const item of list.querySelectorAll("[data-item]")) {
    const text = words.length > 0 ? item.textContent.toLowerCase() : "";
    item.hidden = !words.every((word) => text.includes(word));
    count += item.hidden ? 0 : 1;
  }
  list.classList.toggle("is-empty", count === 0);
  list.classList.toggle("is-filtered", words.length > 0);
  const output = main().querySelector("[data-filtered]");
  if (output) output.textContent = words.length > 0 ? `${count} shown` : "";
}

export function filterAgain() {
  const field = main().querySelector("[data-filter]");
  if (!field) return;
  field.value ||= typed.get(location.pathname) ?? "";
  if (field.value) filter(field);
}
