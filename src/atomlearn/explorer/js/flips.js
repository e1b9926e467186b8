// The nearest changes of a row that change the prediction: of one cell, else of two.

const MILLISECONDS = 120; // then what has been found is shown

function best(scores) {
  return scores.indexOf(Math.max(...scores));
}

// How far apart two cells of a column are, from 0 to 1: the share of the column's states between them.
function distance(space, column, from, to) {
  const cells = space.cells[column];
  if (space.scorer.columns[column].kind !== "number" || from === null || to === null) return 0.5;
  const between = cells.filter((cell) => cell !== null && cell > Math.min(from, to) && cell < Math.max(from, to)).length;
  return (between + 1) / cells.length;
}

export function nearestFlips(counting, space, row, order, most = 3) {
  const now = counting.scoresIf([]);
  const first = best(now);
  const deadline = performance.now() + MILLISECONDS;
  const found = [];
  const steps = [];
  for (const column of order) {
    for (const cell of space.cells[column]) {
      const flipped = space.changed(column, row[column], cell);
      if (!flipped.length) continue;
      const scores = counting.scoresIf(flipped);
      const step = { column, cell, flipped, distance: distance(space, column, row[column], cell) };
      if (best(scores) !== first) found.push({ changes: [step], distance: step.distance, scores });
      else steps.push({ ...step, margin: margin(scores, first) });
    }
    if (performance.now() > deadline) break;
  }
  if (!found.length) found.push(...pairs(counting, steps, first, deadline + MILLISECONDS));
  found.sort((a, b) => a.distance - b.distance);
  return distinct(found).slice(0, most);
}

function margin(scores, first) {
  return scores[first] - Math.max(...scores.filter((_, k) => k !== first));
}

// Two changes: each of the most promising first ones with every other column.
function pairs(counting, steps, first, deadline) {
  const found = [];
  const promising = [...steps].sort((a, b) => a.margin - b.margin).slice(0, 12);
  for (const one of promising) {
    for (const other of steps) {
      if (other.column === one.column) continue;
      const scores = counting.scoresIf([...one.flipped, ...other.flipped]);
      if (best(scores) !== first) found.push({ changes: [one, other], distance: one.distance + other.distance, scores });
    }
    if (performance.now() > deadline) break;
  }
  return found;
}

// The nearest of those that change the same columns.
function distinct(found) {
  const seen = new Set();
  return found.filter(({ changes }) => {
    const key = changes.map((one) => one.column).sort().join();
    return seen.has(key) ? false : seen.add(key);
  });
}
