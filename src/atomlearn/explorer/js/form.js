// The form of a row: a control for each column, with missing values.
import { h, labelled, shown } from "./dom.js";

const FIRST = 10; // columns that are always seen; the others are folded

// Calls onChange with the row, an array of cells, whenever a control is moved.
export class RowForm {
  constructor(columns, cells, importances, onChange) {
    this.columns = columns;
    this.cells = cells;
    this.onChange = onChange;
    this.row = cells.map(() => null);
    this.order = importances.map((_, j) => j).sort((a, b) => importances[b] - importances[a]);
    this.controls = columns.map((column, j) => (column.kind === "number" ? this.#number(j) : this.#choice(j)));
    const parts = this.order.map((j) => this.controls[j].element);
    this.element = h("div", { class: "row-form" }, parts.slice(0, FIRST),
      parts.length > FIRST ? h("details", {}, h("summary", {}, `${parts.length - FIRST} more columns`), parts.slice(FIRST)) : null);
  }

  set(row) {
    this.row = [...row];
    this.controls.forEach((control, j) => control.show(row[j]));
    this.onChange(this.row);
  }

  #changed(j, cell) {
    this.row[j] = cell;
    this.onChange(this.row);
  }

  #number(j) {
    const column = this.columns[j];
    const known = this.cells[j].filter((cell) => cell !== null);
    const whole = known.every(Number.isInteger);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    if (low === high) [low, high] = [low - 1, high + 1];
    const step = whole && high - low < 1000 ? 1 : 10 ** Math.floor(Math.log10(high / 100 - low / 100)); // the difference may be infinite
    const slider = h("input", { type: "range", min: low, max: high, step, "aria-label": `${column.name}, slider` });
    const exact = h("input", { type: "number", step: "any", inputmode: "decimal", "aria-label": column.name, class: "exact" });
    const absent = h("input", { type: "checkbox", "aria-label": `${column.name} is missing` });
    const show = (cell) => {
      const missing = cell === null || cell === undefined;
      absent.checked = missing;
      exact.disabled = missing;
      slider.classList.toggle("off", missing);
      exact.value = missing ? "" : shown(cell);
      if (missing) return;
      if (cell < Number(slider.min)) slider.min = cell;
      if (cell > Number(slider.max)) slider.max = cell;
      slider.value = cell;
    };
    const take = (cell) => { show(cell); this.#changed(j, cell); };
    const rounded = () => Number(Number(slider.value).toPrecision(12));
    slider.addEventListener("input", () => take(rounded()));
    exact.addEventListener("input", () => {
      if (exact.value === "" || Number.isNaN(Number(exact.value))) return;
      slider.value = exact.value;
      this.#changed(j, /^-?\d{16,}$/.test(exact.value) ? exact.value : Number(exact.value));
    });
    absent.addEventListener("change", () => take(absent.checked ? null : rounded()));
    const element = h("div", { class: "column", "data-column": column.name },
      h("div", { class: "column-name", title: column.name }, column.name),
      slider, exact, h("label", { class: "absent small muted", title: "the value is not known" }, absent, " missing"));
    return { element, show };
  }

  #choice(j) {
    const column = this.columns[j];
    const values = this.cells[j].filter((cell) => cell !== null);
    const text = (value) => (column.kind === "boolean" ? (value > 0.5 ? "true" : "false") : String(value));
    const other = column.kind === "category" ? [h("option", { value: "other" }, "(another value)")] : [];
    const select = h("select", { "aria-label": column.name },
      values.map((value, i) => h("option", { value: i }, text(value))), other, h("option", { value: "missing" }, "(missing)"));
    const unseen = { toString: () => "another value" };
    select.addEventListener("change", () => {
      const chosen = select.value;
      this.#changed(j, chosen === "missing" ? null : chosen === "other" ? unseen : values[Number(chosen)]);
    });
    const show = (cell) => {
      const at = values.findIndex((value) => text(value) === (column.kind === "boolean" && cell !== null ? text(Number(cell)) : String(cell)));
      select.value = cell === null || cell === undefined ? "missing" : at < 0 ? "other" : String(at);
    };
    const element = h("div", { class: "column choice", "data-column": column.name },
      h("div", { class: "column-name", title: column.name }, column.name), select);
    return { element, show };
  }
}

// Chooses among examples; the row that was asked about, if there is one, is the first of them.
export function examplePicker(given, wereHeldOut, onPick, asked = null) {
  const examples = asked ? [asked, ...given] : given;
  const hard = wereHeldOut ? " (hard when held out)" : " (hard)";
  const name = (one, i) => one.about ?? `${asked ? i : i + 1}: ${one.label}${one.probability < 0.5 ? hard : ""}`;
  const select = h("select", { "aria-label": "example row" }, examples.map((one, i) => h("option", { value: i }, name(one, i))));
  const go = (i) => { select.value = String(i); onPick(examples[i]); };
  select.addEventListener("change", () => go(Number(select.value)));
  const next = () => go((Number(select.value) + 1) % examples.length);
  const element = h("div", { class: "picker" }, labelled(wereHeldOut ? "A row of the training data" : "A row of the table", select),
    h("button", { type: "button", onclick: next }, "Next"));
  const easy = examples.findIndex((one) => one.probability > 0.5);
  return { element, size: examples.length, start: () => go(asked ? 0 : Math.max(0, easy)) };
}
