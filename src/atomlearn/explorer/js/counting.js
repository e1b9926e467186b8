// Scores of rows that differ in a few cells from a given one, without going through all atoms.

export class Counting {
  constructor(scorer) {
    this.scorer = scorer;
    const { strict, weighted } = scorer.description;
    const lists = [];
    if (strict) strict.atoms.forEach((atoms, k) => lists.push({ atoms, classOf: () => k, weightOf: null }));
    if (weighted) {
      lists.push({ atoms: weighted.atoms, classOf: (i) => weighted.classes[i], weightOf: (i) => weighted.weights[i] });
    }
    const total = lists.reduce((sum, one) => sum + one.atoms.starts.length - 1, 0);
    this.classOf = new Int32Array(total);
    this.weightOf = new Float64Array(total).fill(NaN); // of strict atoms, which are counted
    this.held = new Int32Array(total); // how many literals of each atom are true
    this.atomsWith = scorer.literals.map(() => []);
    let id = 0;
    for (const { atoms, classOf, weightOf } of lists) {
      for (let i = 0; i + 1 < atoms.starts.length; i++, id++) {
        this.classOf[id] = classOf(i);
        if (weightOf) this.weightOf[id] = weightOf(i);
        for (let p = atoms.starts[i]; p < atoms.starts[i + 1]; p++) this.atomsWith[atoms.constants[p]].push(id);
      }
    }
  }

  // Begin from a row, given by its true literals.
  set(has) {
    this.has = Uint8Array.from(has);
    this.held.fill(0);
    has.forEach((isTrue, c) => {
      if (isTrue) for (const id of this.atomsWith[c]) this.held[id]++;
    });
    const n = this.scorer.classes.length;
    this.misses = new Int32Array(n);
    this.sums = new Float64Array(n);
    this.held.forEach((count, id) => {
      if (count === 0) this.#miss(id, 1, this.misses, this.sums);
    });
  }

  #miss(id, sign, misses, sums) {
    if (Number.isNaN(this.weightOf[id])) misses[this.classOf[id]] += sign;
    else sums[this.classOf[id]] += sign * this.weightOf[id];
  }

  #flip(c, misses, sums) {
    const gain = this.has[c] ? -1 : 1;
    this.has[c] ^= 1;
    for (const id of this.atomsWith[c]) {
      const before = this.held[id];
      this.held[id] = before + gain;
      if (before === 0) this.#miss(id, -1, misses, sums);
      else if (before + gain === 0) this.#miss(id, 1, misses, sums);
    }
  }

  // The scores if these literals had the other truth value.
  scoresIf(flipped) {
    const misses = this.misses.slice();
    const sums = this.sums.slice();
    for (const c of flipped) this.#flip(c, misses, sums);
    const scores = this.#scores(misses, sums);
    for (const c of flipped) this.#flip(c, misses, sums); // as it was; the copies are not used again
    return scores;
  }

  #scores(misses, sums) {
    const { strict, weighted, card } = this.scorer.description;
    if (card) return this.scorer.scores(this.has); // few rules are counted as quickly
    const scores = this.scorer.offsets.map((offset, k) => offset
      - (strict ? this.scorer.strictCost(misses[k]) : 0) + (weighted ? sums[k] : 0));
    for (const k of this.scorer.excluded(this.has)) scores[k] = -Infinity;
    return scores;
  }
}
