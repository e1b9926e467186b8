// What is added up for each class, and what probability that gives.
import { grid, h, percent, signed } from "./dom.js";

const MOST_CLASSES = 12;

export function sumsTable(scorer, has, parts, scores, chances) {
  const { strict, weighted } = scorer.description;
  const order = scores.map((_, k) => k).sort((a, b) => scores[b] - scores[a]);
  const shown = order.slice(0, MOST_CLASSES);
  const excluded = scorer.excluded(has);
  const rows = shown.map((k) => [
    String(scorer.classes[k]), signed(parts[k].offset),
    ...(strict ? [signed(parts[k].strict)] : []), ...(weighted ? [signed(parts[k].weighted)] : []),
    excluded.has(k) ? "excluded" : signed(scores[k]), percent(chances[k]),
  ]);
  const columns = [["class"], ["offset", true], ...(strict ? [["strict", true]] : []), ...(weighted ? [["weighted", true]] : []), ["sum", true], ["probability", true]];
  return h("div", { class: "sums" },
    h("p", { class: "muted small" }, "Each class begins with its offset.", strict ? " Strict atoms that are missed cost by their number." : "", weighted ? " Weighted atoms that are missed add their weights." : "",
      " The class with the highest sum is predicted, and probabilities are in proportion to e to the power of the sum."),
    grid(columns, rows, { "aria-label": "sums" }),
    order.length > shown.length ? h("p", { class: "muted small" }, `${order.length - shown.length} more classes have lower sums.`) : null);
}
