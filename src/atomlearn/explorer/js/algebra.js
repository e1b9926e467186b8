// The page of an algebra: its graph, and a question to ask of it.
import { Relations } from "./closing.js";
import { definitionsCard } from "./definitions.js";
import { card, counted, grid, h, labelled } from "./dom.js";
import { drawGraph, fits, part } from "./graph.js";
import { parseRelation, writeName } from "./syntax.js";

const FIRST_ATOMS = 20;
const FIRST_CONSTANTS = 16; // of an atom
const VERDICTS = {
  follows: ["for", "It holds in every model of the relations."],
  contradicted: ["against", "It holds in no model of the relations."],
  open: ["", "Some models of the relations have it and some do not."],
};

export function algebraPage(data, root) {
  const known = data.positive ? new Relations(data.names.length, data.positive, data.negative) : null;
  const answer = h("div", { "aria-live": "polite" });
  const sketch = new Sketch(data);
  const input = h("input", { type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "relation", class: "query", placeholder: "v < c1 c3" });
  const ask = (event) => {
    event?.preventDefault();
    answer.replaceChildren(...answered(data, known, input.value, sketch));
  };
  const first = data.positive?.[0] ?? data.negative?.[0];
  input.value = first ? relationLine(data, first, true) : "";
  root.replaceChildren(
    h("p", { class: "lead" }, [counted(data.names.length, "constant"),
      known ? `${data.positive.length} positive and ${data.negative.length} negative relations` : "a model, without the relations it was learned from",
      data.n_atoms ? `${counted(data.n_atoms, "atom")}${known ? " in the model that was learned" : ""}` : ""].filter(Boolean).join(" · ")),
    known ? conflictsOf(data) : "",
    card("Ask", h("p", { class: "muted small" }, "Is one term contained in another? Names separated by blanks, with < between them, or !< for the opposite."),
      h("form", { class: "picker ask", onsubmit: ask }, labelled("Relation", input), h("button", { class: "primary" }, "Ask")), answer),
    sketch.element,
    definitionsCard(data.definitions, "Definitions", "What a term must have to contain a constant."),
    atomsOf(data),
    known ? relationsCard(data, (one, isPositive) => { input.value = relationLine(data, one, isPositive); ask(); }) : "");
  input.addEventListener("input", () => { if (input.value.trim()) ask(); else answer.replaceChildren(); });
  if (input.value) {
    ask();
    sketch.highlight(data.conflicts?.length ? clashing(data) : null); // all of it, until something is asked
  }
}

function relationLine(data, [left, right], isPositive) {
  const names = (side) => side.map((c) => writeName(data.names[c])).join(" ");
  return `${names(left)} ${isPositive ? "<" : "!<"} ${names(right)}`;
}

function answered(data, known, text, sketch) {
  let asked;
  try {
    asked = parseRelation(text);
    const index = (name) => {
      const at = data.names.indexOf(name);
      if (at < 0) throw new Error(`there is no constant ${writeName(name)}`);
      return at;
    };
    asked.left = [...new Set(asked.left.map(index))].sort((a, b) => a - b);
    asked.right = [...new Set(asked.right.map(index))].sort((a, b) => a - b);
  } catch (error) {
    sketch.highlight(null);
    return [h("p", { class: "muted" }, error.message)];
  }
  const { told, used } = known ? ofRelations(data, known, asked) : { told: [], used: [] };
  sketch.highlight([asked.left, asked.right, ...used.flat()], asked.left);
  return [...told, ...(data.atoms ? ofModel(data, asked) : [])];
}

