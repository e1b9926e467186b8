// Evaluates a classifier on a row: the same numbers as predict_proba.
// The description is that of atomlearn.export.description; its docstring has the formulas.

// Text and numbers never meet; true is 1, as in Python.
function keyOf(value) {
  if (typeof value === "string") return "t" + value;
  const isLong = typeof value === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return "n" + (isLong ? BigInt(value) : Number(value));
}

export function isMissing(cell) {
  return cell === null || cell === undefined || Number.isNaN(cell);
}

// A number; a whole one that is too long to be exact is text, and becomes one that is.
function exactNumber(value) {
  if (typeof value === "bigint") return value;
  return typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : Number(value);
}

function numberTest(operator, value) {
  if (value === true) return (cell) => cell > 0.5;
  if (value === false) return (cell) => !(cell > 0.5);
  const number = exactNumber(value);
  if (operator === ">") return (cell) => cell > number;
  if (operator === "<=") return (cell) => !(cell > number);
  if (operator === "=") return (cell) => cell == number; // of either kind
  return (cell) => cell != number;
}

function categoryTest(operator, value) {
  const keys = new Set((Array.isArray(value) ? value : [value]).map(keyOf));
  const inside = operator === "=" || operator === "in";
  return (cell) => keys.has(keyOf(cell)) === inside;
}

// Is a literal true of a cell? The whole row is needed where two columns are compared.
export function literalTest([, operator, value], column) {
  if (operator === "> column" || operator === "<= column") {
    const isMore = operator === "> column";
    return (cell, row) => row !== undefined && !isMissing(cell) && !isMissing(row[value]) && exactNumber(cell) > exactNumber(row[value]) === isMore;
  }
  if (operator === "missing") return isMissing;
  if (operator === "present") return (cell) => !isMissing(cell);
  if (column.kind === "category") {
    const test = categoryTest(operator, value);
    return (cell) => !isMissing(cell) && test(cell);
  }
  const test = numberTest(operator, value);
  return (cell) => !isMissing(cell) && test(exactNumber(cell));
}

export class Scorer {
  constructor(description) {
    this.description = description;
    this.classes = description.classes;
    this.columns = description.columns;
    this.literals = description.literals;
    this.tests = this.literals.map((one) => literalTest(one, this.columns[one[0]]));
    this.offsets = description.offsets;
  }

  // Which literals are true of a row, an array with a cell for each column.
  truth(row) {
    const has = new Uint8Array(this.literals.length);
    for (let i = 0; i < has.length; i++) {
      has[i] = this.tests[i](row[this.literals[i][0]], row) ? 1 : 0;
    }
    return has;
  }

  // How many strict atoms of each class a row misses.
  misses(has) {
    return this.description.strict.atoms.map((atoms) => countMissed(atoms, has));
  }

  // Which rules of a scorecard a row meets: of each condition one literal must be true.
  met(has) {
    return this.description.card.rules.map((rule) => rule.conditions.every((condition) => condition.some((i) => has[i])));
  }

  // The points of each class of the rules that are met, without the offsets.
  points(met) {
    const { rules } = this.description.card;
    return this.classes.map((_, k) => rules.reduce((sum, rule, r) => sum + (met[r] ? rule.points[k] : 0), 0));
  }

  // The score of each class is the sum of its parts: what it begins with before any atom, what its
  // missed strict atoms cost together, and what its missed weighted atoms add. A scorecard decides alone.
  parts(has) {
    const { strict, weighted, card } = this.description;
    const points = card ? this.points(this.met(has)) : null;
    const counts = strict ? this.misses(has) : null;
    const sums = weighted ? this.weightedSums(has) : null;
    return this.offsets.map((offset, k) => ({
      offset,
      misses: counts ? counts[k] : null,
      strict: strict ? -this.strictCost(counts[k]) : 0,
      weighted: weighted ? sums[k] : 0,
      card: card ? card.scale * points[k] : 0,
    }));
  }

  // What so many missed strict atoms cost.
  strictCost(misses) {
    return this.description.strict.slope * Math.log(misses + 1);
  }

  weightedSums(has) {
    const { atoms, classes, weights } = this.description.weighted;
    const sums = new Float64Array(this.classes.length);
    for (let i = 0; i < weights.length; i++) {
      if (isMissed(atoms, i, has)) sums[classes[i]] += weights[i];
    }
    return sums;
  }

  rulesMet(has) {
    return this.description.rules.filter((rule) => rule.literals.every((i) => has[i]));
  }

  // The classes that rules exclude; none if they would exclude all.
  excluded(has) {
    const found = new Set(this.rulesMet(has).flatMap((rule) => rule.forbidden));
    return found.size < this.classes.length ? found : new Set();
  }

  // Log-probabilities up to a constant; minus infinity where a rule excludes a class.
  scores(has, parts = this.parts(has)) {
    const scores = parts.map((one) => one.offset + one.strict + one.weighted + one.card);
    for (const k of this.excluded(has)) scores[k] = -Infinity;
    return scores;
  }

  probabilities(row) {
    return softmax(this.scores(this.truth(row)));
  }

  predict(row) {
    const scores = this.scores(this.truth(row));
    return this.classes[scores.indexOf(Math.max(...scores))];
  }
}

export function isMissed(atoms, i, has) {
  const { starts, constants } = atoms;
  for (let p = starts[i]; p < starts[i + 1]; p++) {
    if (has[constants[p]]) return false;
  }
  return true;
}

function countMissed(atoms, has) {
  let n = 0;
  const last = atoms.starts.length - 1;
  for (let i = 0; i < last; i++) n += isMissed(atoms, i, has) ? 1 : 0;
  return n;
}

export function softmax(scores) {
  const most = Math.max(...scores);
  const parts = scores.map((score) => Math.exp(score - most));
  const total = parts.reduce((a, b) => a + b, 0);
  return parts.map((one) => one / total);
}
