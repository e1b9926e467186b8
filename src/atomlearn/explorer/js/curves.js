// Curves of monotone statements: the probability of a class as one column changes and the row stays as it is.
import { card, classColour, h, percent, s, shown } from "./dom.js";
import { isMissing, softmax } from "./scorer.js";

const CURVE_WIDTH = 320;
const CURVE_HEIGHT = 150;
const CURVE_PAD = 40;

export class Curves {
  // A regressor says of what number the curves are, by `of`: { value(row), tell(number), what }.
  constructor(data, scorer, of = null) {
    Object.assign(this, { scorer, of, statements: data.monotone ?? [] });
    this.cells = this.statements.map(({ column }) => data.cells[column].filter((cell) => !isMissing(cell)).map(Number).sort((a, b) => a - b));
    this.places = this.statements.map(() => h("figure", { class: "curve-of-statement" }));
    this.element = this.statements.length ? card("Statements that always hold",
      h("p", { class: "muted small" }, `The ${of ? "prediction" : "probability"} as one column changes and all else of the row stays. Whatever the row, no curve ever goes the other way; check_rules() has the proof.`),
      h("div", { class: "columns" }, this.places)) : "";
  }

  // Draws the curves of a row.
  show(row) {
    this.statements.forEach((one, i) => this.places[i].replaceChildren(h("figcaption", {}, one.text), this.#drawing(one, this.cells[i], row)));
  }

  #drawing({ column, k, text }, cells, row) {
    const changed = (cell) => row.map((own, j) => (j === column ? cell : own));
    const chance = (cell) => (this.of ? this.of.value(changed(cell)) : softmax(this.scorer.scores(this.scorer.truth(changed(cell))))[k]);
    const chances = cells.map(chance);
    const tell = this.of ? this.of.tell : percent;
    const [least, most] = this.of ? [Math.min(...chances), Math.max(...chances)] : [0, 1];
    const tick = (share) => least + share * (most - least);
    const [low, high] = [cells[0], cells[cells.length - 1]];
    const x = (cell) => CURVE_PAD + (CURVE_WIDTH * (cell - low)) / (high - low || 1);
    const y = (p) => 8 + CURVE_HEIGHT * (1 - (p - least) / (most - least || 1));
    const corners = cells.flatMap((cell, i) => (i ? [`${x(cell)},${y(chances[i - 1])}`, `${x(cell)},${y(chances[i])}`] : [`${x(cell)},${y(chances[0])}`]));
    const now = row[column];
    const about = `${text}: from ${tell(chances[0])} at ${shown(low)} to ${tell(chances[chances.length - 1])} at ${shown(high)}`;
    return s("svg", { viewBox: `0 0 ${CURVE_WIDTH + CURVE_PAD + 16} ${CURVE_HEIGHT + 34}`, class: "chart", role: "img", "aria-label": about },
      [0, 0.5, 1].map(tick).map((one) => [
        s("line", { x1: x(low), x2: x(high), y1: y(one), y2: y(one), class: "rule" }),
        s("text", { x: CURVE_PAD - 6, y: y(one) + 4, "text-anchor": "end", class: "tick" }, this.of ? tell(one) : `${100 * one}%`),
      ]),
      s("polyline", { points: corners.join(" "), class: "curve", style: `stroke: ${classColour(k)}` }),
      isMissing(now) ? null : s("circle", { cx: Math.min(Math.max(x(Number(now)), x(low)), x(high)), cy: y(chance(Number(now))), r: 5, class: "point" }),
      s("text", { x: x(low), y: CURVE_HEIGHT + 26, class: "tick" }, shown(low)),
      s("text", { x: x(high), y: CURVE_HEIGHT + 26, "text-anchor": "end", class: "tick" }, shown(high)));
  }
}
