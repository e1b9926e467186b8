// The page of a classifier of images: draw, and see the classes compete.
import { classBars, measures } from "./charts.js";
import { classDefinitions, classesCard, rulesCard } from "./definitions.js";
import { card, classColour, counted, h, percent, s } from "./dom.js";
import { Pad } from "./pad.js";
import { largestCell, meanExtent, paint } from "./pixels.js";
import { ScorecardView } from "./scorecard.js";
import { isMissed, Scorer, softmax } from "./scorer.js";
import { summaryLine } from "./summary.js";
import { sumsTable } from "./sums.js";

const PANELS = 4;
const HARDEST_SHOWN = 24;
const MOST_STEPS = 120; // of the course of a drawing

export function imagePage(data, model, root) {
  const scorer = new Scorer(model);
  const { shape } = data;
  const most = largestCell(data.cells);
  const darkness = (row) => row.map((cell) => Math.min(1, Math.max(0, (cell ?? 0) / most)));
  const fit = meanExtent(data.examples.map((one) => darkness(one.row)), shape);
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const course = new Course(scorer.classes);
  const points = model.card ? new ScorecardView(data, scorer) : null; // it replaces what is said of missed atoms
  const panels = points ? null : new Panels(scorer, shape);
  const sums = h("div");
  let waiting = 0;
  const judge = (image) => {
    const has = scorer.truth(Array.from(image, (dark) => dark * most));
    const parts = scorer.parts(has);
    const scores = scorer.scores(has, parts);
    const chances = softmax(scores);
    const order = chances.map((_, k) => k).sort((a, b) => chances[b] - chances[a]);
    const isBlank = image.every((dark) => dark < 0.01);
    const notes = parts.map((one) => (one.misses === null ? "" : `misses ${counted(one.misses, "atom")}`));
    answer.replaceChildren(isBlank
      ? h("h2", { class: "muted" }, "Draw something")
      : h("h2", {}, h("span", { class: "dot", style: { background: classColour(order[0]) } }), String(scorer.classes[order[0]]), h("span", { class: "muted" }, ` ${percent(chances[order[0]])}`)),
    classBars(scorer.classes, isBlank ? chances.map(() => 0) : chances, notes, 20));
    if (isBlank) course.clear();
    else course.add(chances);
    if (points) points.show(isBlank ? null : has, chances);
    else {
      panels.show(image, has, parts, chances, order, isBlank);
      sums.replaceChildren(isBlank ? "" : sumsTable(scorer, has, parts, scores, chances));
    }
  };
  const pad = new Pad(shape, fit, (image) => {
    cancelAnimationFrame(waiting); // several moves of a finger in one frame are judged once
    waiting = requestAnimationFrame(() => judge(image));
  });
  const fitted = h("input", { type: "checkbox", checked: true, onchange: () => { pad.fit = fitted.checked ? fit : null; judge(pad.small()); } });
  const load = (example) => { course.clear(); pad.load(darkness(example.row)); pad.element.scrollIntoView({ block: "nearest" }); };
  const drawing = [data.asked ? h("h2", {}, data.asked.about) : null, pad.element,
    h("div", { class: "picker" }, h("button", { type: "button", onclick: () => pad.clear() }, "Clear"),
      h("label", { class: "small" }, fitted, " centre and size it as the training images"))];
  root.replaceChildren(
    summaryLine(data),
    ...(points ? [h("div", { class: "columns try carded many drawn" },
      h("div", { class: "results" }, points.element),
      h("section", { class: "card", "aria-label": "the drawing" }, drawing, answer, course.element))]
      : [h("div", { class: "columns draw" },
        h("section", { class: "card", "aria-label": "the drawing" }, drawing),
        h("section", { class: "card", "aria-label": "the prediction" }, answer, course.element)),
      panels.element,
      h("section", { class: "card" }, h("details", {}, h("summary", {}, "The sums of all classes"), sums))]),
    hardestCard(data, shape, darkness, load),
    rulesCard(model),
    classDefinitions(data, scorer.classes),
    measures(classesCard(data, scorer), pixelsCard(data, shape), data, scorer.classes));
  if (data.asked) pad.load(darkness(data.asked.row));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => pad.redraw());
}

// How the probabilities changed while drawing.
class Course {
  constructor(classes) {
    this.lines = classes.map((name, k) => s("polyline", { class: "course", style: { stroke: classColour(k) } }, s("title", {}, String(name))));
    this.element = h("figure", {}, s("svg", { viewBox: "0 0 300 70", preserveAspectRatio: "none", class: "chart wide", role: "img", "aria-label": "probabilities while drawing" },
      s("line", { x1: 0, x2: 300, y1: 66, y2: 66, class: "rule" }), this.lines),
    h("figcaption", {}, "the classes while you draw"));
    this.clear();
  }

  clear() {
    this.steps = [];
    this.lines.forEach((line) => line.setAttribute("points", ""));
  }

  add(chances) {
    this.steps.push(chances);
    if (this.steps.length > MOST_STEPS) this.steps.shift();
    const x = (i) => (300 * i) / Math.max(1, this.steps.length - 1);
    this.lines.forEach((line, k) => line.setAttribute("points", this.steps.map((one, i) => `${x(i).toFixed(1)},${(66 - 62 * one[k]).toFixed(1)}`).join(" ")));
  }
}

