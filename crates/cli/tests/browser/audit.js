// What is wrong with a page for people with poor sight, a keyboard, or a phone. Evaluates to a list
// of sentences; an empty list is good.
(() => {
  const wrong = [];
  const say = (text, element) => wrong.push(element ? `${text}: ${element.outerHTML.slice(0, 140)}` : text);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  // For screen readers only.
  const isForEars = (element) => element.closest(".hide, .skip");

  // Structure.
  if (document.documentElement.lang !== "en") say("no language");
  if (!document.title.endsWith("kumite")) say(`the title is ${document.title}`);
  if (all("main").length !== 1) say("there is not one main");
  const heads = all("h1, h2, h3, h4, h5, h6").filter(isShown).filter((it) => !it.closest(".doc"));
  if (heads.filter((it) => it.localName === "h1").length !== 1) say(`${heads.filter((it) => it.localName === "h1").length} h1`);
  heads.forEach((head, index) => {
    const level = Number(head.localName[1]);
    const before = index === 0 ? 0 : Number(heads[index - 1].localName[1]);
    if (level > before + 1) say(`h${level} follows h${before}`, head);
    if (!head.textContent.trim()) say("an empty heading", head);
  });
  if (document.querySelector(".doc h1")) say("a document has an h1 of the page", document.querySelector(".doc h1"));
  const ids = new Set();
  for (const { id } of all("[id]")) {
    if (ids.has(id)) say(`the id ${id} occurs twice`);
    ids.add(id);
  }
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const element of all(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(" ")) if (!ids.has(id)) say(`${name} leads nowhere`, element);
    }
  }
  for (const label of all("label[for]")) if (!ids.has(label.htmlFor)) say("a label for nothing", label);

  // Names.
  const text = (element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("[aria-hidden=true]").forEach((it) => it.remove());
    const images = [...copy.querySelectorAll("img[alt], [aria-label]")].map((it) => it.alt ?? it.getAttribute("aria-label"));
    return (copy.textContent + images.join("")).trim();
  };
  const nameOf = (element) => {
    const labelled = element.getAttribute("aria-labelledby");
    if (labelled) return text(document.getElementById(labelled));
    if (element.getAttribute("aria-label")) return element.getAttribute("aria-label").trim();
    if (element.labels?.length) return text(element.labels[0]);
    if (element.matches("input, select, textarea")) return "";
    return text(element) || (element.title ?? "").trim();
  };
  // The script names a dialog before it opens it.
  for (const element of all("button, input:not([type=hidden]), select, textarea, a[href], summary, dialog[open], progress, meter, [role=button]")) {
    if (!element.closest("[aria-hidden=true]") && !nameOf(element)) say("no name", element);
  }
  for (const element of all("nav, [role=log], [role=group]")) if (!element.ariaLabel && !element.hasAttribute("aria-labelledby")) say("no name", element);
  for (const element of all("img")) if (!element.hasAttribute("alt")) say("no alt", element);
  for (const svg of all("svg")) {
    const told = svg.getAttribute("aria-label") || svg.querySelector("title") || svg.closest("[aria-hidden=true]");
    if (!told) say("a picture without words", svg);
  }
  for (const head of all("table.list thead th")) if (!head.scope) say("a head without scope", head);
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) say("a tab order of its own", element);
  for (const element of all("[onclick], [onload], [onerror], [style]")) say("inline", element);

  // Space. A phone would zoom out, and then the window is as wide as its content.
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = all("body *").filter((it) => isShown(it) && it.getBoundingClientRect().right > clientWidth + 1 && !it.closest(".scroll"));
    say(`it is ${scrollWidth} wide, the window ${clientWidth}`, wide.at(-1));
  }
  for (const element of all("button, input:not([type=hidden]), select, textarea, summary, a.button, nav a, .tabs a")) {
    if (!isShown(element) || isForEars(element)) continue;
    const { width, height } = element.getBoundingClientRect();
    // WCAG 2.2, 2.5.8: a finger needs 24.
    if (matchMedia("(pointer: coarse)").matches && (width < 24 || height < 24)) say(`only ${Math.round(width)} x ${Math.round(height)}`, element);
  }

  // Contrast: every piece of text against its background.
  const parse = (colour) => {
    const canvas = (window.auditCanvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }));
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, index) => part * a + below[index] * (1 - a)).concat(1);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = parse(getComputedStyle(at).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    const canvas = parse(getComputedStyle(document.body).backgroundColor);
    return layers.reverse().reduce((below, layer) => over(layer, below), canvas[3] === 1 ? canvas : [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("svg, option, script") || !isShown(element) || isForEars(element)) continue;
    if (element.closest(":disabled")) continue;
    const style = getComputedStyle(element);
    const background = behind(element);
    const key = `${style.color} ${background} ${style.fontSize} ${style.fontWeight}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const opacity = (() => {
      let all = 1;
      for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
      return all;
    })();
    const [r, g, b, a] = parse(style.color);
    const [one, two] = [light(over([r, g, b, a * opacity], background)), light(background)];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)} of ${style.color}`, element);
  }
  return wrong;
})()
