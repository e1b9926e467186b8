// What follows from relations, exactly: closure, derivations, conflicts. As atomlearn.sets.closing.

// Relations [[left, right], ...] ready for chaining: once all of right is reached, left is.
export class Rules {
  constructor(n, relations) {
    this.n = n;
    this.relations = relations;
    this.watch = Array.from({ length: n }, () => []);
    relations.forEach(([, right], r) => { for (const c of right) this.watch[c].push(r); });
  }

  // Reach all that a set of constants implies; says by which relations, in the order they fired.
  chain(start, active = null) {
    const inside = new Uint8Array(this.n);
    const reason = new Int32Array(this.n).fill(-1);
    const missing = this.relations.map(([, right]) => right.length);
    const trail = [];
    const fired = [];
    for (const c of start) if (!inside[c]) { inside[c] = 1; trail.push(c); }
    for (let done = 0; done < trail.length; done++) {
      for (const r of this.watch[trail[done]]) {
        if (--missing[r] !== 0 || (active && !active[r])) continue;
        fired.push(r);
        for (const d of this.relations[r][0]) if (!inside[d]) { inside[d] = 1; reason[d] = r; trail.push(d); }
      }
    }
    return { inside, reason, fired };
  }

  closure(start) {
    const { inside } = this.chain(start);
    return [...inside.keys()].filter((c) => inside[c]);
  }

  follows([left, right]) {
    const { inside } = this.chain(right);
    return left.every((c) => inside[c]);
  }

  // The numbers of relations that force left < right, in firing order; none can be left out.
  derivation([left, right]) {
    const used = this.#reachedThrough(right, left);
    if (used.length < 2) return used;
    const few = new Rules(this.n, used.map((r) => this.relations[r]));
    const active = used.map(() => true);
    for (let i = used.length - 1; i >= 0; i--) {
      active[i] = false;
      const { inside } = few.chain(right, active);
      if (!left.every((c) => inside[c])) active[i] = true;
    }
    return few.chain(right, active).fired.map((i) => used[i]);
  }

  #reachedThrough(start, goal) {
    const { reason, fired } = this.chain(start);
    const needed = new Set(goal);
    const used = [];
    for (const r of fired.reverse()) {
      const [left, right] = this.relations[r];
      if (!left.some((c) => needed.has(c) && reason[c] === r)) continue;
      used.push(r);
      for (const c of right) needed.add(c);
    }
    return used.reverse();
  }
}

// The relations of an algebra: which follow, which are contradicted, which are open.
export class Relations {
  constructor(n, positive, negative) {
    Object.assign(this, { n, positive, negative });
    this.rules = new Rules(n, positive);
  }

  // The negative relations that fail, each with its derivation.
  conflicts() {
    return this.negative.flatMap((one, i) => (this.rules.follows(one) ? [{ negative: i, derivation: this.rules.derivation(one) }] : []));
  }

  // verdict, derivation (numbers of positive relations; one more than there are is the asked one),
  // and the negative relation that fails, if that is the reason.
  query(left, right, isPositive) {
    const asked = [left, right];
    if (this.rules.follows(asked)) {
      return { verdict: isPositive ? "follows" : "contradicted", derivation: this.rules.derivation(asked), breaks: null };
    }
    const twin = new Rules(this.n, [...this.positive, asked]);
    const breaks = this.negative.findIndex((one) => twin.follows(one));
    if (breaks < 0) return { verdict: "open", derivation: [], breaks: null };
    return { verdict: isPositive ? "contradicted" : "follows", derivation: twin.derivation(this.negative[breaks]), breaks };
  }
}
