// The page of a formal context: its lattice of concepts, its implications and its table.
import { card, counted, grid, h, s } from "./dom.js";

const [WIDE, TALL, MARGIN] = [900, 110, 60];
const [BESIDE, BESIDE_ON_PHONE, EDGE] = [130, 66, 48]; // between two concepts of a layer; on a phone, where labels are on two levels

export function contextPage(data, root) {
  root.replaceChildren(
    h("p", { class: "lead" }, [counted(data.objects.length, "object"), counted(data.attributes.length, "attribute"),
      data.n_concepts === null ? data.too_large : counted(data.n_concepts, "concept"), counted(data.implications.length, "implication")].join(" · ")),
    latticeCard(data),
    card("What always holds", h("p", { class: "muted small" }, "Every other implication between attributes follows from these."),
      h("ul", { class: "formula" }, data.implications.slice(0, 200).map(([premise, conclusion]) =>
        h("li", {}, premise.length ? `if ${premise.join(" and ")}, then ${conclusion.join(" and ")}` : `always ${conclusion.join(" and ")}`)))),
    card("The context", grid([["object"], ...data.attributes.map((name) => [name])],
      data.crosses.map((row, i) => [data.objects[i], ...row.map((cross) => (cross ? "×" : ""))]), { "aria-label": "context" })));
}

function latticeCard(data) {
  if (!data.nodes.length) return data.n_concepts ? card("The concepts", h("p", { class: "muted" }, `${counted(data.n_concepts, "concept")}: too many to be drawn.`)) : "";
  const layers = new Map();
  for (const node of data.nodes) layers.set(node.y, (layers.get(node.y) ?? 0) + 1);
  const isNarrow = globalThis.matchMedia?.("(max-width: 40rem)").matches;
  const width = Math.max(isNarrow ? 340 : WIDE, (isNarrow ? BESIDE_ON_PHONE : BESIDE) * Math.max(...layers.values()));
  const aside = isNarrow ? levels(data.nodes) : data.nodes.map(() => 0);
  const height = TALL * (layers.size - 1) + 2 * MARGIN;
  const at = (node) => [node.x * width, MARGIN + node.y * (height - 2 * MARGIN)];
  const told = h("p", { class: "small", "aria-live": "polite" });
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph lattice", role: "group", style: { "min-width": `${Math.round((isNarrow ? 0.9 : 0.75) * width)}px` }, "aria-label": `lattice of ${data.nodes.length} concepts` });
  const lines = data.edges.map(([lower, upper]) => {
    const [[x1, y1], [x2, y2]] = [at(data.nodes[lower]), at(data.nodes[upper])];
    const element = s("line", { x1, y1, x2, y2, class: "inside" });
    svg.append(element);
    return { lower, upper, element };
  });
  const marks = data.nodes.map((node, i) => {
    const [x, y] = at(node);
    const anchor = x < EDGE ? "start" : x > width - EDGE ? "end" : "middle"; // labels stay inside
    const text = (names, dy, kind) => (names.length ? s("text", { x, y: y + dy, "text-anchor": anchor, class: kind }, short(names.join(", "), isNarrow ? 16 : 26)) : null);
    const pick = () => choose(i);
    const mark = s("g", { class: "node", tabindex: "0", role: "button", "aria-label": said(node), onclick: pick, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } } },
      s("title", {}, said(node)), s("circle", { cx: x, cy: y, r: 7, class: "atom" }), text(node.attributes, -13 - aside[i], "attribute"), text(node.objects, 23 + aside[i], "object"));
    svg.append(mark);
    return mark;
  });
  const contains = (one, other) => other.extent.every((name) => one.extent.includes(name));
  function choose(i) {
    const lit = data.nodes.map((node) => contains(node, data.nodes[i]) || contains(data.nodes[i], node));
    svg.classList.add("dimmed");
    marks.forEach((mark, k) => mark.classList.toggle("lit", lit[k]));
    lines.forEach((line) => line.element.classList.toggle("lit", lit[line.lower] && lit[line.upper]));
    told.textContent = said(data.nodes[i]);
  }
  const place = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "lattice" }, svg);
  requestAnimationFrame(() => { place.scrollLeft = (place.scrollWidth - place.clientWidth) / 2; }); // the top is in the middle
  return card("The concepts", h("p", { class: "muted small" }, "Each dot is a concept. An object has every attribute that is written above it, along the lines; an attribute is shared by every object below it. Choose a dot to see what is above and below."),
    place, told);
}

function said(node) {
  return `${node.extent.join(", ") || "no object"}: ${node.intent.join(", ") || "no attribute in common"}`;
}

// Every second label of a layer is further from its concept, so that neighbours do not touch.
function levels(nodes) {
  const order = nodes.map((_, i) => i).sort((i, j) => nodes[i].y - nodes[j].y || nodes[i].x - nodes[j].x);
  const place = new Array(nodes.length).fill(0);
  order.forEach((i, k) => { place[i] = k && nodes[order[k - 1]].y === nodes[i].y && !place[order[k - 1]] ? 14 : 0; });
  return place;
}

function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
