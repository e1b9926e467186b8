// Learning that is watched: numbers by epoch as they come, stop and go on, a table to upload.
import { card, classColour, counted, h, labelled, percent, s } from "./dom.js";

const CURVES = [
  { name: "accuracy", title: "accuracy on held-out rows", text: (value) => percent(value) },
  { name: "pool", title: "atoms in the pools", text: (value) => value.toLocaleString("en-US") },
  { name: "atoms", title: "atoms of the last epoch", text: (value) => value.toLocaleString("en-US") },
];

// Talks to the server that the page came from.
export class Connection {
  constructor(onEvent) {
    this.source = new EventSource("events");
    this.source.addEventListener("message", (event) => onEvent(JSON.parse(event.data)));
  }

  async post(what, body, type = "application/json") {
    const answer = await fetch(what, { method: "POST", body, headers: { "content-type": type } });
    const told = await answer.json().catch(() => ({ error: `the server said ${answer.status}` }));
    if (!answer.ok) throw new Error(told.error);
    return told;
  }
}

// Buttons that begin, stop and continue a run, and what came of it.
export class Controls {
  constructor(connection, asked) {
    this.connection = connection;
    this.message = h("p", { class: "small", role: "status" });
    const act = (what, body) => this.try(() => connection.post(what, JSON.stringify(body ?? {})));
    this.begin = h("button", { type: "button", class: "primary", onclick: () => act("learn", asked()) }, "Learn");
    this.stop = h("button", { type: "button", disabled: true, onclick: () => act("stop") }, "Stop");
    this.goOn = h("button", { type: "button", disabled: true, onclick: () => act("go") }, "Go on");
    this.element = h("div", { class: "picker" }, this.begin, this.stop, this.goOn);
  }

  async try(action) {
    try {
      this.message.textContent = "";
      return await action();
    } catch (error) {
      this.message.textContent = error.message;
      return null;
    }
  }

  show(state) {
    this.stop.disabled = state !== "learning";
    this.goOn.disabled = state !== "stopped";
    this.begin.textContent = state === "idle" ? "Learn" : "Learn anew";
    this.message.textContent = state.startsWith("failed") ? state : "";
  }
}

// The panel of a classifier.
export function livePanel(live) {
  const curves = CURVES.map((one, k) => new Curve(one, k));
  const told = h("p", { class: "small", "aria-live": "polite" }, `${counted(live.rows, "row")} to learn from, of which a fifth are held out. Each batch is two epochs.`);
  let [run, target] = [0, null];
  const connection = new Connection((event) => {
    if (event.run !== run) {
      run = event.run;
      curves.forEach((curve) => curve.clear());
    }
    if (event.kind === "state") controls.show(event.state);
    else {
      curves.forEach((curve) => curve.add(event.epoch, event));
      told.textContent = `Epoch ${event.epoch}: ${counted(event.examples, "example")} seen.`;
      look.disabled = false;
    }
  });
  const controls = new Controls(connection, () => (target === null ? {} : { target }));
  const look = h("button", { type: "button", disabled: true, onclick: () => location.reload() }, "Show this model below");
  const choice = h("select", { "aria-label": "column to predict", onchange: () => { target = choice.value; } });
  const chosen = labelled("Column to predict", choice, { hidden: true });
  const file = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "a CSV table", onchange: () => controls.try(async () => {
    if (!file.files.length) return;
    const answer = await connection.post(`upload?name=${encodeURIComponent(file.files[0].name)}`, file.files[0], "text/csv");
    choice.replaceChildren(...answer.columns.map((name) => h("option", { value: name, selected: name === answer.columns.at(-1) }, name)));
    target = answer.columns.at(-1);
    chosen.hidden = false;
    told.textContent = `${file.files[0].name}: ${counted(answer.rows, "row")}. Choose the column to predict, then learn.`;
  }) });
  return card("Watch it learn", told, controls.element, controls.message,
    h("div", { class: "curves" }, curves.map((curve) => curve.element)),
    h("div", { class: "picker" }, labelled("Your own table (CSV)", file), chosen, look));
}

// One number by epoch.
class Curve {
  constructor({ name, title, text }, k) {
    Object.assign(this, { name, text });
    this.value = h("strong");
    this.line = s("polyline", { class: "course", style: { stroke: classColour(k) } });
    this.element = h("figure", { "data-curve": name }, h("figcaption", {}, title, " ", this.value),
      s("svg", { viewBox: "0 0 300 80", preserveAspectRatio: "none", class: "chart wide", role: "img", "aria-label": title }, s("line", { x1: 0, x2: 300, y1: 79, y2: 79, class: "rule" }), this.line));
    this.clear();
  }

  clear() {
    this.points = [];
    this.line.setAttribute("points", "");
    this.value.textContent = "";
  }

  add(epoch, event) {
    const value = event[this.name];
    if (value === null || value === undefined) return;
    this.points.push([epoch, value]);
    this.value.textContent = this.text(value);
    const last = Math.max(1, epoch);
    const most = this.name === "accuracy" ? 1 : Math.max(...this.points.map((one) => one[1]), 1);
    const least = this.name === "accuracy" ? Math.min(0.5, ...this.points.map((one) => one[1])) : 0;
    this.line.setAttribute("points", this.points.map(([x, y]) => `${((300 * x) / last).toFixed(1)},${(78 - (76 * (y - least)) / (most - least)).toFixed(1)}`).join(" "));
  }
}
