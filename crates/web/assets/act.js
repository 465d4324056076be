// What a person can do on a page, and the messages the page shows.

import { refreshNow, skew, visit } from "./page.js";

const SHOWN_FOR = 7000;
// Older news is not shown again to a person who comes back to the page.
const FRESH_FOR = 60_000;

export function start() {
  document.addEventListener("click", clicked);
  document.addEventListener("submit", submitted);
  document.addEventListener("keydown", (event) => {
    const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (sends && event.target.localName === "textarea") event.target.form?.requestSubmit();
  });
}

async function clicked(event) {
  const button = event.target.closest("button, dialog");
  if (!button) return;
  const { post, body, open, copy } = button.dataset;
  if (button.localName === "dialog") {
    // A click on the backdrop has the dialog as its target; a click inside hits another element.
    if (event.target === button && isOutside(button, event)) button.close();
  } else if (open) {
    document.getElementById(open)?.showModal();
  } else if ("close" in button.dataset) {
    button.closest("dialog")?.close();
  } else if (copy !== undefined) {
    await navigator.clipboard.writeText(copy);
    toast("Copied.");
  } else if (post) {
    event.preventDefault();
    if (await agreed(button)) await send(button, post, body ?? "{}");
  }
}

function isOutside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

async function submitted(event) {
  const form = event.target;
  const { post, then } = form.dataset;
  if (!post) return;
  event.preventDefault();
  const fields = fieldsOf(form, event.submitter);
  if (!(await agreed(form))) return;
  if (!(await send(event.submitter ?? form.querySelector("button"), post, JSON.stringify(fields)))) return;
  form.reset();
  form.closest("dialog")?.close();
  if (then) visit(then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fields[name])));
}

// The fields of a form as JSON. Empty optional fields are left out.
function fieldsOf(form, submitter) {
  const fields = {};
  for (const field of form.elements) {
    const { name, type, value } = field;
    if (!name || field.disabled || (type === "submit" && field !== submitter) || (type === "radio" && !field.checked)) continue;
    if (type === "checkbox") fields[name] = field.checked;
    else if (value === "" && !field.required) continue;
    else if (type === "number") fields[name] = Number(value);
    else if ("list" in field.dataset) fields[name] = value.split(/[\s,]+/).filter(Boolean);
    else fields[name] = value;
  }
  return fields;
}

// Asks for confirmation before something is destroyed.
function agreed(element) {
  const { confirm, yes } = element.dataset;
  if (!confirm) return true;
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-text").textContent = confirm;
  dialog.querySelector("[value=yes]").textContent = yes ?? "Go ahead";
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

async function send(button, url, body) {
  button?.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  try {
    const token = document.querySelector("meta[name=csrf-token]").content;
    const headers = { "Content-Type": "application/json", "X-CSRF-Token": token };
    const answer = await fetch(url, { method: "POST", headers, body });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) toast(said.message ?? "Done.");
    else toast(said.error ?? `The server refused it (${answer.status}).`, "error");
    return answer.ok;
  } catch {
    toast("The server does not answer; nothing was changed as far as this page knows.", "error");
    return false;
  } finally {
    button?.removeAttribute("aria-busy");
    if (button) button.disabled = false;
    refreshNow();
  }
}

// Shows a message for a while; errors stay until they are closed. `about` is what the message is
// about, with a link to its page.
export function toast(text, level = "info", about = null) {
  const box = document.createElement("div");
  box.className = `toast ${level}`;
  if (level === "error") box.setAttribute("role", "alert");
  const words = document.createElement(about ? "a" : "span");
  if (about) {
    words.href = about.href;
    words.append(Object.assign(document.createElement("strong"), { textContent: about.name }), " ");
  }
  // The engine marks commands in its sentences with backticks.
  words.append(text.replaceAll("`", ""));
  const close = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: "×" });
  close.setAttribute("aria-label", "Close this message");
  close.addEventListener("click", () => box.remove());
  box.append(words, close);
  document.getElementById("toasts").append(box);
  if (level !== "error") leave(box);
}

// A message stays while somebody points at it.
function leave(box) {
  setTimeout(() => (box.matches(":hover, :focus-within") ? leave(box) : box.remove()), SHOWN_FOR);
}

const told = new Set();
const TOLD_MAX = 1000;

// The server has decided whether a person is told, in which words, and how they look.
export function notice({ key, time, toast: said, spec, execution_id }) {
  const isOld = Date.now() + skew - Date.parse(time) > FRESH_FOR;
  if (!said || isOld || told.has(key)) return;
  told.add(key);
  if (told.size > TOLD_MAX) told.delete(told.values().next().value);
  const about = spec
    ? { name: spec, href: `/specs/${encodeURIComponent(spec)}` }
    : { name: "Contest", href: `/contests/${encodeURIComponent(execution_id)}` };
  toast(said.text, said.level, about);
}
