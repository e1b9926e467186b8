// The page of a formal problem: the board as it is learned, and a board to play with.
import { card, counted, h } from "./dom.js";
import { Connection, Controls } from "./live.js";
import { Position } from "./position.js";

const PLAY_MILLISECONDS = 450;
const QUEEN = "♛";
const MOST_REASONS = 8;

export function boardPage(data, root) {
  const learned = new LearnedBoard(data);
  const own = new OwnBoard(data);
  const what = data.game === "queens" ? `${data.size} × ${data.size} board, queens that do not attack each other` : `sudoku of ${data.size} × ${data.size}`;
  root.replaceChildren(
    h("p", { class: "lead" }, `${what[0].toUpperCase()}${what.slice(1)} · ${counted(data.positive.length, "rule")} as relations between ${counted(data.names.length, "constant")}`),
    h("div", { class: "columns" }, own.element, learned.element));
  own.show();
  if (data.live) watch(own, learned);
}

// Learn the givens of the reader, and show each epoch as it comes.
function watch(own, learned) {
  let [run, epochs] = [0, []];
  const connection = new Connection((event) => {
    if (event.run !== run) [run, epochs] = [event.run, []];
    if (event.kind === "state") controls.show(event.state);
    else epochs.push(event.board);
    learned.set(epochs, epochs.length ? "" : "Learn the board with your givens.", learned.asked ?? own.given);
    learned.show(epochs.length);
  });
  const controls = new Controls(connection, () => {
    learned.asked = [...own.given];
    return { given: learned.asked };
  });
  learned.element.append(controls.element, controls.message);
}

// Cells in the order in which they are drawn; a chess board has its first row at the bottom.
function drawn(data) {
  if (data.game !== "queens") return data.cells;
  const rows = Array.from({ length: data.size }, (_, x) => data.cells.slice(x * data.size, (x + 1) * data.size));
  return rows.reverse().flat();
}

// A board of elements, one a cell, that `make(cell)` gives.
function boardOf(data, make, attributes) {
  const place = (i) => [Math.floor(i / data.size), i % data.size];
  const [tall, wide] = data.box ?? [1, 1];
  const cells = drawn(data).map((cell, i) => {
    const [r, c] = place(i);
    const element = make(cell);
    element.classList.add("square");
    if (data.game === "queens" && (r + c) % 2) element.classList.add("odd");
    if (data.game === "sudoku" && (Math.floor(r / tall) + Math.floor(c / wide)) % 2) element.classList.add("odd");
    return element;
  });
  const board = h("div", { class: `board ${data.game}`, style: { "--size": data.size }, ...attributes }, cells);
  if (data.game !== "queens") return board;
  const letters = data.cells.slice(0, data.size).map((cell) => h("span", {}, cell.name[0]));
  const numbers = Array.from({ length: data.size }, (_, i) => h("span", {}, String(data.size - i)));
  return h("div", { class: "framed", style: { "--size": data.size } }, h("div", { class: "ranks", "aria-hidden": "true" }, numbers), board, h("div", { class: "files", "aria-hidden": "true" }, letters));
}

function digitOf(choice) {
  return choice.split("=")[1];
}

function choiceText(data, choice) {
  return data.game === "queens" ? `a queen on ${choice}` : choice.replace(/r(\d+)c(\d+)=(\d+)/, "$3 in row $1, column $2");
}

