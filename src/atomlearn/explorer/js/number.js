// The page of a regressor: the prediction as a number with its interval, and what adds to it.
import { importanceCard } from "./charts.js";
import { Curves } from "./curves.js";
import { card, grid, h, percent, shown } from "./dom.js";
import { examplePicker, RowForm } from "./form.js";
import { isMissed, Scorer } from "./scorer.js";

const MOST_AMOUNTS = 8;

// The prediction, its interval and its summands: the numbers of predict, predict_interval and explain.
export class NumberScorer {
  constructor(data, model) {
    this.scorer = new Scorer(model);
    this.isLog = model.number.is_log;
    this.data = data;
  }

  // What the rules that a row meets add, the largest amounts first.
  amounts(has) {
    const { card: points, weighted } = this.scorer.description;
    const met = points ? this.scorer.met(has) : this.data.rules.map((_, i) => isMissed(weighted.atoms, i, has));
    const amount = (i) => (points ? points.scale * points.rules[i].points[0] : weighted.weights[i]);
    const found = met.flatMap((one, i) => (one ? [{ i, amount: amount(i), text: this.data.rules[i] }] : []));
    return found.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  }

  // The lowest and the highest number that hard rules allow.
  limits(has) {
    const met = this.scorer.rulesMet(has);
    const low = Math.max(-Infinity, ...met.filter((one) => one.low !== null).map((one) => one.low));
    return [low, Math.min(Infinity, ...met.filter((one) => one.high !== null).map((one) => one.high)), met];
  }

  predict(row) {
    return this.told(this.scorer.truth(row)).number;
  }

  told(has) {
    const [sum] = this.scorer.scores(has);
    const free = this.isLog ? Math.exp(Math.min(Math.max(sum, -700), 700)) : sum;
    const [low, high, met] = this.limits(has);
    const within = (one) => Math.min(Math.max(one, low), high);
    const number = within(free);
    const { below, above, smallest, offset, weights, atoms } = this.data.interval;
    const log = weights.reduce((total, weight, i) => total + (isMissed(atoms, i, has) ? weight : 0), offset);
    const error = Math.max(Math.exp(Math.min(Math.max(log, -700), 700)), smallest);
    const least = this.isLog ? 0 : -Infinity;
    const end = (times, none) => within(Math.max(times === null ? none : number + times * error, least));
    const rules = number === free ? [] : met.filter((one) => one.low === number || one.high === number);
    return { number, sum, rules, low: end(below, -Infinity), high: end(above, Infinity) };
  }

  factor(amount) {
    return this.isLog ? `× ${rounded(Math.exp(amount))}` : `${amount < 0 ? "−" : "+"}${rounded(Math.abs(amount))}`;
  }
}

function rounded(number) {
  return String(Number(number.toPrecision(4)));
}

export function numberPage(data, model, root) {
  const scorer = new NumberScorer(data, model);
  const { target } = model.number;
  const isCompact = Boolean(model.card);
  const numbers = data.examples.map((one) => one.number);
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const why = h("div");
  const glance = h("p", { class: "glance", "aria-hidden": "true" });
  const curves = new Curves(data, scorer.scorer, { value: (row) => scorer.predict(row), tell: rounded, what: target });
  const form = new RowForm(scorer.scorer.columns, data.cells, data.importances, (row) => {
    const has = scorer.scorer.truth(row);
    const told = scorer.told(has);
    const head = [`${target} = ${rounded(told.number)}`];
    glance.replaceChildren(...head);
    answer.replaceChildren(h("h2", {}, head), intervalOf(told, data.interval.coverage, numbers),
      ...told.rules.map((rule) => h("p", { class: "rule-met" }, h("span", { class: "tag" }, "limited by the rule"), " ", rule.text)));
    why.replaceChildren(isCompact ? cardOf(scorer, has, told) : amountsOf(scorer, has, told));
    curves.show(row);
  });
  const picker = examplePicker(data.examples, true, (example) => form.set(example.row), data.asked);
  root.replaceChildren(
    h("p", { class: "lead" }, data.summary),
    h("div", { class: "columns try" },
      h("section", { class: "card", "aria-label": "the row" }, h("h2", {}, "A row"), picker.size ? picker.element : null, form.element),
      h("div", { class: "results" },
        h("section", { class: "card", "aria-label": "the prediction" }, answer),
        h("section", { class: "card", "aria-label": "the reasons" }, h("h2", {}, isCompact ? "The whole model" : "What adds most"), why,
          data.about.map((line) => h("p", { class: "muted small" }, line))))),
    glance,
    curves.element,
    limitsCard(model.rules),
    importanceCard({ importances: data.importances, model }, scorer.scorer.columns));
  if (picker.size) picker.start();
  else form.set(data.cells.map((cells) => cells[Math.floor((cells.length - 1) / 2)] ?? null));
}

// The interval as text, and as a bar among the numbers of the training rows.
function intervalOf({ number, low, high }, coverage, numbers) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return h("p", { class: "muted small" }, "There are too few rows for an interval.");
  const [least, most] = [Math.min(low, number, ...numbers), Math.max(high, number, ...numbers)];
  const place = (one) => `${(100 * (one - least)) / (most - least || 1)}%`;
  return h("div", { class: "interval" },
    h("p", {}, `From ${rounded(low)} to ${rounded(high)} with a probability of ${percent(coverage)}`),
    h("div", { class: "interval-track", role: "img", "aria-label": `interval from ${rounded(low)} to ${rounded(high)}` },
      h("div", { class: "interval-range", style: { left: place(low), width: `${(100 * (high - low)) / (most - least || 1)}%` } }),
      h("div", { class: "interval-point", style: { left: place(number) } })),
    h("p", { class: "interval-ends muted small" }, h("span", {}, rounded(least)), h("span", {}, rounded(most))));
}

function amountsOf(scorer, has, told) {
  const all = scorer.amounts(has);
  const rest = all.slice(MOST_AMOUNTS);
  const lines = all.slice(0, MOST_AMOUNTS).map((one) => [scorer.factor(one.amount), `if ${one.text}`]);
  if (rest.length) lines.push([scorer.factor(rest.reduce((sum, one) => sum + one.amount, 0)), `${rest.length} others`]);
  return grid([["adds", true], ["rule"]], [...lines, ...ending(scorer, told)], { "aria-label": "amounts" });
}

// A scorecard: all rules, those that the row meets in bold.
function cardOf(scorer, has, told) {
  const { rules, scale } = scorer.scorer.description.card;
  const met = new Set(scorer.amounts(has).map((one) => one.i));
  const lines = rules.map((rule, i) => {
    const line = [scorer.factor(scale * rule.points[0]), `if ${scorer.data.rules[i]}`];
    return met.has(i) ? line.map((text) => h("strong", {}, text)) : line.map((text) => h("span", { class: "muted" }, text));
  });
  return grid([["adds", true], ["rule"]], [...lines, ...ending(scorer, told)], { "aria-label": "scorecard" });
}

function ending(scorer, { sum }) {
  const offset = scorer.scorer.offsets[0];
  return [[scorer.factor(offset), "always"],
    [h("strong", {}, rounded(scorer.isLog ? Math.exp(sum) : sum)), scorer.isLog ? "product" : "sum"]];
}

function limitsCard(rules) {
  if (!rules.length) return "";
  const texts = [...new Set(rules.map((one) => one.text))];
  return card("Rules that limit it", h("ul", {}, texts.map((text) => h("li", {}, text))));
}
