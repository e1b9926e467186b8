// Why one class rather than another: what the atoms that a row misses add to the log-odds.
import { isMissed } from "./scorer.js";

function constantsOf(atoms, i) {
  return Array.from(atoms.constants.slice(atoms.starts[i], atoms.starts[i + 1]));
}

// The weighted atoms of a class that a row misses, with their costs.
export function missedWeighted(scorer, has, k) {
  const { weighted } = scorer.description;
  const found = [];
  if (!weighted) return found;
  for (let i = 0; i < weighted.weights.length; i++) {
    if (weighted.classes[i] === k && isMissed(weighted.atoms, i, has)) {
      found.push({ constants: constantsOf(weighted.atoms, i), cost: -weighted.factor * weighted.weights[i], index: i });
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

// The log-odds of class a over class b as a sum: [{what, value, constants?}], the largest first.
export function comparison(scorer, space, has, parts, a, b) {
  const terms = [];
  const base = scorer.description;
  const begin = (k) => base.prior[k] + (base.weighted ? base.weighted.factor * base.weighted.offset[k] : 0);
  const start = begin(a) - begin(b);
  if (Math.abs(start) > 1e-12) terms.push({ what: "before anything is known", value: start });
  if (base.strict) terms.push({ what: "strict", value: parts[a].strict - parts[b].strict });
  for (const [k, sign] of [[a, -1], [b, 1]]) {
    for (const one of space.grouped(missedWeighted(scorer, has, k))) {
      terms.push({ what: "atom", k, value: sign * one.cost, constants: one.constants, n: one.n });
    }
  }
  return terms.sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
}
