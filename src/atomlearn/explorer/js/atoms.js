// A searchable list of all atoms.
import { counted, formula, grid, h, labelled, percent, signed } from "./dom.js";

const SHOWN_FIRST = 15;
const MORE = 100;
const MOST_OFFSETS = 12;

export function atomsCard(scorer, space, texts, shares) {
  if (!shares) return null;
  const all = listed(scorer, space, texts, shares);
  const query = h("input", { type: "search", placeholder: "petal width", "aria-label": "search atoms" });
  const only = h("select", { "aria-label": "class" }, h("option", { value: "" }, "all classes"),
    scorer.classes.map((name, k) => h("option", { value: k }, String(name))));
  const place = h("div", { "aria-live": "polite" });
  let most = SHOWN_FIRST;
  const show = () => {
    const wanted = query.value.trim().toLowerCase();
    const found = all.filter((one) => (only.value === "" || one.k === Number(only.value)) && one.low.includes(wanted));
    const rows = found.slice(0, most).map((one) => [
      String(scorer.classes[one.k]), one.weight === null ? `counted${one.times > 1 ? ` ${one.times} times` : ""}` : signed(one.weight),
      formula(one.literals), percent(one.own), percent(one.others),
    ]);
    place.replaceChildren(
      h("p", { class: "muted small" }, `${counted(found.length, "atom")}, first those that weigh most and distinguish the class best`),
      grid([["class"], ["if missed", true], ["atom"], ["of the class miss it", true], ["of others", true]], rows, { "aria-label": "atoms" }),
      found.length > most ? h("button", { type: "button", onclick: () => { most += MORE; show(); } }, "Show more") : "");
  };
  const search = () => { most = SHOWN_FIRST; show(); };
  query.addEventListener("input", search);
  only.addEventListener("change", search);
  show();
  return h("section", { class: "card" }, h("h2", {}, "All atoms"),
    h("p", { class: "muted small" }, "An atom is a list of conditions of which a row of the class should meet at least one. A row that meets none misses it, which changes the log-odds of the class."),
    h("p", { class: "muted small" }, `Before any atom the classes have the offsets ${offsetsText(scorer)}.`),
    h("div", { class: "picker" }, labelled("Search", query), labelled("Class", only)), place);
}

function offsetsText({ classes, offsets }) {
  const told = classes.slice(0, MOST_OFFSETS).map((name, k) => `${name} ${signed(offsets[k])}`).join(", ");
  return classes.length > MOST_OFFSETS ? `${told}, …` : told;
}

function listed(scorer, space, texts, shares) {
  const { strict, weighted } = scorer.description;
  const found = [];
  const strictOnes = new Map(); // several may say the same: each is counted, and listed once
  const add = (atoms, i, k, weight, [own, others]) => {
    const literals = space.weakest(Array.from(atoms.constants.slice(atoms.starts[i], atoms.starts[i + 1]))).map((c) => texts[c]);
    const text = literals.join(" or ");
    const known = weight === null ? strictOnes.get(`${k} ${text}`) : null;
    if (known) { known.times += 1; return; }
    const one = { k, literals, low: text.toLowerCase(), weight, own, others, times: 1, rank: Math.abs(others - own) * (weight === null ? 1 : Math.abs(weight)) };
    if (weight === null) strictOnes.set(`${k} ${text}`, one);
    found.push(one);
  };
  if (strict) strict.atoms.forEach((atoms, k) => { for (let i = 0; i + 1 < atoms.starts.length; i++) add(atoms, i, k, null, shares.strict[k][i]); });
  if (weighted) weighted.weights.forEach((weight, i) => add(weighted.atoms, i, weighted.classes[i], weight, shares.weighted[i]));
  return found.sort((a, b) => b.rank - a.rank);
}
