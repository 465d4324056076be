// Search in a log: lines that are loaded are filtered and marked here, the server searches the
// rest.

import { figure, numberOf } from "./log-entry.js";

const MARKS_MAX = 2000;

export class Finder {
  // The number of the last line found; 0 for none.
  found = 0;
  #asked = 0;
  #marking = 0;

  constructor(viewer, form, signal) {
    this.viewer = viewer;
    this.form = form;
    this.signal = signal;
    this.output = form.querySelector("output");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.find(event.submitter?.name === "back");
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.name !== "q") return;
      event.preventDefault();
      this.find(event.shiftKey);
    });
    form.addEventListener("input", () => this.sift());
  }

  end() {
    clearTimeout(this.#marking);
    CSS.highlights?.delete("log");
  }

  text() {
    return this.form.elements.q.value.trim();
  }

  kind() {
    return this.form.elements.kind?.value ?? "";
  }

  // The text or the kind has changed: hide what no longer matches.
  sift() {
    this.#asked += 1;
    this.found = 0;
    this.output.textContent = "";
    this.viewer.only(this.kind());
  }

  // Highlights the text in the loaded lines.
  mark(view) {
    clearTimeout(this.#marking);
    const text = this.text().toLowerCase();
    if (!globalThis.Highlight) return;
    if (text === "") CSS.highlights.delete("log");
    else this.#marking = setTimeout(() => CSS.highlights.set("log", new Highlight(...ranges(view, text))), 60);
  }

  // Finds the next line in the whole log. A long log is searched piece by piece.
  async find(back) {
    const mine = ++this.#asked;
    const [text, kind] = [this.text(), this.kind()];
    if (text === "" && kind === "") return this.form.elements.q.focus();
    let from = this.#start(back);
    this.output.textContent = "Searching …";
    while (from > 0) {
      const answer = await this.#ask({ q: text, kind, from, back });
      if (mine !== this.#asked || this.signal.aborted) return;
      if (answer.line) {
        this.found = answer.line;
        this.output.textContent = `Line ${figure(answer.line)}`;
        return this.viewer.toLine(answer.line);
      }
      if (answer.error) {
        this.output.textContent = answer.error;
        return;
      }
      from = answer.next ?? 0;
      if (from > 0) this.output.textContent = `Searching … line ${figure(from)}`;
    }
    this.output.textContent = back ? "No line before" : "No line after";
  }

  // Starts after the last line found if it is still visible, else at the edge of the visible lines.
  #start(back) {
    const seen = this.viewer.seen();
    const isSeen = seen.some((entry) => [entry, entry.answer].some((it) => it && numberOf(it) === this.found));
    if (isSeen) return this.found + (back ? -1 : 1);
    const edge = back ? seen.at(-1) : seen[0];
    return edge ? numberOf(edge) : this.viewer.from;
  }

  async #ask(question) {
    try {
      const address = `${this.viewer.url}/search?${new URLSearchParams(question)}`;
      const answer = await fetch(address, { signal: this.signal });
      return await answer.json();
    } catch {
      return { error: "The search broke off" };
    }
  }
}

function ranges(root, text) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && found.length < MARKS_MAX) {
    const node = walker.currentNode;
    const words = node.data.toLowerCase();
    // Some letters become longer in lower case, which would shift every later mark.
    if (words.length !== node.data.length) continue;
    for (let at = words.indexOf(text); at >= 0; at = words.indexOf(text, at + text.length)) {
      const [startOffset, endOffset] = [at, at + text.length];
      found.push(new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset }));
    }
  }
  return found;
}
