// The page of a classifier of tables.
import { atomsCard } from "./atoms.js";
import { classBars, importanceCard, measures } from "./charts.js";
import { Counting } from "./counting.js";
import { Curves } from "./curves.js";
import { classDefinitions, classesCard, rulesCard } from "./definitions.js";
import { card, classColour, counted, formula, grid, h, labelled, percent, shown, signed } from "./dom.js";
import { account, comparison, missedStrict, shortened } from "./evidence.js";
import { nearestFlips } from "./flips.js";
import { examplePicker, RowForm } from "./form.js";
import { ScorecardView } from "./scorecard.js";
import { Scorer, softmax } from "./scorer.js";
import { Space } from "./space.js";
import { summaryLine } from "./summary.js";
import { sumsTable } from "./sums.js";

const MOST_TERMS = 8;
const MOST_MISSED = 14; // terms of a class
const FIRST_CONFLICTS = 8;

export function tablePage(data, model, root) {
  const scorer = new Scorer(model);
  const space = new Space(scorer, data.cells);
  const counting = new Counting(scorer);
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const why = h("div");
  const sums = h("div");
  const flips = h("div");
  const points = model.card ? new ScorecardView(data, scorer) : null; // it replaces what is said of missed atoms
  const missed = points ? null : new MissedAtoms(scorer, space, data);
  const glance = h("p", { class: "glance", "aria-hidden": "true" }); // on a phone the answer is below the form
  const curves = new Curves(data, scorer);
  // A change of a column that is compared with another changes more than its own literals.
  const compared = new Set(scorer.literals.flatMap(([column, operator, value]) => (operator.endsWith(" column") ? [column, value] : [])));
  const soon = new Soon();
  const form = new RowForm(scorer.columns, data.cells, data.importances, (row) => {
    const has = scorer.truth(row);
    const parts = scorer.parts(has);
    const scores = scorer.scores(has, parts);
    const chances = softmax(scores);
    const order = chances.map((_, k) => k).sort((a, b) => scores[b] - scores[a]);
    showAnswer(answer, scorer, has, parts, chances, order[0]);
    glance.replaceChildren(...headline(scorer, chances, order[0]));
    if (points) answer.querySelector("h2").append(h("span", { class: "muted small brief" }, points.show(has, chances)));
    else {
      showWhy(why, scorer, space, data.texts, has, parts, order);
      sums.replaceChildren(sumsTable(scorer, has, parts, scores, chances));
      missed.show(has, order);
    }
    soon.run(() => {
      counting.set(has);
      const order = form.order.filter((j) => !compared.has(j));
      showFlips(flips, scorer, nearestFlips(counting, space, row, order), row, (next) => form.set(next));
      curves.show(row);
    });
  });
  const several = scorer.classes.length > 1;
  const picker = examplePicker(data.examples, data.examples_were_held_out, (example) => form.set(example.row), data.asked);
  const theRow = [picker.size ? picker.element : null, form.element];
  const nearest = several ? [h("h3", {}, "What would change the prediction"), flips] : null;
  root.replaceChildren(
    summaryLine(data),
    points ? h("div", { class: `columns try carded ${points.isMany ? "many" : ""}` },
      h("div", { class: "results" }, points.element, nearest ? h("section", { class: "card", "aria-label": "changes" }, nearest) : null),
      h("section", { class: "card", "aria-label": "the row" }, answer, theRow))
      : h("div", {}, h("div", { class: "columns try" },
        h("section", { class: "card", "aria-label": "the row" }, h("h2", {}, "A row"), theRow),
        h("div", { class: "results" },
          h("section", { class: "card", "aria-label": "the prediction" }, answer, nearest),
          several ? h("section", { class: "card", "aria-label": "the reasons" }, why, h("h3", {}, "The sums of all classes"), sums) : null, missed.element)), glance),
    curves.element,
    rulesCard(model),
    classDefinitions(data, scorer.classes),
    measures(classesCard(data, scorer), importanceCard(data, scorer.columns), data, scorer.classes),
    atomsCard(scorer, space, data.texts, data.atoms) ?? "",
    conflictsCard(data) ?? "");
  if (picker.size) picker.start();
  else form.set(data.cells.map((cells) => cells[Math.floor((cells.length - 1) / 2)] ?? null));
}

