// How many rows and atoms a model has, and its error: the same words wherever they are shown.
import { counted, h, percent } from "./dom.js";

export function summaryText(summary) {
  const how = { strict: "counting strict atoms", weighted: "weighted atoms", both: "strict and weighted atoms" }[summary.evidence];
  const what = how ? `${counted(summary.atoms, "atom")}, decided by ${how}` : `a scorecard of ${counted(summary.atoms, "rule")}`;
  const error = summary.error === null ? "" : ` · error about ${percent(summary.error)} on rows it had not seen`;
  const classes = summary.rows_by_class.length;
  return `${classes === 1 ? "1 class" : `${classes} classes`} · ${counted(summary.rows, summary.are_different ? "different training row" : "training row")} · ${what}${error}`;
}

// The summary, and for a full model how to make a scorecard of it.
export function summaryLine({ summary, offer }) {
  return h("div", {}, h("p", { class: "lead" }, summaryText(summary)),
    summary.without_rows ? h("p", { class: "muted small" }, summary.without_rows) : null,
    offer ? h("p", { class: "muted small offer" }, offer.text, " ", h("code", {}, offer.code)) : null);
}
