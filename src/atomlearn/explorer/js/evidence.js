// Why one class rather than another: all that is added up to the scores of the classes.
import { isMissed } from "./scorer.js";

function constantsOf(atoms, i) {
  return Array.from(atoms.constants.slice(atoms.starts[i], atoms.starts[i + 1]));
}

// The weighted atoms of a class that a row misses, and what each adds to the score.
function missedWeighted(scorer, has, k) {
  const { weighted } = scorer.description;
  const found = [];
  if (!weighted) return found;
  for (let i = 0; i < weighted.weights.length; i++) {
    if (weighted.classes[i] === k && isMissed(weighted.atoms, i, has)) {
      found.push({ constants: constantsOf(weighted.atoms, i), value: weighted.weights[i] });
    }
  }
  return found;
}

// The strict atoms of a class that a row misses, those that other classes miss most first.
export function missedStrict(scorer, has, k, shares, most) {
  const { strict } = scorer.description;
  if (!strict) return [];
  const found = [];
  for (let i = 0; i + 1 < strict.atoms[k].starts.length; i++) {
    if (isMissed(strict.atoms[k], i, has)) found.push(i);
  }
  const telling = (i) => shares?.strict?.[k]?.[i]?.[1] ?? 0;
  found.sort((i, j) => telling(j) - telling(i));
  return found.slice(0, most).map((i) => ({ constants: constantsOf(strict.atoms[k], i), telling: telling(i) }));
}

// All that is added up to the score of a class: [{what, value, constants?}], atoms by their size.
export function account(scorer, space, has, parts, k) {
  const terms = [{ what: "offset", k, value: parts[k].offset }];
  if (scorer.description.strict) terms.push({ what: "strict", k, value: parts[k].strict });
  const atoms = space.grouped(missedWeighted(scorer, has, k)).map((one) => ({ what: "atom", k, ...one }));
  return [...terms, ...atoms.sort((x, y) => Math.abs(y.value) - Math.abs(x.value))];
}

// The log-odds of class a over class b as a sum, the largest terms first.
export function comparison(scorer, space, has, parts, a, b) {
  const [ours, theirs] = [a, b].map((k) => account(scorer, space, has, parts, k));
  const common = ours.filter((one) => one.what !== "atom")
    .map(({ what, value }, i) => ({ what, value: value - theirs[i].value }));
  const atoms = [...ours.filter((one) => one.what === "atom"),
    ...theirs.filter((one) => one.what === "atom").map((one) => ({ ...one, value: -one.value }))];
  return [...common, ...atoms].sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
}

// The first terms, and the others as one, so that what is shown adds up.
export function shortened(terms, most) {
  const rest = terms.slice(most);
  if (rest.length < 2) return terms;
  return [...terms.slice(0, most), { what: "rest", n: rest.length, value: rest.reduce((sum, one) => sum + one.value, 0) }];
}
