// Finding something in a log: what is loaded is sifted and marked here, the rest is searched by the
// server.

import { figure, numberOf } from "./log-entry.js";

const MARKS_MAX = 2000;

export class Finder {
  // The last line that was found; 0: none.
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

  // Another text or kind: what does not fit is hidden.
  sift() {
    this.#asked += 1;
    this.found = 0;
    this.output.textContent = "";
    this.viewer.only(this.kind());
  }

  // Marks the text in what is loaded.
  mark(view) {
    clearTimeout(this.#marking);
    const text = this.text().toLowerCase();
    if (!globalThis.Highlight) return;
    if (text === "") CSS.highlights.delete("log");
    else this.#marking = setTimeout(() => CSS.highlights.set("log", new Highlight(...ranges(view, text))), 60);
  }

  // The next line in the whole log. A long one is searched piece by piece.
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

  // Behind what was found last, if that is still seen; else what is seen counts too.
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
    // Letters that become more when they are made small would move all that follows.
    if (words.length !== node.data.length) continue;
    for (let at = words.indexOf(text); at >= 0; at = words.indexOf(text, at + text.length)) {
      const [startOffset, endOffset] = [at, at + text.length];
      found.push(new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset }));
    }
  }
  return found;
}
