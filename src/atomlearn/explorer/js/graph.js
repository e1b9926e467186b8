// Constants, terms and atoms as a graph in three layers: atoms below, constants, terms above.
import { s } from "./dom.js";
import { writeName } from "./syntax.js";

const LIMITS = { atoms: 40, constants: 40, terms: 30 };
const ROUNDS = 12; // of ordering each layer by its neighbours
const [STEP, HEIGHT] = [58, 120];
const [NARROW, LINE] = [380, 36]; // on a phone a layer wider than this takes several lines

// Which part of a model is drawn: all of it, or what is around one constant, small relations first.
export function part(data, focus) {
  const size = ([left, right]) => left.length + right.length;
  const isNear = (side) => focus === null || side.includes(focus);
  const stated = [...(data.positive ?? []).map((one) => [...one, true]), ...(data.negative ?? []).map((one) => [...one, false])];
  const known = new Set(focus === null ? [] : [focus]);
  const takes = (members) => {
    const more = members.filter((c) => !known.has(c));
    if (known.size + more.length > LIMITS.constants) return false;
    more.forEach((c) => known.add(c));
    return true;
  };
  const relations = stated.filter(([left, right]) => isNear(left) || isNear(right)).sort((a, b) => size(a) - size(b))
    .slice(0, LIMITS.terms).filter(([left, right]) => takes([...left, ...right]));
  const atoms = (data.atoms ?? []).filter(isNear).slice(0, LIMITS.atoms);
  for (const atom of atoms) for (const c of atom) takes([c]);
  if (focus === null) data.names.forEach((_, c) => takes([c]));
  const sides = relations.flatMap(([left, right]) => [left, right]).filter((side) => side.length > 1);
  return {
    constants: [...known].sort((a, b) => a - b),
    atoms: atoms.map((atom) => atom.filter((c) => known.has(c))),
    terms: [...new Map(sides.map((side) => [side.join(" "), side])).values()],
    relations,
  };
}

export function fits(data) {
  return data.names.length <= LIMITS.constants && (data.atoms?.length ?? 0) <= LIMITS.atoms && (data.positive?.length ?? 0) + (data.negative?.length ?? 0) <= LIMITS.terms;
}

