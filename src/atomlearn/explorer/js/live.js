// Learning that is watched: rounds of a fit as they come, stop and go on, a table to upload.
import { card, counted, grid, h, labelled, percent, s } from "./dom.js";
import { summaryText } from "./summary.js";

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

// From what is learned. Figures of a sample must not be taken for those of the whole model.
function sourceText({ kind, name, rows }) {
  if (kind !== "sample") return `Learns from the ${counted(rows, "row")} of ${name || "the table"}.`;
  return `Learns from a sample of ${counted(rows, "training row")}, which the model keeps: its figures are not those of a model that was learned from all rows.`;
}

// The panel of a classifier.
export function livePanel(live) {
  const told = h("p", { class: "small" }, sourceText(live.source));
  const rounds = new Rounds();
  let [run, target] = [0, null];
  const connection = new Connection((event) => {
    if (event.run !== run) {
      run = event.run;
      rounds.clear();
      look.hidden = true;
    }
    if (event.kind === "state") {
      controls.show(event.state);
      rounds.state(event.state);
    } else rounds.add(event);
    if (event.source) told.textContent = sourceText(event.source);
    if (event.summary) look.hidden = event.model === live.model; // it is there already
  });
  const controls = new Controls(connection, () => (target === null ? {} : { target }));
  const look = h("button", { type: "button", class: "primary", hidden: true, onclick: () => location.reload() }, "Show this model below");
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
  return card("Watch it learn", told,
    h("div", { class: "picker" }, labelled("Your own table (CSV)", file), chosen),
    controls.element, controls.message, rounds.element, h("div", { class: "picker" }, look));
}

// The rounds of a fit, how far it has come, and its result.
class Rounds {
  constructor() {
    this.bar = h("progress", { max: 1, "aria-label": "share of the epochs" });
    this.text = h("span", { class: "small" });
    this.doing = h("p", { class: "progress", hidden: true }, this.bar, " ", this.text);
    this.curve = h("div");
    this.table = h("div");
    this.result = h("p", { class: "result", role: "status" });
    this.element = h("div", { class: "rounds" }, this.doing, this.curve, this.table, this.result);
    this.clear();
  }

  clear() {
    [this.rounds, this.model] = [[], null];
    this.bar.removeAttribute("value"); // how far it is, nobody knows
    this.text.textContent = "";
    this.result.textContent = "";
    this.#show();
  }

  state(state) {
    this.doing.hidden = state !== "learning" && state !== "stopped";
  }

  add(event) {
    if (event.kind === "progress") {
      this.bar.value = event.share;
      this.text.textContent = `${seconds(event.seconds)} · ${percent(event.share)} of the epochs; it may need fewer`;
    } else if (event.summary) {
      this.model = event;
      this.result.replaceChildren(h("strong", {}, "Learned"), ` in ${seconds(event.seconds)}: ${summaryText(event.summary)}`);
      this.#show();
    } else if (event.round) {
      this.rounds.push(event);
      this.#show();
    }
  }

  #show() {
    const { rounds, model } = this;
    const error = (share) => (share === null ? "–" : percent(share));
    const rows = rounds.map((one) => [`round ${one.round}`, String(one.epochs), error(one.error), seconds(one.seconds)]);
    if (model) rows.push(["the model", "", error(model.summary.error), seconds(model.seconds)].map((text) => h("strong", {}, text)));
    this.table.replaceChildren(...(rows.length ? [
      grid([[""], ["epochs", true], ["held-out error", true], ["after", true]], rows, { "aria-label": "rounds" }),
      h("p", { class: "muted small" }, "The error of a round is measured on the rows that were held out so far, the error of the model on all held-out rows."),
    ] : []));
    this.curve.replaceChildren(rounds.length > 2 ? errorCurve(rounds) : "");
  }
}

function seconds(number) {
  return `${number.toFixed(1)} s`;
}

function errorCurve(rounds) {
  const known = rounds.filter((one) => one.error !== null);
  const last = Math.max(...known.map((one) => one.epochs), 1);
  const most = Math.max(...known.map((one) => one.error), 0.01);
  const points = known.map((one) => `${((300 * one.epochs) / last).toFixed(1)},${(78 - (76 * one.error) / most).toFixed(1)}`);
  return h("figure", {}, h("figcaption", {}, `error on held-out rows by epoch, from 0 to ${percent(most)}`),
    s("svg", { viewBox: "0 0 300 80", preserveAspectRatio: "none", class: "chart wide", role: "img", "aria-label": "error on held-out rows by epoch" },
      s("line", { x1: 0, x2: 300, y1: 79, y2: 79, class: "rule" }), s("polyline", { class: "course", points: points.join(" ") })));
}
