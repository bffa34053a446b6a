// A bar a word, as high as p_read, with the line that the dial draws: where in the text the reader woke up.

// Joins words where there are more than pixels: of each column, the word most likely to be read.
export function columnsOf(steps, hidden, most) {
  const count = Math.min(steps.length, Math.max(1, Math.floor(most)));
  return Array.from({length: count}, (_, column) => {
    const begin = Math.floor((column * steps.length) / count);
    const end = Math.floor(((column + 1) * steps.length) / count);
    const bar = {height: 0, read: false};
    for (let i = begin; i < end; ++i) {
      bar.height = Math.max(bar.height, steps[i].p_read);
      bar.read ||= steps[i].width >= hidden;
    }
    return bar;
  });
}

function drawBars(pen, columns, wanted, size) {
  const width = size.width / columns.length;
  const bar = Math.max(1, Math.min(width - 1, 12));
  columns.forEach(({height, read}, i) => {
    if (read !== wanted) return;
    const tall = Math.max(1, height * (size.height - 2));
    pen.fillRect(i * width + (width - bar) / 2, size.height - tall, bar, tall);
  });
}

function drawLine(pen, threshold, size) {
  const y = Math.min(size.height - 0.5, Math.max(0.5, size.height - threshold * (size.height - 2)));
  pen.setLineDash([4, 4]);
  pen.beginPath();
  pen.moveTo(0, y);
  pen.lineTo(size.width, y);
  pen.stroke();
}

export class Strip {
  #canvas;
  #shown = null;

  constructor(canvas) {
    this.#canvas = canvas;
    const again = () => this.#draw();
    new ResizeObserver(again).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  }

  // `threshold` is null where words are not read by one.
  show(steps, hidden, threshold) {
    this.#shown = {steps, hidden, threshold};
    this.#draw();
  }

  #draw() {
    const size = {width: this.#canvas.clientWidth, height: this.#canvas.clientHeight};
    if (this.#shown === null || size.width === 0) return;
    const scale = window.devicePixelRatio || 1;
    const {steps, hidden, threshold} = this.#shown;
    this.#fit(Math.round(size.width * scale), Math.round(size.height * scale));
    const pen = this.#canvas.getContext('2d');
    const colours = getComputedStyle(this.#canvas);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    const columns = columnsOf(steps, hidden, size.width / 2);
    pen.fillStyle = colours.getPropertyValue('--bar-dim');
    drawBars(pen, columns, false, size);
    pen.fillStyle = colours.getPropertyValue('--accent');
    drawBars(pen, columns, true, size);
    pen.strokeStyle = colours.getPropertyValue('--ink');
    if (threshold !== null) drawLine(pen, threshold, size);
  }

  // Setting the size of a canvas clears it, which would flicker.
  #fit(width, height) {
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
  }
}
