// Makes an element on the page equal to a new version from the server. Only what differs is
// touched, so focus, selection, scroll positions, open folds and typed text survive.

export function morph(from, to) {
  const focused = document.activeElement;
  const caret = caretOf(focused);
  element(from, to);
  // A node that was moved loses the focus.
  if (focused && focused !== document.activeElement && focused !== document.body) {
    const again = focused.isConnected ? focused : focused.id && document.getElementById(focused.id);
    if (again) {
      again.focus({ preventScroll: true });
      if (caret && again === focused) again.setSelectionRange(...caret);
    }
  }
}

function element(from, to) {
  if (from.isEqualNode(to)) return;
  // The script has already put the local time into it.
  if (from.localName === "time" && same(from, to, "datetime") && same(from, to, "class")) return;
  attributes(from, to);
  if (from.hasAttribute("data-keep")) return;
  if (from.localName === "textarea") {
    if (!isTouched(from)) from.value = to.defaultValue;
    from.defaultValue = to.defaultValue;
    return;
  }
  children(from, to);
}

const same = (from, to, name) => from.getAttribute(name) === to.getAttribute(name);

// Attributes that the person or the script sets, not the server.
const OURS = {
  details: ["open"],
  dialog: ["open"],
  button: ["disabled", "aria-busy"],
  td: ["data-label"],
};

function attributes(from, to) {
  // The script hides rows that do not match the filter.
  const ours = from.hasAttribute("data-item") ? ["hidden"] : (OURS[from.localName] ?? []);
  const touched = from.localName === "input" && isTouched(from);
  for (const { name, value } of [...to.attributes]) {
    if (!ours.includes(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!ours.includes(name) && !to.hasAttribute(name)) from.removeAttribute(name);
  }
  // For a field, attributes only give its first value.
  if (from.localName === "input" && !touched) {
    if (from.value !== to.defaultValue && from.type !== "file") from.value = to.defaultValue;
    from.checked = to.defaultChecked;
  }
}

function isTouched(field) {
  if (field === document.activeElement) return true;
  const isBox = field.type === "checkbox" || field.type === "radio";
  return isBox ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

// Two children match if they have the same id. A child without an id matches the next child without
// an id, if both have the same name.
function children(from, to) {
  const known = new Map();
  for (const child of from.children) if (child.id) known.set(child.id, child);
  const wanted = new Set();
  for (const child of to.children) if (child.id) wanted.add(child.id);
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    // Remove children that the new version no longer has.
    while (at && at.id && !wanted.has(at.id)) at = remove(at);
    const match = next.id ? sameName(known.get(next.id), next) : nameless(at, next);
    if (!match) {
      from.insertBefore(next, at);
    } else {
      if (match === at) at = at.nextSibling;
      else move(from, match, at);
      if (match.nodeType === Node.ELEMENT_NODE) element(match, next);
      else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue;
    }
  }
  while (at) at = remove(at);
}

const sameName = (node, next) => (node && node.nodeName === next.nodeName ? node : null);

// The next child without an id, if it can become `next`.
function nameless(at, next) {
  for (let node = at; node; node = node.nextSibling) {
    if (!node.id) return sameName(node, next);
  }
  return null;
}

function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

// `moveBefore` keeps focus and animations; not every browser has it.
function move(parent, node, before) {
  if (parent.moveBefore) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

function caretOf(field) {
  if (!field || (field.localName !== "textarea" && field.localName !== "input")) return null;
  return field.selectionStart === null ? null : [field.selectionStart, field.selectionEnd];
}