// Draws the part; calls onPick with the constant, term or atom that is chosen.
export function drawGraph(data, shown, onPick) {
  const { constants, atoms, terms, relations } = shown;
  const nodes = [
    ...atoms.map((members, i) => ({ id: `a${i}`, layer: 0, kind: "atom", label: "", members })),
    ...constants.map((c) => ({ id: `c${c}`, layer: 1, kind: "constant", label: data.names[c], members: [c] })),
    ...terms.map((members) => ({ id: `t${members.join(" ")}`, layer: 2, kind: "term", label: members.map((c) => writeName(data.names[c])).join(" "), members })),
  ];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sideId = (side) => (side.length === 1 ? `c${side[0]}` : `t${side.join(" ")}`);
  const inside = [
    ...nodes.filter((one) => one.kind === "atom").flatMap((one) => one.members.map((c) => [one.id, `c${c}`])),
    ...nodes.filter((one) => one.kind === "term").flatMap((one) => one.members.map((c) => [`c${c}`, one.id])),
  ];
  const { width, height } = placed(nodes, byId, inside);
  const above = relations.some(([left, right]) => left.length > 1 && right.length > 1) ? 60 : 0; // room for arcs
  const svg = s("svg", { viewBox: `0 ${-above} ${width} ${height + above}`, class: "graph", role: "group", style: { "min-width": `${Math.round(0.8 * width)}px` }, "aria-label": `graph of ${constants.length} constants, ${atoms.length} atoms and ${relations.length} relations` });
  const lines = inside.map(([from, to]) => ({ from, to, element: s("line", { ...ends(byId, from, to), class: "inside" }) }));
  const arcs = relations.map(([left, right, isPositive]) => ({ from: sideId(left), to: sideId(right), element: arc(byId.get(sideId(left)), byId.get(sideId(right)), isPositive) }));
  svg.append(s("defs", {}, ["for", "against"].map((name) => s("marker", { id: `arrow-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, s("path", { d: "M0 0L8 4L0 8z", class: `fill-${name}` })))),
    ...lines.map((one) => one.element), ...arcs.map((one) => one.element));
  const elements = new Map();
  for (const node of nodes) {
    const element = nodeElement(node, () => onPick(node));
    elements.set(node.id, element);
    svg.append(element);
  }
  // Show some terms, each a list of constants, what they are made of, and the atoms of some
  // constants; null shows all alike.
  const highlight = (sides, ofAtoms = []) => {
    const lit = new Set();
    for (const side of sides ?? []) {
      side.forEach((c) => lit.add(`c${c}`));
      lit.add(sideId(side));
    }
    nodes.forEach((one) => { if (one.kind === "atom" && ofAtoms.some((c) => one.members.includes(c))) lit.add(one.id); });
    svg.classList.toggle("dimmed", sides !== null);
    for (const [id, element] of elements) element.classList.toggle("lit", lit.has(id));
    for (const one of [...lines, ...arcs]) one.element.classList.toggle("lit", lit.has(one.from) && lit.has(one.to));
  };
  return { svg, highlight };
}

// Places the nodes; each layer is ordered by the middle of its neighbours, to and fro.
function placed(nodes, byId, edges) {
  const layers = [0, 1, 2].map((layer) => nodes.filter((one) => one.layer === layer));
  const near = new Map(nodes.map((one) => [one.id, []]));
  for (const [from, to] of edges) {
    near.get(from).push(byId.get(to));
    near.get(to).push(byId.get(from));
  }
  const room = (one) => Math.max(STEP * (one.kind === "atom" ? 0.55 : 1), 7.2 * Math.min(one.label.length, 26) + 22);
  const widths = layers.map((layer) => layer.reduce((sum, one) => sum + room(one), 0));
  const most = globalThis.matchMedia?.("(max-width: 40rem)").matches ? NARROW : Infinity;
  const abreast = (layer) => Math.max(1, Math.floor(most / Math.max(1, ...layer.map(room))));
  const lines = layers.map((layer) => Math.max(1, Math.ceil(layer.length / abreast(layer))));
  const extra = lines.map((n) => LINE * (n - 1)); // what a layer of several lines is higher
  const middles = [0, 1, 2].map((i) => HEIGHT * (2.15 - i) + 14 + extra.slice(i + 1).reduce((a, b) => a + b, 0) + extra[i] / 2);
  const width = Math.max(320, ...widths.map((one, i) => (lines[i] > 1 ? most : one))) + 20;
  const spread = (layer, i) => {
    for (let line = 0; line < lines[i]; line++) {
      const own = layer.filter((_, n) => n % lines[i] === line);
      const gap = (width - 20 - own.reduce((sum, one) => sum + room(one), 0)) / own.length;
      let x = 10;
      for (const one of own) {
        one.x = x + (room(one) + gap) / 2;
        one.y = middles[i] + LINE * (line - (lines[i] - 1) / 2);
        x += room(one) + gap;
      }
    }
  };
  layers.forEach(spread);
  for (let round = 0; round < ROUNDS; round++) {
    for (const i of round % 2 ? [2, 1, 0] : [0, 1, 2]) {
      const middle = (one) => (near.get(one.id).length ? near.get(one.id).reduce((sum, other) => sum + other.x, 0) / near.get(one.id).length : one.x);
      layers[i].sort((a, b) => middle(a) - middle(b));
      spread(layers[i], i);
    }
  }
  return { width, height: 2.4 * HEIGHT + extra.reduce((a, b) => a + b, 0) };
}

function ends(byId, from, to) {
  const [a, b] = [byId.get(from), byId.get(to)];
  return { x1: a.x, y1: a.y, x2: b.x, y2: b.y };
}

// A relation: an arrow from the left side to the right one; denied relations are dashed.
function arc(from, to, isPositive) {
  const name = isPositive ? "for" : "against";
  const bend = from.layer === to.layer ? -46 - Math.abs(to.x - from.x) / 12 : 0;
  const [middleX, middleY] = [(from.x + to.x) / 2 + (bend ? 0 : (isPositive ? 14 : -14)), (from.y + to.y) / 2 + bend];
  const up = to.y <= from.y ? 15 : -15;
  return s("path", { d: `M${from.x} ${from.y - 14}Q${middleX} ${middleY} ${to.x} ${to.y + (bend ? -15 : up)}`, class: `relation ${name}`, "marker-end": `url(#arrow-${name})` },
    s("title", {}, `${from.label} ${isPositive ? "<" : "!<"} ${to.label}`));
}

function nodeElement(node, pick) {
  const text = node.label.length > 26 ? `${node.label.slice(0, 25)}…` : node.label;
  const half = Math.max(15, 3.6 * text.length + 9);
  const shape = node.kind === "atom" ? s("circle", { r: 8 }) : s("rect", { x: -half, y: -14, width: 2 * half, height: 28, rx: node.kind === "term" ? 4 : 14 });
  return s("g", {
    class: `node ${node.kind}`, transform: `translate(${node.x} ${node.y})`, tabindex: "0", role: "button", "data-id": node.id,
    "aria-label": node.kind === "atom" ? `an atom in ${node.members.length} constants` : `${node.kind} ${node.label}`,
    onclick: pick, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } },
  }, shape, node.kind === "atom" ? null : s("text", { y: 4.5, "text-anchor": "middle" }, text), s("title", {}, node.kind === "atom" ? "an atom" : node.label));
}
