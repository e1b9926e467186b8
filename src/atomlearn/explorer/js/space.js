// What each column tells apart: its states, one cell each, and which literals are true there.

export class Space {
  constructor(scorer, cells) {
    this.scorer = scorer;
    this.cells = cells;
    this.literalsOf = scorer.columns.map(() => []);
    scorer.literals.forEach(([column], c) => this.literalsOf[column].push(c));
    this.known = new Map(); // cache: does one literal imply another?
  }

  // The literals of a column whose truth changes if one cell is replaced by another.
  changed(column, from, to) {
    const { tests } = this.scorer;
    return this.literalsOf[column].filter((c) => tests[c](from) !== tests[c](to));
  }

  // Is one literal true in every state in which the other is?
  implies(one, other) {
    const { literals, tests } = this.scorer;
    const column = literals[one][0];
    if (column !== literals[other][0] || one === other) return one === other;
    const key = one * literals.length + other;
    if (!this.known.has(key)) this.known.set(key, this.cells[column].every((cell) => !tests[one](cell) || tests[other](cell)));
    return this.known.get(key);
  }

  // The literals of an atom that say it all: those that imply another one of it are left out.
  weakest(constants) {
    return constants.filter((c) => !constants.some((d) => d !== c && this.implies(c, d) && !(this.implies(d, c) && d > c)));
  }

  // Missed atoms that say nearly the same as one: who misses the widest misses the others too.
  // Takes {constants, value} and gives fewer of them, with the values added up.
  grouped(missed) {
    const cache = new Map();
    const implying = (c) => {
      if (!cache.has(c)) cache.set(c, this.literalsOf[this.scorer.literals[c][0]].filter((d) => this.implies(d, c)));
      return cache.get(c);
    };
    const closed = missed.map((one) => new Set(one.constants.flatMap(implying)));
    let left = missed.map((_, i) => i).sort((i, j) => closed[j].size - closed[i].size);
    const groups = [];
    while (left.length) {
      const widest = left[0];
      const below = left.filter((i) => missed[i].constants.every((c) => closed[widest].has(c)));
      groups.push({ ...missed[widest], value: below.reduce((sum, i) => sum + missed[i].value, 0), n: below.length });
      const gone = new Set(below);
      left = left.filter((i) => !gone.has(i));
    }
    return groups;
  }
}