// What the relations say, and which of them are needed for it.
function ofRelations(data, known, { left, right, isPositive }) {
  if (known.conflicts().length) return { told: [h("p", { class: "against" }, "The relations contradict each other, so the question has no answer.")], used: [] };
  const { verdict, derivation, breaks } = known.query(left, right, isPositive);
  const [colour, meaning] = VERDICTS[verdict];
  const positive = [...data.positive, [left, right]];
  const lines = derivation.map((r) => h("li", {}, relationLine(data, positive[r], true), r === data.positive.length ? h("span", { class: "muted" }, " (as assumed)") : ""));
  const why = breaks !== null
    ? `If ${relationLine(data, [left, right], true)} held, ${relationLine(data, data.negative[breaks], false)} would fail, because:`
    : derivation.length ? `${relationLine(data, [left, right], true)} follows from:` : verdict === "open" ? "" : "The right side contains the left.";
  const told = [h("p", { class: "verdict" }, h("strong", { class: colour }, verdict), ` ${meaning}`), why ? h("p", {}, why) : "", lines.length ? h("ol", { class: "formula" }, lines) : ""];
  return { told: told.filter(Boolean), used: [...derivation.map((r) => positive[r]), ...(breaks === null ? [] : [data.negative[breaks]])] };
}

// A model answers by its atoms: those of the left side that the right side lacks.
function ofModel(data, { left, right, isPositive }) {
  const has = (atom, side) => side.some((c) => atom.includes(c));
  const apart = data.atoms.filter((atom) => has(atom, left) && !has(atom, right));
  const holds = (apart.length === 0) === isPositive;
  const names = (atom) => atom.map((c) => writeName(data.names[c])).join(" ");
  return [h("p", {}, "In this model it is ", h("strong", { class: holds ? "for" : "against" }, holds ? "true" : "false"),
    apart.length ? `: ${counted(apart.length, "atom")} of the left side ${apart.length === 1 ? "is" : "are"} not in the right side.` : ": every atom of the left side is in the right side."),
  apart.length ? h("details", {}, h("summary", {}, "these atoms"), h("ul", { class: "formula" }, apart.slice(0, 50).map((atom) => h("li", {}, names(atom))))) : ""].filter(Boolean);
}

function atomsOf(data) {
  if (!data.atoms?.length) return "";
  const names = (constants) => constants.map((c) => writeName(data.names[c])).join(" ");
  const line = (atom) => [String(atom.length), atom.length <= FIRST_CONSTANTS ? names(atom)
    : [names(atom.slice(0, FIRST_CONSTANTS)), h("details", {}, h("summary", {}, `${atom.length - FIRST_CONSTANTS} more`), names(atom.slice(FIRST_CONSTANTS)))]];
  const table = (atoms) => grid([["size", true], ["in the constants"]], atoms.map(line), { "aria-label": "atoms of the model" });
  const rest = data.atoms.slice(FIRST_ATOMS);
  return card("The atoms", h("p", { class: "muted small" }, "A term contains an atom if it has one of these constants; a < b holds if b contains every atom of a."),
    table(data.atoms.slice(0, FIRST_ATOMS)), rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), table(rest)) : null);
}

// Every minimal conflict (the first twenty), and the fewest relations to withdraw.
function conflictsOf(data) {
  if (!data.conflicts.length) return "";
  return card("Contradictions", h("p", { class: "muted small" }, "None of these can hold together. They are marked in the graph and in the list of relations."),
    data.conflicts.map(({ negative, derivation }) => [
      h("p", { class: "against" }, `${relationLine(data, data.negative[negative], false)} fails${derivation.length ? ", because:" : " by itself: the right side contains the left"}`),
      h("ol", { class: "formula" }, derivation.map((r) => h("li", {}, relationLine(data, data.positive[r], true))))]),
    h("p", {}, data.repairs.length > 1 ? "Withdraw any one of these lines to repair it:" : "To repair it, withdraw:"),
    h("ul", { class: "formula" }, data.repairs.map((repair) => h("li", {}, repair.map(([is, r]) => relationLine(data, is ? data.positive[r] : data.negative[r], is)).join(", ")))));
}

// The sides of all relations that are part of a conflict.
function clashing(data) {
  return data.conflicts.flatMap(({ negative, derivation }) => [data.negative[negative], ...derivation.map((r) => data.positive[r])]).flat();
}