// A class and its probability.
function headline(scorer, chances, k) {
  return [h("span", { class: "dot", style: { background: classColour(k) } }), String(scorer.classes[k]), h("span", { class: "muted" }, ` ${percent(chances[k])}`)];
}

// Runs the latest of many requests: in the next frame, or, if that takes long, once they pause.
class Soon {
  constructor() {
    Object.assign(this, { timer: 0, took: 0 });
  }

  run(action) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const start = performance.now();
      action();
      this.took = performance.now() - start;
    }, this.took > 40 ? 200 : 0);
  }
}

function showAnswer(place, scorer, has, parts, chances, first) {
  const rules = [...new Map(scorer.rulesMet(has).map((rule) => [rule.text, rule])).values()]; // a rule with "or" once
  const { strict } = scorer.description;
  const notes = parts.map((one, k) => (strict ? `misses ${one.misses} of ${strict.atoms[k].starts.length - 1} atoms` : ""));
  place.replaceChildren(
    h("h2", {}, headline(scorer, chances, first)),
    ...rules.map((rule) => h("p", { class: "rule-met" }, h("span", { class: "tag" }, rule.negated ? "excluded by the rule" : "decided by the rule"), " ", h("span", {}, rule.text))),
    rules.length && !scorer.excluded(has).size ? h("p", { class: "small" }, "These rules exclude every class, so none of them is applied.") : "",
    classBars(scorer.classes, chances, notes));
}

function showWhy(place, scorer, space, texts, has, parts, [first, second]) {
  if (second === undefined) return;
  const [a, b] = [scorer.classes[first], scorer.classes[second]].map(String);
  const terms = comparison(scorer, space, has, parts, first, second);
  const total = terms.reduce((sum, one) => sum + one.value, 0);
  const largest = Math.max(...terms.map((one) => Math.abs(one.value)), 1e-9);
  const told = (one) => {
    if (one.what === "offset") return ["before any atom: the offsets of both"];
    if (one.what === "strict") return [`strict atoms: ${a} misses ${parts[first].misses}, ${b} ${parts[second].misses}`];
    if (one.what === "rest") return [`${one.n} more`];
    return [h("span", { class: "muted" }, `${scorer.classes[one.k]} misses `), formula(space.weakest(one.constants).map((c) => texts[c]))];
  };
  const line = (one) => h("li", {}, h("span", { class: "amount " + (one.value < 0 ? "against" : "for") }, signed(one.value)),
    h("span", { class: "diverging", "aria-hidden": "true" }, h("span", {
      class: one.value < 0 ? "left" : "right", style: { width: `${(50 * Math.min(Math.abs(one.value), largest)) / largest}%` } })),
    h("span", { class: "told" }, told(one)));
  const odds = scorer.excluded(has).has(second)
    ? `A rule excludes ${b}. Without it, the log-odds of ${a} against ${b} would be ` : `The log-odds of ${a} against ${b} are `;
  place.replaceChildren(
    h("h2", {}, `Why ${a} rather than ${b}`),
    h("p", { class: "muted small" }, odds, h("strong", {}, signed(total)), ", the sum of:"),
    h("ul", { class: "terms" }, shortened(terms, MOST_TERMS).map(line)));
}

function showFlips(place, scorer, found, row, apply) {
  if (!found.length) {
    place.replaceChildren(h("p", { class: "muted" }, "No change of one or two cells makes it another class."));
    return;
  }
  const changed = (changes) => { const next = [...row]; for (const one of changes) next[one.column] = one.cell; return next; };
  const step = ({ column, cell }) => [h("strong", {}, scorer.columns[column].name), ` ${cellText(scorer, column, row[column])} → ${cellText(scorer, column, cell)}`];
  place.replaceChildren(h("ul", { class: "flips" }, found.map(({ changes, scores }) => {
    const chances = softmax(scores);
    const k = chances.indexOf(Math.max(...chances));
    return h("li", {}, h("span", {}, step(changes[0]), changes[1] ? [" and ", step(changes[1])] : "", ": ",
      h("span", { class: "literal" }, headline(scorer, chances, k))),
    h("button", { type: "button", onclick: () => apply(changed(changes)) }, "Try"));
  })));
}

