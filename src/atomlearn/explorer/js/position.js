// A position of a game: what follows from the givens by the rules, what contradicts them, and why.
import { Rules } from "./closing.js";

export class Position {
  constructor(told, given) {
    this.told = told;
    this.given = [...given];
    // Each given is a relation of its own, so that a derivation says which of them it needs.
    const givens = this.given.map((name) => [[told.yes[name]], [told.solution]]);
    this.nRules = told.positive.length;
    this.rules = new Rules(told.names.length, [...told.positive, ...givens]);
    this.start = [told.rule, told.solution];
    this.inside = this.rules.chain(this.start).inside;
  }

  isMade(name) {
    return this.inside[this.told.yes[name]] === 1;
  }

  isExcluded(name) {
    return this.inside[this.told.no[name]] === 1;
  }

  made() {
    return Object.keys(this.told.yes).filter((name) => this.isMade(name));
  }

  excluded() {
    return Object.keys(this.told.yes).filter((name) => this.isExcluded(name));
  }

  contradictions() {
    return Object.keys(this.told.yes).filter((name) => this.isMade(name) && this.isExcluded(name));
  }

  // Why a choice is made, is not made, or both: the givens that are needed, and the rules in order.
  why(name) {
    const goal = [this.told.yes[name], this.told.no[name]].filter((c) => this.inside[c]);
    const used = this.rules.derivation([goal, this.start]);
    return {
      givens: used.filter((r) => r >= this.nRules).map((r) => this.given[r - this.nRules]),
      rules: used.filter((r) => r < this.nRules),
    };
  }
}
