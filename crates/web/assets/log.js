// The log of an agent, seen through a moving window. The page always holds one piece without gaps,
// from line `from` to line `to`. An answer is used only if it continues that piece; one that comes
// too late or twice is dropped.

import { figure, join, numberOf, prepare, release } from "./log-entry.js";
import { Finder } from "./log-find.js";

const CHUNK = 200;
const ENTRIES_MAX = 1500;
// How many pixels before the edge of the window the next lines are requested.
const NEAR = 1500;
// A reader who follows and is more lines behind than this jumps straight to the end.
const BEHIND_MAX = 1000;
const AGAIN_AFTER = 2000;

const mounted = new Map();

export function mount(element, bus) {
  mounted.set(element, new Viewer(element, bus));
}

export function unmount(element) {
  mounted.get(element)?.end();
  mounted.delete(element);
}

class Viewer {
  #ended = new AbortController();
  #era = new Era();
  // How many lines came while the person read elsewhere in the log.
  #fresh = 0;
  // The scroll position when we last looked.
  #top = 0;
  #frame = 0;

  constructor(element, bus) {
    const { spec, agent, url, first, last, from, to } = element.dataset;
    this.element = element;
    this.url = url;
    [this.first, this.last, this.from, this.to] = [first, last, from, to].map(Number);
    this.view = element.querySelector(".log-view");
    this.place = element.querySelector(".log-position");
    this.follow = element.querySelector(".log-follow");
    this.finder = new Finder(this, element.querySelector(".log-search"), this.#ended.signal);
    this.following = this.to === this.last;
    prepare(this.entries());
    join(this.entries());
    this.#listen();
    this.offs = [
      bus.log(`${spec}/${agent}`),
      bus.on("log", (log) => log.spec === spec && log.agent === agent && this.#grown(log.lines)),
      bus.on("refreshed", () => this.#grown(Number(element.dataset.last))),
      // Get the lines that came while there was no connection.
      bus.on("open", () => this.#load("down")),
    ];
    const asked = new URLSearchParams(location.search).get("from");
    if (asked) this.#show(Number(asked));
    this.#settle();
    // The lines that came with the page may be older than the page.
    this.#load("down");
  }

  end() {
    this.#ended.abort();
    this.#era.end();
    this.finder.end();
    this.offs.forEach((off) => off());
  }

  #listen() {
    const on = (target, type, act) => target.addEventListener(type, act, { signal: this.#ended.signal });
    on(this.view, "scroll", () => this.#scrolled());
    on(this.view, "keydown", (event) => this.#key(event));
    // A person who opens a fold wants to read it, so stop following.
    on(this.view, "click", (event) => event.target.closest("summary") && this.#stay());
    on(this.follow, "click", () => this.toEnd());
    on(this.element.querySelector(".log-jump"), "submit", (event) => {
      event.preventDefault();
      if (event.submitter?.name) this.toLine(this.first);
      else this.toEnd();
    });
    on(this.element.querySelector(".log-line"), "submit", (event) => {
      event.preventDefault();
      this.toLine(event.target.elements.from.valueAsNumber);
    });
    on(window, "resize", () => this.#settle());
  }

  entries() {
    return [...this.view.children].filter((child) => child.id.startsWith("line-"));
  }

  // The visible entries, from the top.
  seen() {
    const { top, bottom } = this.view.getBoundingClientRect();
    return this.entries().filter((entry) => {
      const box = entry.getBoundingClientRect();
      return box.height > 0 && box.bottom > top && box.top < bottom;
    });
  }

  // Requests.

  async #ask(query, signal) {
    const known = this.last;
    const answer = await fetch(`${this.url}/lines?count=${CHUNK}${query}`, { signal });
    // Only text that our own server has rendered and escaped gets here.
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const box = page.body.firstElementChild;
    if (!answer.ok || !box?.dataset.last) throw new Error(`status ${answer.status}`);
    const [first, last, from, to] = ["first", "last", "from", "to"].map((name) => Number(box.dataset[name]));
    // A restarted server counts from the oldest line that is left.
    const isAnew = last < known;
    this.first = first;
    this.last = isAnew ? last : Math.max(last, this.last);
    return { from, to, entries: [...box.children], isAnew, isQuiet: this.last === known };
  }

  // Loads more lines above or below.
  async #load(side) {
    const era = this.#era;
    if (era.busy[side]) return;
    era.busy[side] = true;
    try {
      const query = side === "up" ? `&before=${this.from}` : `&from=${this.to + 1}`;
      const part = await this.#ask(query, era.signal);
      if (era !== this.#era) return;
      era.busy[side] = false;
      if (part.isAnew) this.#jump("", () => this.#atEnd());
      else this.#take(part, side);
    } catch (error) {
      era.busy[side] = false;
      this.#failed(error, () => this.#load(side));
    }
  }

  #begin() {
    this.#era.end();
    this.#era = new Era();
    return this.#era;
  }

  // Moves the window to another place.
  async #jump(query, arrive) {
    const era = this.#begin();
    era.busy = { up: true, down: true };
    era.isJump = true;
    try {
      const part = await this.#ask(query, era.signal);
      if (era !== this.#era) return;
      era.busy = {};
      era.isJump = false;
      this.#replace(part);
      arrive();
      this.#settle();
    } catch (error) {
      this.#failed(error, () => era === this.#era && this.#jump(query, arrive));
    }
  }

  #failed(error, again) {
    if (error.name === "AbortError") return;
    this.place.textContent = "Lines cannot be had just now; it is tried again.";
    setTimeout(() => this.#ended.signal.aborted || again(), AGAIN_AFTER);
  }

  // Changes of the loaded lines.

  #grown(last) {
    if (last <= this.last) return;
    this.#fresh += last - this.last;
    this.last = last;
    this.#settle();
  }

  #take(part, side) {
    const isNext = side === "up" ? part.to === this.from - 1 : part.from === this.to + 1;
    if (part.entries.length === 0) {
      // The server has no more lines, whatever we expected.
      if (side === "up") this.first = this.from;
      else if (part.isQuiet) this.last = this.to;
    } else if (isNext) {
      this.#steady(() => this.#add(part, side));
    } else if (side === "down" && this.first > this.to + 1) {
      // The lines in between are no longer kept.
      this.#replace(part);
    }
    this.#settle();
  }

  #add(part, side) {
    this.view.querySelector(".empty")?.remove();
    prepare(part.entries);
    if (side === "up") {
      this.view.prepend(...part.entries);
      this.from = part.from;
    } else {
      this.view.append(...part.entries);
      this.to = part.to;
    }
    this.#trim(side);
    join(this.entries());
  }

  // Drops surplus lines at the end opposite to `side`.
  #trim(side) {
    const entries = this.entries();
    const surplus = entries.length - ENTRIES_MAX;
    if (surplus <= 0) return;
    const dropped = side === "up" ? entries.slice(-surplus) : entries.slice(0, surplus);
    for (const entry of dropped) {
      release(entry);
      entry.remove();
    }
    if (side === "up") this.to -= surplus;
    else this.from += surplus;
  }

  #replace(part) {
    prepare(part.entries);
    this.view.replaceChildren(...part.entries);
    [this.from, this.to] = [part.from, part.to];
    join(part.entries);
  }

  // Keeps the lines being read in place while lines above them change.
  #steady(change) {
    const before = this.seen().slice(0, 20).map((entry) => [entry, entry.getBoundingClientRect().top]);
    change();
    const [entry, top] = before.find(([entry]) => entry.isConnected && entry.offsetHeight > 0) ?? [];
    if (entry && !this.following) this.#scroll(entry.getBoundingClientRect().top - top);
  }

  // The view.

  #scroll(by) {
    this.view.scrollTop += by;
    this.#top = this.view.scrollTop;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.view;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 8 && this.to === this.last;
    if (isAtEnd) this.following = true;
    else if (scrollTop < this.#top) this.following = false;
    this.#top = scrollTop;
    this.#frame ||= requestAnimationFrame(() => this.#settle());
  }

  #stay() {
    this.following = false;
    this.#settle();
  }

