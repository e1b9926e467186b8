// Images as rows of cells, drawn on canvases in the colours of the page.

// The largest value that a pixel can have, from the cells that stand for its states.
export function largestCell(cells) {
  let most = 0;
  for (const column of cells) for (const cell of column) if (cell > most) most = cell;
  return most || 1;
}

export function rgb(name) {
  const hex = getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// Paints an image of [height, width]: darkness from 0 to 1, and layers [{colour, amount, most}] over it.
export function paint(canvas, shape, darkness, layers = []) {
  const [height, width] = shape;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const [ink, paper] = [rgb("text"), rgb("sunken")];
  const over = layers.map(({ colour, amount, most }) => ({ colour: rgb(colour), amount, most: Math.max(most ?? Math.max(...amount), 1e-9) }));
  for (let i = 0; i < width * height; i++) {
    const dark = (layers.length ? 0.5 : 1) * darkness[i];
    const pixel = ink.map((value, c) => dark * value + (1 - dark) * paper[c]);
    for (const { colour, amount, most } of over) {
      const share = 0.85 * (amount[i] / most) ** 0.7;
      for (let c = 0; c < 3; c++) pixel[c] = share * colour[c] + (1 - share) * pixel[c];
    }
    image.data.set([...pixel, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
}

// Paints an atom: its pixels, each with its darkness; all others are blue.
export function paintAtom(canvas, [height, width], pixels) {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const [ink, paper, blue] = [rgb("text"), rgb("sunken"), rgb("accent")];
  const mixed = (one, other, share) => `rgb(${one.map((value, c) => Math.round(share * value + (1 - share) * other[c])).join(" ")})`;
  context.fillStyle = mixed(blue, paper, 0.35);
  context.fillRect(0, 0, width, height);
  for (const [place, dark] of pixels) {
    context.fillStyle = mixed(ink, paper, dark);
    context.fillRect(place % width, Math.floor(place / width), 1, 1);
  }
}

// The part of an image that is drawn on: top, left, bottom, right as shares of the sides.
export function extent(darkness, [height, width], least = 0.5) {
  let box = null;
  for (let i = 0; i < darkness.length; i++) {
    if (darkness[i] < least) continue;
    const [y, x] = [Math.floor(i / width), i % width];
    box = box
      ? { top: Math.min(box.top, y), left: Math.min(box.left, x), bottom: Math.max(box.bottom, y + 1), right: Math.max(box.right, x + 1) }
      : { top: y, left: x, bottom: y + 1, right: x + 1 };
  }
  return box && { top: box.top / height, left: box.left / width, bottom: box.bottom / height, right: box.right / width };
}

// The mean extent of examples, to which drawings are fitted.
export function meanExtent(images, shape) {
  const boxes = images.map((one) => extent(one, shape)).filter(Boolean);
  const mean = (side) => boxes.reduce((sum, box) => sum + box[side], 0) / boxes.length;
  return boxes.length ? { top: mean("top"), left: mean("left"), bottom: mean("bottom"), right: mean("right") } : { top: 0.1, left: 0.1, bottom: 0.9, right: 0.9 };
}
