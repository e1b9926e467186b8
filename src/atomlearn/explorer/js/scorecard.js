// A scorecard: its rules with the points of each class, those that a row meets, and what they add up to.
import { card, formula, h, percent } from "./dom.js";
import { paintAtom } from "./pixels.js";

const FEW_CLASSES = 5; // of more, the card takes more of the page
const MOST_POINT_COLUMNS = 12; // classes with a column each; of more, only points other than zero are listed

function pointsText(number) {
  if (!number) return "0";
  return `${number < 0 ? "−" : "+"}${Number(Math.abs(number).toPrecision(6))}`;
}

function pointsClass(number) {
  return number < 0 ? "against" : number > 0 ? "for" : "muted";
}

// How dark each pixel of a rule must be: [[pixel, darkness], ...], for paintAtom.
function pixelsOf(rule, literals) {
  const found = new Map();
  for (const [pixel, operator, value] of rule.conditions.flat().map((i) => literals[i])) {
    const isDark = operator === ">" || (operator === "=" && value === true);
    if (isDark || operator === "<=" || (operator === "=" && value === false)) found.set(pixel, [...(found.get(pixel) ?? []), isDark ? 1 : 0]);
  }
  return [...found].map(([pixel, darks]) => [pixel, darks.reduce((a, b) => a + b, 0) / darks.length]);
}

export class ScorecardView {
  constructor({ scorecard, shape, summary }, scorer) {
    Object.assign(this, { scorer, shape });
    this.points = scorer.description.card;
    const { classes } = scorer;
    this.shown = classes.length === 2 ? [1] : classes.map((_, k) => k); // of two classes only the second has points
    this.isMany = this.shown.length > FEW_CLASSES;
    this.isListed = this.shown.length > MOST_POINT_COLUMNS;
    this.lines = this.points.rules.map((rule, r) => this.#line(rule, scorecard.rules[r]));
    this.count = h("span", { class: "muted small" });
    this.sums = h("tr", { class: "total" });
    this.chances = h("tr", { class: "total" });
    const heads = this.isListed ? [h("th", { scope: "col" }, "points")] : this.shown.map((k) => h("th", { scope: "col", class: "num", title: String(classes[k]) }, classes.length === 2 ? `points for ${classes[k]}` : String(classes[k])));
    const always = this.#row(h("th", { scope: "row" }, h("span", { class: "check", "aria-hidden": "true" }, "✓"), "always"), this.points.offsets, "100%", "met always");
    const kind = classes.length === 2 ? "two" : this.isListed ? "listed" : "several";
    this.element = card(scorecard.title,
      h("p", { class: "muted small" }, `The rules that the ${shape ? "drawing" : "row"} meets are marked. `, this.count),
      shape ? legend() : null,
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "scorecard" },
        h("table", { class: `scorecard ${kind}`, style: { "--classes": this.shown.length } },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "if"), heads, h("th", { scope: "col", class: "num share" }, "rows"))),
          h("tbody", {}, this.lines, always),
          h("tfoot", {}, this.sums, this.chances))),
      scorecard.about.map(sentence),
      scorecard.price ? h("p", { class: "small price" }, h("strong", {}, "The price. "), scorecard.price) : null);
    if (summary.error === null && !scorecard.price) this.element.append(h("p", { class: "muted small" }, "Its error on rows it has not seen is not known."));
  }

  #line(rule, { conditions, share }) {
    const picture = this.shape ? h("canvas", { class: "thumb", role: "img", "aria-label": "the pixels of the rule" }) : null;
    if (picture) paintAtom(picture, this.shape, pixelsOf(rule, this.scorer.literals));
    const text = formula(conditions, "and");
    const check = h("span", { class: "check" });
    return this.#row(h("th", { scope: "row" }, check, h("div", { class: "told" }, picture, text)), rule.points, share === null ? "" : `${Math.round(100 * share)}%`);
  }

  #row(head, points, share, kind = "") {
    return h("tr", { class: kind }, head, this.#cells(points, (number) => [pointsText(number), pointsClass(number)]), h("td", { class: "num share" }, share));
  }

  // A cell for each class, or one with all that are not zero.
  #cells(values, told) {
    if (!this.isListed) return this.shown.map((k) => { const [text, kind] = told(values[k]); return h("td", { class: `num points ${kind}` }, text); });
    const listed = this.shown.filter((k) => values[k]).sort((a, b) => values[b] - values[a]);
    return h("td", { class: "points" }, listed.map((k) => { const [text, kind] = told(values[k]); return h("span", { class: `entry ${kind}` }, `${this.scorer.classes[k]} ${text}`); }));
  }

  // Marks the rules that a row meets, given by its true literals; null is no row. Gives it in a few words.
  show(has, chances) {
    const met = has ? this.scorer.met(has) : this.lines.map(() => false);
    this.lines.forEach((line, r) => {
      line.classList.toggle("met", met[r]);
      line.querySelector(".check").replaceChildren(met[r] ? h("span", { role: "img", "aria-label": "met" }, "✓") : "");
    });
    this.count.textContent = has ? `It meets ${met.filter(Boolean).length} of ${met.length}.` : "";
    const excluded = [...(has ? this.scorer.excluded(has) : [])].map((k) => String(this.scorer.classes[k]));
    if (excluded.length) this.count.textContent += ` Whatever the points are, a rule excludes ${excluded.join(", ")}.`;
    const sums = this.scorer.points(met).map((sum, k) => sum + this.points.offsets[k]);
    const least = [...sums].sort((a, b) => b - a)[MOST_POINT_COLUMNS - 1] ?? -Infinity;
    const largest = (values) => (this.isListed ? values.map((one, k) => (sums[k] >= least ? one : 0)) : values); // of very many classes those that count
    const fill = (row, head, values, told) => row.replaceChildren(h("th", { scope: "row" }, head),
      ...[this.#cells(largest(values), has ? told : () => ["–", "muted"])].flat(), h("td", { class: "share" }));
    fill(this.sums, "sum", sums, (sum) => [pointsText(sum), ""]);
    fill(this.chances, this.scorer.classes.length === 2 ? `probability of ${this.scorer.classes[1]}` : "probability", chances,
      (chance) => [this.isMany ? wholePercent(chance) : percent(chance), ""]);
    const sum = this.shown.length === 1 ? `sum ${pointsText(sums[1])}, ` : "";
    return `${sum}${met.filter(Boolean).length} of ${met.length} rules`;
  }
}

function wholePercent(share) {
  return share > 0 && share < 0.005 ? "<1%" : share < 1 && share > 0.995 ? ">99%" : `${Math.round(100 * share)}%`;
}

// A sentence; where it has wide gaps, what is between them stays together.
function sentence(text) {
  const [first, ...rest] = text.split(/ {2,}/);
  return h("p", { class: "small" }, first, " ", rest.map((one) => h("span", { class: "entry" }, one)));
}

function legend() {
  const swatch = (kind, text) => h("span", { class: "swatch-text" }, h("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text);
  return h("p", { class: "muted small" }, swatch("ink", "must be ink"), " ", swatch("paper", "must be blank"), " ", swatch("any", "does not count"));
}