function cellText(scorer, column, cell) {
  if (scorer.columns[column].kind !== "boolean" || cell === null) return shown(cell);
  return cell > 0.5 ? "true" : "false";
}

// All that is added up to the score of a class: its offset, and the atoms that the row misses.
class MissedAtoms {
  constructor(scorer, space, data) {
    Object.assign(this, { scorer, space, data });
    this.select = h("select", { "aria-label": "class" }, h("option", { value: "" }, "the second most probable"),
      scorer.classes.map((name, k) => h("option", { value: k }, String(name))));
    this.select.addEventListener("change", () => this.show(this.has, this.order));
    this.place = h("div");
    this.element = h("section", { class: "card" }, h("details", {}, h("summary", {}, "Missed atoms, class by class"),
      h("div", { class: "picker" }, labelled("Class", this.select)), this.place));
  }

  show(has, order) {
    Object.assign(this, { has, order });
    const k = this.select.value === "" ? order[1] ?? order[0] : Number(this.select.value);
    const { scorer, space, data } = this;
    const parts = scorer.parts(has);
    const text = (one) => formula(space.weakest(one.constants).map((c) => data.texts[c]));
    const name = String(scorer.classes[k]);
    const { strict: base } = scorer.description;
    const terms = account(scorer, space, has, parts, k);
    const told = (one) => {
      if (one.what === "offset") return `the offset of ${name}, before any atom`;
      if (one.what === "strict") return `${parts[k].misses.toLocaleString("en-US")} of ${counted(base.atoms[k].starts.length - 1, "strict atom")} missed; a row of another class typically misses ${Math.round(base.typical[k]).toLocaleString("en-US")}`;
      if (one.what === "rest") return `${one.n} more atoms`;
      return [text(one), one.n > 1 ? h("span", { class: "muted" }, ` and ${one.n - 1} like it`) : ""];
    };
    const total = terms.reduce((sum, one) => sum + one.value, 0);
    const rows = shortened(terms, MOST_MISSED).map((one) => [signed(one.value), told(one)]);
    const note = scorer.excluded(has).has(k) ? ` A rule excludes ${name} all the same.` : "";
    const strict = missedStrict(scorer, has, k, data.atoms, 8);
    this.place.replaceChildren(
      grid([["adds", true], ["what"]], [...rows, [h("strong", {}, signed(total)), h("strong", {}, `the sum of ${name}`)]], { "aria-label": "what adds up" }),
      h("p", { class: "muted small" }, `The row misses these atoms.${note}`),
      strict.length ? grid([["missed strict atom"], ["of other classes miss it", true]], strict.map((one) => [text(one), percent(one.telling)]), { "aria-label": "missed strict atoms" }) : "");
  }
}

function conflictsCard({ conflicts, rule_conflicts: refused }) {
  if (!conflicts.length && !refused.length) return null;
  const rows = conflicts.map((one) => [
    one.rows.join(", ") + (one.n > one.rows.length ? ", …" : ""),
    Object.entries(one.labels).map(([label, n]) => `${label}: ${n}`).join(", "), String(one.kept)]);
  return card("Rows that contradict each other",
    refused.length ? [h("p", { class: "muted small" }, "These training rows contradict a rule and were left out."), h("ul", { class: "small" }, refused.map((one) => h("li", {}, one)))] : null,
    rows.length ? h("p", { class: "muted small" }, "These training rows look the same to the model and have different labels. Rows are counted from 0.") : null,
    rows.length ? conflictTable(rows.slice(0, FIRST_CONFLICTS)) : null,
    rows.length > FIRST_CONFLICTS ? h("details", {}, h("summary", {}, `${rows.length - FIRST_CONFLICTS} more`), conflictTable(rows.slice(FIRST_CONFLICTS))) : null);
}

function conflictTable(rows) {
  return grid([["rows"], ["labels"], ["learned as"]], rows, { "aria-label": "contradictions" });
}
