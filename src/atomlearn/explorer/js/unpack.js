// Lists that atomlearn.classifier.scorer.packed has made into text, as typed arrays.

export async function unpacked(description) {
  const out = { ...description };
  if (out.strict) {
    out.strict = { ...out.strict, atoms: await Promise.all(out.strict.atoms.map(unpackedAtoms)) };
  }
  if (out.weighted && typeof out.weighted.weights === "string") {
    const { atoms, classes, weights } = out.weighted;
    const numbers = new Float64Array(bytesOf(weights).buffer); // little-endian, as all browsers are
    out.weighted = { ...out.weighted, atoms: await unpackedAtoms(atoms), classes: await unpackedNumbers(classes, numbers.length), weights: numbers };
  }
  return out;
}

async function unpackedAtoms(atoms) {
  if (!("steps" in atoms)) return atoms;
  const [shared, sizes] = await Promise.all([unpackedNumbers(atoms.shared, atoms.n), unpackedNumbers(atoms.sizes, atoms.n)]);
  const steps = await unpackedNumbers(atoms.steps, sizes.reduce((a, b) => a + b, 0));
  const starts = new Uint32Array(atoms.n + 1);
  const constants = new Uint32Array(atoms.total);
  let [at, filled] = [0, 0];
  for (let i = 0; i < atoms.n; i++) {
    const before = i ? starts[i - 1] : 0;
    for (let j = 0; j < shared[i]; j++) constants[filled++] = constants[before + j];
    let last = shared[i] ? constants[filled - 1] : 0;
    for (let j = 0; j < sizes[i]; j++) {
      last += steps[at++];
      constants[filled++] = last;
    }
    starts[i + 1] = filled;
  }
  return { starts, constants };
}

async function unpackedNumbers(text, n) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const numbers = new Uint32Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    numbers[i] = value;
  }
  return numbers;
}

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