  #atEnd() {
    this.following = true;
  }

  // Called after every change: loads more lines where needed, and updates the text that says where
  // we are.
  #settle() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.following) {
      this.#scroll(this.view.scrollHeight);
      this.#fresh = 0;
      if (this.last - this.to > BEHIND_MAX && !this.#era.isJump) {
        this.#jump("", () => this.#atEnd());
        return;
      }
    }
    const { scrollTop, scrollHeight, clientHeight } = this.view;
    const below = scrollHeight - scrollTop - clientHeight;
    // When most lines are hidden by a filter, do not load the whole log to fill the window.
    const isSparse = scrollHeight < clientHeight + 3 * NEAR && this.to - this.from + 1 >= ENTRIES_MAX;
    if (scrollTop < NEAR && this.from > this.first && !isSparse) this.#load("up");
    if (below < NEAR && this.to < this.last && (!isSparse || this.following)) this.#load("down");
    this.#say();
    this.finder.mark(this.view);
  }

  #say() {
    const seen = this.seen();
    const edges = seen.length > 0 ? [numberOf(seen[0]), numberOf(seen.at(-1))] : [this.from, this.to];
    const [from, to] = edges.map(figure);
    const range = this.last > 0 ? `Lines ${from}–${to} of ${figure(this.last)}` : "No lines";
    const lost = this.first > 1 ? ` (lines before ${figure(this.first)} were not kept)` : "";
    this.place.textContent = range + lost;
    const fresh = this.#fresh > 0 ? ` · ${figure(this.#fresh)} new` : "";
    this.follow.textContent = (this.element.hasAttribute("data-alive") ? "Follow" : "To the end") + fresh;
    this.follow.hidden = this.following;
    // Screen readers announce new lines only to a person who follows the end.
    this.view.setAttribute("aria-live", this.following ? "polite" : "off");
  }

  #key(event) {
    if (event.target !== this.view || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") this.toLine(this.first);
    else if (event.key === "End") this.toEnd();
    else return;
    event.preventDefault();
  }

  // Shows one kind only; an empty kind shows all.
  only(kind) {
    this.#steady(() => {
      this.view.dataset.show = kind;
    });
    this.#settle();
  }

  toEnd() {
    // A jump that is still loading is given up.
    if (this.#era.isJump) this.#begin();
    this.#atEnd();
    this.#settle();
  }

  toLine(number) {
    const line = Math.min(Math.max(Math.trunc(number) || 1, this.first), Math.max(this.last, 1));
    this.following = false;
    if (line >= this.from && line <= this.to) {
      this.#show(line);
      this.#settle();
    } else {
      this.#jump(`&from=${Math.max(this.first, line - CHUNK / 2)}`, () => this.#show(line));
    }
  }

  #show(line) {
    this.following = false;
    const found = this.view.querySelector(`#line-${line}`);
    const entry = found?.call ?? found;
    if (!entry) return;
    this.view.querySelector(".is-found")?.classList.remove("is-found");
    entry.classList.add("is-found");
    const text = this.finder.text().toLowerCase();
    const fold = entry.querySelector("details");
    const head = fold?.querySelector("summary").textContent.toLowerCase();
    if (fold && text && !head.includes(text)) fold.open = true;
    const above = entry.getBoundingClientRect().top - this.view.getBoundingClientRect().top;
    this.#scroll(above - Math.max(0, (this.view.clientHeight - entry.offsetHeight) / 3));
  }
}

// The time between two jumps. Answers to requests of an earlier era are ignored.
class Era {
  busy = {};
  isJump = false;
  #controller = new AbortController();

  get signal() {
    return this.#controller.signal;
  }

  end() {
    this.#controller.abort();
  }
}
