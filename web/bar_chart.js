// A bar chart of p_read: one bar per word, and a line at the threshold.

// Aggregates steps to at most `maxColumns` columns; a column has the maximum of p_read over its words.
export function binColumns(steps, hiddenSize, maxColumns) {
  const count = Math.min(steps.length, Math.max(1, Math.floor(maxColumns)));
  return Array.from({length: count}, (_, column) => {
    const begin = Math.floor((column * steps.length) / count);
    const end = Math.floor(((column + 1) * steps.length) / count);
    const bar = {height: 0, read: false};
    for (let i = begin; i < end; ++i) {
      bar.height = Math.max(bar.height, steps[i].p_read);
      bar.read ||= steps[i].width >= hiddenSize;
    }
    return bar;
  });
}

// Draws the columns of read words, or those of the others.
function drawBars(context, columns, drawRead, size) {
  const columnWidth = size.width / columns.length;
  const barWidth = Math.max(1, Math.min(columnWidth - 1, 12));
  columns.forEach(({height, read}, i) => {
    if (read !== drawRead) return;
    const barHeight = Math.max(1, height * (size.height - 2));
    context.fillRect(i * columnWidth + (columnWidth - barWidth) / 2, size.height - barHeight, barWidth, barHeight);
  });
}

function drawThreshold(context, threshold, size) {
  const y = Math.min(size.height - 0.5, Math.max(0.5, size.height - threshold * (size.height - 2)));
  context.setLineDash([4, 4]);
  context.beginPath();
  context.moveTo(0, y);
  context.lineTo(size.width, y);
  context.stroke();
}

export class BarChart {
  #canvas;
  #shown = null;

  constructor(canvas) {
    this.#canvas = canvas;
    const redraw = () => this.#draw();
    new ResizeObserver(redraw).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  }

  // `threshold` is null if the policy has none.
  show(steps, hiddenSize, threshold) {
    this.#shown = {steps, hiddenSize, threshold};
    this.#draw();
  }

  #draw() {
    const size = {width: this.#canvas.clientWidth, height: this.#canvas.clientHeight};
    if (this.#shown === null || size.width === 0) return;
    const scale = window.devicePixelRatio || 1;
    const {steps, hiddenSize, threshold} = this.#shown;
    this.#resize(Math.round(size.width * scale), Math.round(size.height * scale));
    const context = this.#canvas.getContext('2d');
    const style = getComputedStyle(this.#canvas);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const columns = binColumns(steps, hiddenSize, size.width / 2);
    context.fillStyle = style.getPropertyValue('--bar-dim');
    drawBars(context, columns, false, size);
    context.fillStyle = style.getPropertyValue('--accent');
    drawBars(context, columns, true, size);
    context.strokeStyle = style.getPropertyValue('--ink');
    if (threshold !== null) drawThreshold(context, threshold, size);
  }

  // Setting the size of a canvas clears it and would cause flicker.
  #resize(width, height) {
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
  }
}
