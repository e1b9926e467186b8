// How many rows and atoms a model has, and its error: the same words wherever they are shown.
import { counted, h, percent } from "./dom.js";

export function summaryText(summary) {
  const how = { strict: "counting strict atoms", weighted: "weighted atoms", both: "strict and weighted atoms" }[summary.evidence];
  const error = summary.error === null ? "" : ` · error about ${percent(summary.error)} on rows it had not seen`;
  const classes = summary.rows_by_class.length;
  return `${classes === 1 ? "1 class" : `${classes} classes`} · ${counted(summary.rows, summary.are_different ? "different training row" : "training row")} · ${counted(summary.atoms, "atom")}, decided by ${how}${error}`;
}

export function summaryLine(summary) {
  return h("p", { class: "lead" }, summaryText(summary));
}
