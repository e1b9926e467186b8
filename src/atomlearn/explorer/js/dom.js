// Elements, and numbers as text. Text is always set as text, never as HTML, and control characters are shown as escapes.

const SVG = "http://www.w3.org/2000/svg";

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function visible(child) {
  return typeof child === "string" ? child.replace(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`) : child;
}

export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name in element && ["value", "checked", "disabled", "selected", "open"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false).map(visible).map(["p", "td"].includes(element.localName) ? whole : (one) => one));
  return element;
}

// A number stays on one line with its sign and its unit.
function whole(child) {
  return typeof child === "string" ? child.replace(/(?<=[<>≤≥=≠±×]) (?=[\d−])|(?<=\d) (?=[×±%])|(?<=\d:) (?=\d+%)/g, "\u00a0") : child;
}

export function card(title, ...children) {
  const heading = title ? [h("h2", {}, title)] : [];
  return h("section", { class: "card" }, heading, children);
}

// A control with its label.
export function labelled(text, control, attributes = {}) {
  return h("label", { class: "control", ...attributes }, h("span", { class: "muted small" }, text), control);
}

export function percent(share) {
  if (share === null) return "–";
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "<0.01%";
  if (value < 100 && value > 99.99) return ">99.99%";
  return (value > 99.5 && value < 100) || (value < 0.5 && value > 0) ? `${value.toFixed(2)}%` : `${value.toFixed(1)}%`;
}

export function shown(number) {
  if (typeof number !== "number") return number === null || number === undefined ? "missing" : String(number);
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(6)));
}

export function signed(number) {
  return `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;
}

export function counted(n, noun) {
  return `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
}

export function classColour(k) {
  return `var(--class-${k % 10})`;
}

// Bars with a name on the left and a value on the right; items are {name, share, value, colour, title}.
export function bars(items) {
  return h("div", { class: "bars" }, items.map((one) => [
    h("div", { class: "name", title: one.title ?? one.name }, one.name),
    h("div", { class: "track" },
      h("div", { class: "fill", style: { width: `${100 * one.share}%`, background: one.colour ?? "var(--bar)" } })),
    h("div", { class: "value" }, one.value),
  ]));
}

// A table; columns are [title, isNumber], cells may be text or elements.
export function grid(columns, rows, attributes = {}) {
  const kind = (j) => (columns[j][1] ? { class: "num" } : {});
  return h("div", { class: "scroll", tabindex: "0", role: "region", ...attributes },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([title], j) => h("th", { scope: "col", ...kind(j) }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, j) => h("td", kind(j), cell)))))));
}

// A disjunction; lines break between literals rather than inside them.
export function formula(literals, joint = "or") {
  if (!literals.length) return h("span", { class: "formula" }, "never");
  return h("span", { class: "formula" }, literals.map((text, i) => [
    i ? h("span", { class: "word" }, ` ${joint} `) : "", h("span", { class: "literal" }, text)]));
}
