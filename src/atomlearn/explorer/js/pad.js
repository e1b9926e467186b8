// A pad to draw on with finger, pen or mouse; gives the drawing in the size of the images.
import { h } from "./dom.js";
import { extent, rgb } from "./pixels.js";

const FINE = 64; // dots of the longer side of the pad
const SAMPLES = 4; // of a pixel, each way, when the drawing is made smaller

export class Pad {
  constructor(shape, fit, onChange) {
    this.shape = shape;
    this.fit = fit; // the extent that drawings are fitted to, or null
    this.onChange = onChange;
    const scale = FINE / Math.max(...shape);
    this.fine = shape.map((side) => Math.round(side * scale));
    this.radius = FINE * (Math.max(...shape) < 16 ? 0.075 : 0.045);
    this.element = h("canvas", { class: "pad", role: "img", tabindex: "0", "aria-label": "drawing pad: draw with finger, pen, mouse, or arrow keys; Shift and an arrow key move without drawing" });
    [this.element.height, this.element.width] = this.fine;
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) this.element.addEventListener(name, () => { this.last = null; });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    for (const name of ["focus", "blur"]) this.element.addEventListener(name, () => this.redraw());
    this.pen = this.fine.map((side) => side / 2);
    this.clear();
  }

  clear() {
    this.ink = new Float32Array(this.fine[0] * this.fine[1]);
    this.base = null;
    this.last = null;
    this.#show();
  }

  // Show an image, darkness from 0 to 1, to draw on.
  load(darkness) {
    this.ink.fill(0);
    this.base = darkness;
    this.#show();
  }

  #at(event) {
    const box = this.element.getBoundingClientRect();
    return [((event.clientY - box.top) / box.height) * this.fine[0], ((event.clientX - box.left) / box.width) * this.fine[1]];
  }

  #down(event) {
    if (event.button) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.last = this.#at(event);
    this.#stroke(this.last);
    this.#show();
  }

  #move(event) {
    if (!this.last) return;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const one of events.length ? events : [event]) this.#stroke(this.#at(one));
    this.#show();
  }

  #key(event) {
    const step = { ArrowUp: [-3, 0], ArrowDown: [3, 0], ArrowLeft: [0, -3], ArrowRight: [0, 3] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.last = this.pen;
    this.pen = this.pen.map((at, i) => Math.min(this.fine[i], Math.max(0, at + step[i])));
    if (!event.shiftKey) this.#stroke(this.pen);
    this.last = null;
    this.#show();
  }

  #stroke([y, x]) {
    const [y0, x0] = this.last;
    const steps = Math.max(1, Math.ceil(Math.hypot(y - y0, x - x0)));
    for (let i = 1; i <= steps; i++) this.#stamp(y0 + ((y - y0) * i) / steps, x0 + ((x - x0) * i) / steps);
    this.last = [y, x];
  }

  #stamp(y, x) {
    const [height, width] = this.fine;
    const reach = this.radius + 1;
    for (let i = Math.max(0, Math.floor(y - reach)); i < Math.min(height, y + reach); i++) {
      for (let j = Math.max(0, Math.floor(x - reach)); j < Math.min(width, x + reach); j++) {
        const amount = Math.min(1, Math.max(0, this.radius + 0.5 - Math.hypot(i + 0.5 - y, j + 0.5 - x)));
        const at = i * width + j;
        if (amount > this.ink[at]) this.ink[at] = amount;
      }
    }
  }

  #show() {
    this.redraw();
    this.onChange(this.small());
  }

  redraw() {
    const [height, width] = this.fine;
    const context = this.element.getContext("2d");
    const image = context.createImageData(width, height);
    const [ink, paper] = [rgb("text"), rgb("panel")];
    const [h0, w0] = this.shape;
    for (let i = 0; i < height; i++) {
      for (let j = 0; j < width; j++) {
        const under = this.base ? this.base[Math.floor((i * h0) / height) * w0 + Math.floor((j * w0) / width)] : 0;
        const dark = Math.max(this.ink[i * width + j], under);
        image.data.set([...ink.map((value, c) => dark * value + (1 - dark) * paper[c]), 255], 4 * (i * width + j));
      }
    }
    context.putImageData(image, 0, 0);
    if (!this.element.matches(":focus-visible")) return;
    context.strokeStyle = `rgb(${rgb("accent")})`; // where the arrow keys draw
    context.strokeRect(this.pen[1] - this.radius, this.pen[0] - this.radius, 2 * this.radius, 2 * this.radius);
  }

  // The drawing in the size of the images, darkness from 0 to 1.
  small() {
    const [height, width] = this.shape;
    const place = this.#placed();
    const out = new Float64Array(height * width);
    for (let i = 0; i < height; i++) {
      for (let j = 0; j < width; j++) {
        let sum = 0;
        for (let a = 0; a < SAMPLES; a++) {
          for (let b = 0; b < SAMPLES; b++) sum += this.#inkAt(place((i + (a + 0.5) / SAMPLES) / height, (j + (b + 0.5) / SAMPLES) / width));
        }
        const drawn = Math.min(1, (1.35 * sum) / SAMPLES ** 2);
        out[i * width + j] = this.base ? Math.max(drawn, this.base[i * width + j]) : drawn;
      }
    }
    return out;
  }

  #inkAt([y, x]) {
    const [i, j] = [Math.floor(y * this.fine[0]), Math.floor(x * this.fine[1])];
    return i < 0 || j < 0 || i >= this.fine[0] || j >= this.fine[1] ? 0 : this.ink[i * this.fine[1] + j];
  }

  // Where on the pad a place of the image is: as it is, or so that the drawing fills the usual part.
  #placed() {
    const box = this.fit && !this.base ? extent(this.ink, this.fine, 0.3) : null;
    if (!box) return (y, x) => [y, x];
    const goal = this.fit;
    const tall = (box.bottom - box.top) / (goal.bottom - goal.top);
    const wide = (box.right - box.left) / (Math.min(1, 1.25 * (goal.right - goal.left)));
    const scale = Math.max(tall, wide);
    const middle = (one, low, high) => (one[low] + one[high]) / 2;
    return (y, x) => [
      middle(box, "top", "bottom") + scale * (y - middle(goal, "top", "bottom")),
      middle(box, "left", "right") + scale * (x - middle(goal, "left", "right")),
    ];
  }
}
