// Confusion matrix, calibration curve, importances: what held-out rows say of the model.
import { bars, card, classColour, counted, h, percent, s } from "./dom.js";

// Rows that a rule decides are not learned from, so they are not held out either.
function undecidedNote(model) {
  return model.rules.length ? " Rows that a rule decides or contradicts are not among them." : "";
}

function confusionCard({ confusion, model }, classes) {
  if (!confusion) return null;
  const names = classes.map(String);
  const total = confusion.flat().reduce((a, b) => a + b, 0);
  const right = confusion.reduce((sum, row, k) => sum + row[k], 0);
  const cell = (row, i, j) => {
    const mass = row.reduce((a, b) => a + b, 0) || 1;
    const share = row[j] / mass;
    const colour = i === j ? "var(--for)" : "var(--against)";
    const shade = share > 0 ? `color-mix(in srgb, ${colour} ${(i === j ? 8 : 18) + share * 42}%, transparent)` : "transparent";
    const about = `${names[i]}, predicted ${names[j]}: ${percent(share)}`;
    return h("td", { class: "num cell", title: about, style: { background: shade } }, row[j] ? String(row[j] >= 100 ? Math.round(row[j]) : Math.round(10 * row[j]) / 10) : "·");
  };
  const head = h("tr", {}, h("th", {}, ""), names.map((name) => h("th", { scope: "col", class: "num" }, name)));
  const body = confusion.map((row, i) => h("tr", {}, h("th", { scope: "row" }, names[i]), row.map((_, j) => cell(row, i, j))));
  return card("Right and wrong",
    h("p", { class: "muted small" }, `Rows that were held out while learning: their class (left) and the prediction (top). ${percent(right / total)} of them are right.${undecidedNote(model)}`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "confusion matrix" },
      h("table", { class: "confusion" }, h("thead", {}, head), h("tbody", {}, body))));
}

function calibrationCard({ calibration: points, model }) {
  if (!points.length) return null;
  const size = 250;
  const pad = 34;
  const low = Math.min(0.5, ...points.map((one) => Math.min(one.confidence, one.right))) > 0.45 ? 0.4 : 0;
  const place = (value) => ((value - low) / (1 - low)) * size;
  const x = (value) => pad + place(value);
  const y = (value) => 8 + size - place(value);
  const ticks = low ? [0.4, 0.6, 0.8, 1] : [0, 0.25, 0.5, 0.75, 1];
  const most = Math.max(...points.map((one) => one.rows));
  const about = points.map((one) => `confidence ${percent(one.confidence)}: right ${percent(one.right)}`).join("; ");
  return card("Is its confidence justified?",
    h("p", { class: "muted small" }, "Held-out rows by how sure the model was, and how often it was right. On the line, 80% sure means right 80 times in 100." + undecidedNote(model)),
    s("svg", { viewBox: `0 0 ${size + pad + 20} ${size + 44}`, class: "chart", role: "img", "aria-label": `calibration curve: ${about}` },
      ticks.map((tick) => [
        s("line", { x1: x(tick), x2: x(tick), y1: y(low), y2: y(1), class: "rule" }),
        s("line", { x1: x(low), x2: x(1), y1: y(tick), y2: y(tick), class: "rule" }),
        s("text", { x: x(tick), y: size + 24, "text-anchor": "middle", class: "tick" }, `${Math.round(100 * tick)}%`),
        s("text", { x: pad - 5, y: y(tick) + 4, "text-anchor": "end", class: "tick" }, `${Math.round(100 * tick)}%`),
      ]),
      s("line", { x1: x(low), y1: y(low), x2: x(1), y2: y(1), class: "ideal" }),
      s("polyline", { points: points.map((one) => `${x(one.confidence)},${y(one.right)}`).join(" "), class: "curve" }),
      points.map((one) => s("circle", { cx: x(one.confidence), cy: y(one.right), r: 3 + 3 * Math.sqrt(one.rows / most), class: "point" },
        s("title", {}, `${counted(one.rows, "row")}, ${percent(one.confidence)} sure, ${percent(one.right)} right`))),
      s("text", { x: pad + size / 2, y: size + 40, "text-anchor": "middle", class: "tick" }, "confidence"),
    ));
}

// The classes and what counts, beside what held-out rows say.
export function measures(classes, importance, data, names) {
  return h("div", { class: "columns" }, h("div", { class: "stack" }, classes, importance),
    h("div", { class: "stack" }, confusionCard(data, names), calibrationCard(data)));
}

export function importanceCard({ importances, model }, columns, most = 12) {
  const order = importances.map((_, j) => j).sort((a, b) => importances[b] - importances[a]).filter((j) => importances[j] > 0);
  const largest = importances[order[0]] || 1;
  const items = order.map((j) => ({ name: columns[j].name, share: importances[j] / largest, value: percent(importances[j]) }));
  return card("What counts",
    h("p", { class: "muted small" }, `How much the ${model.card ? "rules" : "atoms"} of each column weigh, and how much the rows differ in them.`),
    bars(items.slice(0, most)),
    items.length > most ? h("details", {}, h("summary", {}, `${items.length - most} more`), bars(items.slice(most, 200))) : null);
}

export function classBars(classes, chances, notes = [], most = 12) {
  const order = chances.map((_, k) => k);
  if (classes.length > most) order.sort((a, b) => chances[b] - chances[a]);
  return bars(order.slice(0, most).map((k) => ({
    name: String(classes[k]), share: chances[k], value: percent(chances[k]), colour: classColour(k), title: notes[k],
  })));
}