// The atoms of the most probable classes that are missed and held, laid over the drawing.
class Panels {
  constructor(scorer, shape) {
    Object.assign(this, { scorer, shape });
    this.canvases = scorer.classes.slice(0, PANELS).map(() => h("canvas", { class: "panel", role: "img" }));
    this.captions = this.canvases.map(() => h("figcaption"));
    this.kinds = ["missed", "held"].map((kind) => h("input", { type: "checkbox", value: kind, checked: kind === "missed", onchange: () => this.again() }));
    this.element = card("What speaks for and against",
      h("p", { class: "muted small" }, "The drawing as the model sees it. ", h("strong", { class: "against" }, "Red"), ": pixels of atoms that it misses, which speak against the class. ",
        h("strong", { class: "for" }, "Green"), ": pixels by which it has the others."),
      h("div", { class: "picker small" }, h("label", {}, this.kinds[0], " missed"), h("label", {}, this.kinds[1], " held")),
      h("div", { class: "panels" }, this.canvases.map((canvas, i) => h("figure", {}, canvas, this.captions[i]))));
  }

  again() {
    if (this.latest) this.show(...this.latest);
  }

  show(...latest) {
    this.latest = latest;
    const [image, has, parts, chances, order, isBlank] = latest;
    const found = this.canvases.map((_, i) => (isBlank ? [] : this.#layers(has, order[i])));
    const most = {}; // one scale for all panels: the class that fits best is the cleanest
    for (const one of found.flat()) most[one.colour] = Math.max(most[one.colour] ?? 0, ...one.amount);
    this.canvases.forEach((canvas, i) => {
      const k = order[i];
      paint(canvas, this.shape, image, found[i].map((one) => ({ ...one, most: most[one.colour] })));
      const name = String(this.scorer.classes[k]);
      canvas.setAttribute("aria-label", `missed and held atoms of ${name}`);
      const misses = parts[k].misses === null ? "" : `, misses ${parts[k].misses.toLocaleString("en-US")}`;
      this.captions[i].replaceChildren(isBlank ? "" : `${name}: ${percent(chances[k])}${misses}`);
    });
  }

  #layers(has, k) {
    const [missed, held] = [new Float64Array(this.shape[0] * this.shape[1]), new Float64Array(this.shape[0] * this.shape[1])];
    const { strict, weighted } = this.scorer.description;
    if (strict) this.#add(strict.atoms[k], has, () => strict.slope / (strict.typical[k] + 1), missed, held);
    if (weighted) this.#add(weighted.atoms, has, (i) => (weighted.classes[i] === k ? Math.max(0, -weighted.weights[i]) : 0), missed, held);
    return [["held", "for", held], ["missed", "against", missed]]
      .filter(([kind]) => this.kinds.some((one) => one.value === kind && one.checked))
      .map(([, colour, amount]) => ({ colour, amount }));
  }

  // Each atom's weight, in equal parts to the pixels of its literals, or of those that are true.
  #add(atoms, has, weightOf, missed, held) {
    const { literals } = this.scorer;
    const { starts, constants } = atoms;
    for (let i = 0; i + 1 < starts.length; i++) {
      const weight = weightOf(i);
      if (!weight) continue;
      const isGone = isMissed(atoms, i, has);
      const size = starts[i + 1] - starts[i];
      for (let p = starts[i]; p < starts[i + 1]; p++) {
        if (isGone) missed[literals[constants[p]][0]] += weight / size;
        else if (has[constants[p]]) held[literals[constants[p]][0]] += weight / size;
      }
    }
  }
}

function hardestCard(data, shape, darkness, load) {
  if (!data.examples.length) return "";
  const thumb = (example) => {
    const canvas = h("canvas", { class: "thumb" });
    paint(canvas, shape, darkness(example.row));
    return h("button", { type: "button", class: "example", onclick: () => load(example), title: `${example.label}: ${percent(example.probability)}` },
      canvas, h("span", {}, `${example.label}`), h("span", { class: "muted small" }, percent(example.probability)));
  };
  const rest = data.examples.slice(HARDEST_SHOWN);
  const when = data.examples_were_held_out ? "it was when the image was held out" : "the model finds it";
  return card(data.examples_were_held_out ? "The hardest training images" : "The hardest images",
    h("p", { class: "muted small" }, `Their own class, and how probable ${when}. Choose one to see what the model says now, and draw on it.`),
    h("div", { class: "gallery" }, data.examples.slice(0, HARDEST_SHOWN).map(thumb)),
    rest.length ? h("details", {}, h("summary", {}, `${rest.length} others`), h("div", { class: "gallery" }, rest.map(thumb))) : null);
}

function pixelsCard(data, shape) {
  const canvas = h("canvas", { class: "panel", role: "img", "aria-label": "importance of each pixel" });
  paint(canvas, shape, data.importances.map(() => 0), [{ colour: "accent", amount: data.importances }]);
  return card("What counts", h("p", { class: "muted small" }, `How much the ${data.model.card ? "rules" : "atoms"} of each pixel weigh.`), canvas);
}