// The board of each epoch, with a slider.
class LearnedBoard {
  constructor(data) {
    this.data = data;
    this.cells = new Map();
    const board = boardOf(data, (cell) => {
      const element = h("div");
      this.cells.set(cell.name, element);
      return element;
    }, { role: "img" });
    this.board = board.matches(".board") ? board : board.querySelector(".board");
    this.slider = h("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "epoch", oninput: () => this.show(Number(this.slider.value)) });
    this.play = h("button", { type: "button", onclick: () => this.toggle() }, "Play");
    this.caption = h("p", { class: "small", "aria-live": "polite" });
    this.found = h("div", { class: "picker" });
    this.outcome = h("p", { class: "muted small" });
    this.element = card("Learning, epoch by epoch", this.outcome, board, h("div", { class: "epochs" }, this.play, this.slider), this.caption, this.found);
    this.set(data.epochs, data.outcome, data.given);
  }

  // Show the epochs that have been run so far.
  set(epochs, outcome, given) {
    Object.assign(this, { epochs, given: new Set(given) });
    this.outcome.textContent = outcome;
    this.slider.max = Math.max(1, epochs.length);
    this.slider.disabled = this.play.disabled = epochs.length < 2;
    const seen = new Set(); // a solution that is shown again is listed once
    const isNew = (one) => one.solved && !seen.has(one.chosen.join()) && seen.add(one.chosen.join());
    const solved = epochs.flatMap((one, i) => (isNew(one) ? [i] : []));
    this.found.replaceChildren(...solved.filter((i) => epochs[i].epoch).slice(0, 20).map((i) => h("button", { type: "button", onclick: () => this.show(i + 1) }, `solution, epoch ${epochs[i].epoch}`)));
    this.show(solved.length ? solved[0] + 1 : epochs.length);
  }

  show(number) {
    this.slider.value = String(number);
    const epoch = this.epochs[number - 1];
    if (!epoch) {
      this.caption.textContent = "";
      return;
    }
    const chosen = new Set(epoch.chosen);
    const excluded = new Set(epoch.excluded ?? []);
    for (const cell of this.data.cells) {
      const element = this.cells.get(cell.name);
      const made = cell.choices.filter((one) => chosen.has(one));
      const isOut = cell.choices.every((one) => excluded.has(one)) || (epoch.solved && !made.length);
      element.textContent = made.length ? (this.data.game === "queens" ? QUEEN : made.map(digitOf).join("")) : isOut ? "·" : "?";
      element.classList.toggle("given", made.some((one) => this.given.has(one)));
      element.classList.toggle("inserted", made.includes(epoch.inserted));
      element.classList.toggle("made", made.length > 0);
      element.classList.toggle("excluded", isOut && !made.length);
      element.classList.toggle("open", !isOut && !made.length);
    }
    const kind = epoch.idle ? " · idle: the rules without the game" : epoch.inserted ? ` · with ${choiceText(this.data, epoch.inserted)} for this epoch` : "";
    this.caption.textContent = `${epoch.epoch ? `Epoch ${epoch.epoch}: ` : ""}${epoch.progress}${epoch.solved ? ", solved" : ""}${epoch.atoms ? ` · ${counted(epoch.atoms, "atom")}` : ""}${kind}`;
    this.board.setAttribute("aria-label", `the board of epoch ${epoch.epoch}: ${epoch.chosen.join(", ")}`);
  }

  toggle() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (Number(this.slider.value) >= this.epochs.length) this.show(1);
      this.timer = setInterval(() => {
        const next = Number(this.slider.value) + 1;
        if (next > this.epochs.length) this.toggle();
        else this.show(next);
      }, PLAY_MILLISECONDS);
    }
    this.play.textContent = this.timer ? "Pause" : "Play";
  }
}

// A board on which givens are placed and removed; what follows is shown at once.
class OwnBoard {
  constructor(data) {
    this.data = data;
    this.given = new Set(data.given);
    this.selected = null;
    this.cells = new Map();
    const board = boardOf(data, (cell) => {
      const element = h("button", { type: "button", onclick: () => this.choose(cell) });
      this.cells.set(cell.name, element);
      return element;
    }, { role: "group", "aria-label": "your board" });
    this.caption = h("p", { class: "small", "aria-live": "polite" });
    this.digits = h("div", { class: "picker" });
    this.reasons = h("div");
    const reset = (given) => { this.given = new Set(given); this.selected = null; this.show(); };
    this.element = card("Place them yourself",
      h("p", { class: "muted small" }, data.game === "queens"
        ? "Place a queen on an open square, or take it back. What follows from the rules is shown at once; ask a square why."
        : "Choose a cell and its digit. What follows from the rules is shown at once; ask a cell why."),
      board, this.digits,
      h("div", { class: "picker" }, h("button", { type: "button", onclick: () => reset(data.given) }, "As given"), h("button", { type: "button", onclick: () => reset([]) }, "Clear")),
      this.caption, this.reasons);
  }

  choose(cell) {
    this.selected = cell;
    if (this.data.game === "queens") {
      const [square] = cell.choices;
      if (this.given.has(square)) this.given.delete(square);
      else if (!this.position.isMade(square) && !this.position.isExcluded(square)) this.given.add(square);
    }
    this.show();
  }

  place(choice) {
    for (const other of this.selected.choices) if (this.data.game !== "queens") this.given.delete(other);
    if (choice) this.given.add(choice);
    this.show();
  }

