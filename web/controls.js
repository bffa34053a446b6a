// The parts of the page that take what the user wants.
import {budgetAt, budgetPosition, positionOf, shareText, thresholdAt} from './numbers.js';
import {layersOf} from './reading.js';

export const kModes = {
  threshold: {
    name: 'Read a word when p_read is above', names: ['First threshold', 'Second threshold'],
    low: 'reads every word', high: 'skims every word',
    title: (value) => `Threshold ${shareText(value)}`,
    spoken: (value) => `${shareText(value)}: words are read when p_read is above it`,
    at: thresholdAt, position: positionOf,
  },
  budget: {
    name: 'Share of the plain reader\u2019s work', names: ['First budget', 'Second budget'],
    low: 'least work', high: 'all the work',
    title: (value) => `Budget ${shareText(value)}`,
    spoken: (value) => `${shareText(value)} of the plain reader\u2019s work, on average`,
    at: budgetAt, position: budgetPosition,
  },
};

// One dial: a slider of 100 steps with its name and value.
export class Dial {
  #element;
  #input;
  #value;
  #name;
  #mode = 'threshold';
  #range;

  constructor(element, onTurn) {
    this.#element = element;
    this.#input = element.querySelector('input');
    this.#value = element.querySelector('[data-part="value"]');
    this.#name = element.querySelector('[data-part="name"]');
    this.#input.addEventListener('input', () => onTurn(kModes[this.#mode].at(Number(this.#input.value), this.#range)));
  }

  set hidden(hidden) {
    this.#element.hidden = hidden;
  }

  // `range` is that of budgets.
  show(mode, value, name, range) {
    this.#mode = mode;
    this.#range = range;
    const position = kModes[mode].position(value, range);
    this.#name.textContent = name;
    this.#value.textContent = shareText(value);
    this.#input.value = position;
    this.#input.setAttribute('aria-valuetext', kModes[mode].spoken(value));
    this.#input.style.setProperty('--at', `${position}%`);
  }
}

function option(group, value, label) {
  const outer = document.createElement('label');
  const input = document.createElement('input');
  const text = document.createElement('span');
  Object.assign(input, {type: 'radio', name: group, value});
  text.textContent = label;
  outer.append(input, text);
  return outer;
}

function check(element, value) {
  const input = element.querySelector(`input[value="${value}"]`);
  if (input) input.checked = true;
}

const kArrows = {forward: '\u2192', backward: '\u2190'};

// Chooses one of the passes of a deeper model by layer and direction.
export class Picker {
  #element;
  #layers;
  #directions;
  #choices = [];
  #shape = '';
  #layer = -1;

  constructor(element, onPick) {
    this.#element = element;
    this.#layers = element.querySelector('#layers');
    this.#directions = element.querySelector('#directions');
    this.#layers.addEventListener('change', ({target}) => onPick(this.#sameDirection(Number(target.value))));
    this.#directions.addEventListener('change', ({target}) => onPick(Number(target.value)));
  }

  // The pass of another layer in the direction that is chosen now, where it has one.
  #sameDirection(layer) {
    const at = [...this.#directions.querySelectorAll('input')].findIndex((input) => input.checked);
    const {directions} = this.#choices[layer];
    return (directions[at] ?? directions[0]).index;
  }

  // Builds anew only what became another choice, so that focus stays where it is.
  show(passes, chosen) {
    this.#element.hidden = passes.length < 2;
    const shape = passes.map((pass) => `${pass.reader} ${pass.over ?? ''}`).join();
    const same = shape === this.#shape;
    if (!same) this.#showLayers(passes);
    this.#shape = shape;
    const layer = this.#choices.findIndex(({directions}) => directions.some(({index}) => index === chosen));
    if (layer < 0) return;
    if (!same || layer !== this.#layer) this.#showDirections(this.#choices[layer].directions);
    this.#layer = layer;
    check(this.#layers, layer);
    check(this.#directions, chosen);
  }

  #showLayers(passes) {
    this.#choices = layersOf(passes);
    this.#layers.replaceChildren(...this.#choices.map(({name}, i) => option('layer', i, name)));
    this.#layers.closest('fieldset').hidden = this.#choices.length < 2;
  }

  #showDirections(directions) {
    this.#directions.replaceChildren(...directions.map(({direction, index}) =>
      option('direction', index, `${kArrows[direction] ?? ''} ${direction}`.trim())));
    this.#directions.closest('fieldset').hidden = directions.length < 2;
  }
}

// One button a text.
export function showExamples(element, examples, onTake) {
  element.replaceChildren(...examples.map((example) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'chip';
    button.textContent = example.title;
    button.addEventListener('click', () => onTake(example));
    return button;
  }));
}
