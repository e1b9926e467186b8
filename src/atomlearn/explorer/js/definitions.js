// The classes as rules that can be read, and what each is worth.
import { card, classColour, counted, formula, h, percent } from "./dom.js";

export function definitionsCard(definitions, classes) {
  if (!definitions.length) return null;
  return card("The classes as rules",
    h("p", { class: "muted small" }, "Short summaries, each with its own error. The model itself weighs all atoms."),
    h("div", { class: "columns" }, definitions.map((one, k) => definition(one, k))),
    definitions.length < classes.length ? h("p", { class: "muted small" }, `${classes.length - definitions.length} more classes are not listed.`) : null);
}

function definition(one, k) {
  const measured = one.held_out
    ? `Of held-out rows, it covers ${percent(one.held_out.coverage)} of the class and excludes ${percent(one.held_out.exclusion)} of the others: `
    : `Of ${counted(one.rows_measured, "training row")}, it covers ${percent(one.coverage)} of the class and excludes ${percent(one.exclusion)} of the others: `;
  const error = one.held_out ? one.held_out.error : one.error;
  return h("article", { class: "definition", style: { "border-color": classColour(k) } },
    h("h3", {}, String(one.label), one.sentence ? `: ${one.sentence}` : "", h("span", { class: "muted" }, " if")),
    one.rules.map((rule) => h("p", { class: "small" }, h("span", { class: "tag" }, "rule"), " ", rule)),
    one.clauses.length
      ? h("ul", { class: "clauses" }, one.parts.map((part, i) => h("li", {}, h("span", { class: "joint" }, i ? one.joint : ""), formula(part.literals, part.joint))))
      : h("p", {}, one.is_partial ? "no atom distinguishes it" : "always"),
    h("p", { class: "small muted" }, measured, h("strong", {}, `${percent(error)} error`),
      one.classifier_held_out_error === null ? "" : ` (the whole model: ${percent(one.classifier_held_out_error)})`),
    one.total > one.clauses.length ? h("p", { class: "small muted" }, `${counted(one.clauses.length, "atom")} of ${one.total.toLocaleString("en-US")}`) : null);
}
