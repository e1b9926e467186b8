// Atoms that atomlearn.classifier.scorer.packed has compressed, as typed arrays.

export async function unpacked(description) {
  const out = { ...description };
  if (out.strict) {
    out.strict = { ...out.strict, atoms: await Promise.all(out.strict.atoms.map(unpackedAtoms)) };
  }
  if (out.weighted) {
    out.weighted = { ...out.weighted, atoms: await unpackedAtoms(out.weighted.atoms) };
  }
  return out;
}

export async function unpackedAtoms(atoms) {
  if (!("deflated" in atoms)) return atoms;
  const bytes = await inflated(atoms.deflated);
  const starts = new Uint32Array(atoms.n + 1);
  const constants = new Uint32Array(atoms.total);
  let at = 0;
  let filled = 0;
  const next = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  for (let i = 0; i < atoms.n; i++) {
    const size = next();
    for (let j = 0, last = 0; j < size; j++) {
      last += next();
      constants[filled++] = last;
    }
    starts[i + 1] = filled;
  }
  return { starts, constants };
}

async function inflated(text) {
  const binary = atob(text);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