// The graph, of everything or around one constant.
class Sketch {
  constructor(data) {
    this.data = data;
    this.place = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "graph" });
    this.told = h("p", { class: "small", "aria-live": "polite" });
    const whole = fits(data);
    const select = h("select", { "aria-label": "constant", onchange: () => this.draw(select.value === "" ? null : Number(select.value)) },
      whole ? h("option", { value: "" }, "everything") : null, data.names.slice(0, 2000).map((name, c) => h("option", { value: c }, name)));
    this.element = card("The graph",
      h("p", { class: "muted small" }, "Atoms (below) are in constants, and constants in terms (above). Arrows are relations: ", h("span", { class: "for" }, "stated"), " or ", h("span", { class: "against" }, "denied"), ". Choose a node to see its atoms."),
      h("div", { class: "picker" }, labelled("Show", select)), this.place, this.told);
    this.draw(whole ? null : 0);
  }

  draw(focus) {
    this.shown = drawGraph(this.data, part(this.data, focus), (node) => this.pick(node));
    this.place.replaceChildren(this.shown.svg);
    this.picked = null;
  }

  pick(node) {
    if (this.picked === node.id) {
      this.picked = null;
      this.shown.highlight(null);
      this.told.textContent = "";
      return;
    }
    this.picked = node.id;
    const names = node.members.map((c) => writeName(this.data.names[c])).join(" ");
    if (node.kind === "atom") {
      this.shown.highlight(node.members.map((c) => [c]));
      this.shown.svg.querySelector(`[data-id="${node.id}"]`).classList.add("lit");
      this.told.textContent = `An atom that is in ${names}.`;
      return;
    }
    this.shown.highlight([node.members], node.members);
    const n = (this.data.atoms ?? []).filter((atom) => atom.some((c) => node.members.includes(c))).length;
    this.told.textContent = `${names}${this.data.atoms ? ` has ${counted(n, "atom")}` : ""}.`;
  }

  highlight(sides, ofAtoms) {
    this.picked = null;
    this.shown.highlight(sides, ofAtoms);
  }
}

// The relations, those of a line with variables folded into it, those of a conflict marked.
function relationsCard(data, onPick) {
  const bad = new Set(data.conflicts.flatMap(({ negative, derivation }) => [`!${negative}`, ...derivation.map(String)]));
  const key = (is, r) => (is ? String(r) : `!${r}`);
  const line = ([is, r]) => h("li", {}, h("button", { type: "button", class: bad.has(key(is, r)) ? "link against" : "link", onclick: () => onPick(is ? data.positive[r] : data.negative[r], is) },
    relationLine(data, is ? data.positive[r] : data.negative[r], is)), bad.has(key(is, r)) ? h("span", { class: "muted small" }, " in a contradiction") : "");
  const folded = new Set(data.lines.flatMap((one) => one.relations.map(([is, r]) => key(is, r))));
  const all = [...data.positive.map((_, r) => [true, r]), ...data.negative.map((_, r) => [false, r])].filter(([is, r]) => !folded.has(key(is, r)));
  if (!all.length && !data.lines.length) return "";
  const rest = all.slice(20, 500);
  return card("The relations",
    data.lines.map(({ number, text, relations }) => {
      const clash = relations.some(([is, r]) => bad.has(key(is, r)));
      return h("details", { class: "line", open: clash }, h("summary", { class: clash ? "against" : "" }, h("span", { class: "formula" }, text), h("span", { class: "muted small" }, ` line ${number}, ${counted(relations.length, "relation")}`)),
        h("ul", { class: "relations formula" }, [...relations].sort((a, b) => bad.has(key(...b)) - bad.has(key(...a))).slice(0, 200).map(line)));
    }),
    h("ul", { class: "relations formula" }, all.slice(0, 20).map(line)),
    rest.length ? h("details", {}, h("summary", {}, `${all.length - 20} more`), h("ul", { class: "relations formula" }, rest.map(line))) : null);
}