  show() {
    const position = new Position(this.data, this.given);
    this.position = position;
    const both = position.contradictions();
    let [follow, excluded, open] = [0, 0, 0];
    for (const cell of this.data.cells) {
      const element = this.cells.get(cell.name);
      const made = cell.choices.filter((one) => position.isMade(one));
      const left = cell.choices.filter((one) => !position.isExcluded(one));
      const isGiven = cell.choices.some((one) => this.given.has(one));
      const clashes = cell.choices.some((one) => both.includes(one));
      const isOut = !made.length && !left.length;
      follow += made.length && !isGiven ? 1 : 0;
      excluded += isOut ? 1 : 0;
      open += !made.length && !isOut ? 1 : 0;
      const shown = both.length ? cell.choices.filter((one) => this.given.has(one)) : made;
      element.textContent = shown.length ? (this.data.game === "queens" ? QUEEN : shown.map(digitOf).join("")) : both.length ? "" : isOut ? "·" : this.data.game === "sudoku" ? left.map(digitOf).join("") : "";
      for (const [name, is] of Object.entries({
        given: isGiven, made: shown.length > 0, excluded: !both.length && isOut, open: !shown.length && !isOut && !both.length,
        clash: clashes && both.length <= this.data.size, selected: cell === this.selected,
      })) element.classList.toggle(name, is);
      const state = isGiven ? "given" : both.length ? "" : made.length ? "follows" : isOut ? "empty" : "open";
      element.setAttribute("aria-label", `${cell.name} ${state}${shown.length ? ` ${this.data.game === "queens" ? "queen" : shown.map(digitOf).join(" ")}` : ""}`);
      element.setAttribute("aria-pressed", String(isGiven));
    }
    const rest = this.data.game === "queens" ? `${counted(excluded, "square")} must be empty, ${open} open` : `${counted(open, "cell")} open`;
    this.caption.replaceChildren(both.length ? h("strong", { class: "against" }, "These givens contradict the rules.")
      : `${this.given.size} given, ${follow} ${follow === 1 ? "follows" : "follow"}, ${rest}${open === 0 ? ": complete" : ""}.`);
    this.#showDigits();
    this.#showReasons(both);
  }

  #showDigits() {
    if (this.data.game === "queens" || !this.selected) {
      this.digits.replaceChildren();
      return;
    }
    this.digits.replaceChildren(
      ...this.selected.choices.map((one) => h("button", { type: "button", class: this.given.has(one) ? "primary" : "", onclick: () => this.place(one), "aria-label": `digit ${digitOf(one)}` }, digitOf(one))),
      h("button", { type: "button", onclick: () => this.place(null) }, "erase"));
  }

  #showReasons(both) {
    const { position, selected } = this;
    let choice = null;
    if (both.length) choice = shortest(position, both);
    else if (selected) choice = selected.choices.find((one) => position.isMade(one) && !this.given.has(one)) ?? selected.choices.find((one) => position.isExcluded(one) && selected.choices.length === 1);
    if (!choice) {
      this.reasons.replaceChildren();
      return;
    }
    const { givens, rules } = position.why(choice);
    const head = both.length ? `${choiceText(this.data, choice)} would both follow and be excluded, because of`
      : position.isMade(choice) ? `${choiceText(this.data, choice)} follows from` : `square ${choice} must be empty, because of`;
    const reasons = [...givens.map((one) => h("li", {}, h("span", { class: "tag" }, "given"), " ", choiceText(this.data, one))),
      ...rules.map((r) => h("li", {}, this.data.sentences[r]))];
    const anyway = !both.length && this.data.game === "queens" && position.isExcluded(choice)
      ? h("button", { type: "button", onclick: () => this.place(choice) }, "Place a queen there anyway") : null;
    this.reasons.replaceChildren(h("div", { class: "why" },
      h("h3", {}, head[0].toUpperCase() + head.slice(1)),
      h("ul", {}, reasons.slice(0, MOST_REASONS)),
      reasons.length > MOST_REASONS ? h("details", {}, h("summary", {}, `${reasons.length - MOST_REASONS} more reasons`), h("ul", {}, reasons.slice(MOST_REASONS))) : null,
      h("details", {}, h("summary", {}, `${counted(rules.length, "relation")} responsible`),
        h("ul", { class: "formula" }, rules.map((r) => h("li", {}, relationText(this.data, this.data.positive[r]))))), anyway));
  }
}

// Of several contradictions the one that is explained by the fewest relations.
function shortest(position, both) {
  return both.slice(0, 12).map((one) => [one, position.why(one)]).sort(([, a], [, b]) => a.rules.length + a.givens.length - b.rules.length - b.givens.length)[0][0];
}

function relationText(data, [left, right]) {
  const names = (side) => side.map((c) => data.names[c]).join(" ");
  return `${names(left)} < ${names(right)}`;
}
