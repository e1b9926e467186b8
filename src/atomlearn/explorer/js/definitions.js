// Definitions: formulas that can be read, and what each is worth; the classes and the rules of a model.
import { card, classColour, counted, formula, grid, h, percent, signed } from "./dom.js";
import { paintAtom } from "./pixels.js";

export function definitionsCard(definitions, title, about, missing = 0) {
  if (!definitions.length) return "";
  const drawn = definitions.some((one) => one.drawn) ? " In the pictures of atoms, every example has at least one of the pixels about as drawn; pixels in blue are not in the atom." : "";
  return card(title, h("p", { class: "muted small" }, about, drawn),
    h("div", { class: "columns" }, definitions.map((one, k) => definition(one, k))),
    missing > 0 ? h("p", { class: "muted small" }, `${missing} more are not listed.`) : null);
}

export function classDefinitions({ definitions, model }, classes) {
  const decides = model.card ? "The scorecard decides." : "The model itself weighs all atoms.";
  return definitionsCard(definitions, "The classes as rules", `Short summaries, each with its own error. ${decides}`, classes.length - definitions.length);
}

function definition(one, k) {
  return h("article", { class: "definition", style: { "border-color": classColour(k) } },
    h("h3", {}, String(one.label), one.sentence ? `: ${one.sentence}` : "", h("span", { class: "muted" }, " if")),
    one.conjecture && one.conjecture !== one.sentence ? h("p", { class: "small" }, `It looks like: ${one.conjecture}.`) : null,
    (one.rules ?? []).map((rule) => h("p", { class: "small" }, h("span", { class: "tag" }, "rule"), " ", rule)),
    one.drawn ? [pictures(one.drawn), h("details", {}, h("summary", {}, "as text"), clauses(one))] : clauses(one),
    measured(one),
    one.total > one.clauses.length ? h("p", { class: "small muted" }, `${counted(one.clauses.length, "atom")} of ${one.total.toLocaleString("en-US")}`) : null,
    h("details", {}, h("summary", {}, "as Python"), h("pre", {}, h("code", {}, one.python))));
}

function clauses(one) {
  if (!one.clauses.length) return h("p", {}, one.is_partial ? "no atom distinguishes it" : "always");
  return h("ul", { class: "clauses" }, one.parts.map((part, i) => h("li", {}, h("span", { class: "joint" }, i ? one.joint : ""), formula(part.literals, part.joint))));
}

function measured(one) {
  if (one.error === undefined) return null;
  const { coverage, exclusion, error } = one.held_out ?? one;
  const rows = one.held_out ? "held-out rows" : counted(one.rows_measured, "training row");
  return h("p", { class: "small muted" }, `Of ${rows}, it covers ${percent(coverage)} of the class and excludes ${percent(exclusion)} of the others: `,
    h("strong", {}, `${percent(error)} error`), (one.classifier_held_out_error ?? null) === null ? "" : ` (the whole model: ${percent(one.classifier_held_out_error)})`);
}

function pictures({ shape, clauses }) {
  return h("div", { class: "gallery" }, clauses.map((pixels, i) => {
    const canvas = h("canvas", { class: "thumb", role: "img", "aria-label": `atom ${i + 1}` });
    paintAtom(canvas, shape, pixels);
    return canvas;
  }));
}

// The rules that every prediction obeys; the sentences of a scorecard name them already.
export function rulesCard({ rules, card: points }) {
  if (!rules.length || points) return "";
  return card("The rules", h("p", { class: "muted small" }, "Every prediction obeys them."), h("ul", { class: "formula" }, [...new Set(rules.map((one) => one.text))].map((text) => h("li", {}, text))));
}

export function classesCard({ summary }, { classes, offsets }) {
  const errors = summary.errors_by_class;
  const hasAtoms = summary.evidence !== "card"; // a scorecard shows its own
  const atoms = (k) => (hasAtoms ? [summary.atoms_by_class[k].toLocaleString("en-US"), signed(offsets[k])] : []);
  const rows = classes.map((name, k) => [String(name), summary.rows_by_class[k].toLocaleString("en-US"), ...atoms(k), errors ? percent(errors[k]) : "not known"]);
  return card("The classes", h("p", { class: "muted small" }, "The held-out error of a class: how often the model is wrong about it on rows that it was not learned from."),
    grid([["class"], [summary.are_different ? "different training rows" : "training rows", true], ...(hasAtoms ? [["atoms", true], ["offset", true]] : []), ["held-out error", true]], rows, { "aria-label": "classes" }));
}
