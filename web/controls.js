// The input controls of the page.
import {budgetToPosition, formatFraction, positionToBudget, positionToThreshold,
        thresholdToPosition} from './numbers.js';
import {groupByLayer} from './reading.js';

export const kModes = {
  threshold: {
    name: 'Read a word when p_read is above', names: ['First threshold', 'Second threshold'],
    low: 'reads every word', high: 'skims every word',
    title: (value) => `Threshold ${formatFraction(value)}`,
    ariaText: (value) => `${formatFraction(value)}: words are read when p_read is above it`,
    fromPosition: positionToThreshold, toPosition: thresholdToPosition,
  },
  budget: {
    name: 'Fraction of the dense reader\u2019s work', names: ['First budget', 'Second budget'],
    low: 'minimum work', high: 'all the work',
    title: (value) => `Budget ${formatFraction(value)}`,
    ariaText: (value) => `${formatFraction(value)} of the dense reader\u2019s work, on average`,
    fromPosition: positionToBudget, toPosition: budgetToPosition,
  },
};

// A slider of 100 steps with its label and value.
export class Dial {
  #element;
  #input;
  #value;
  #name;
  #mode = 'threshold';
  #range;

  constructor(element, onChange) {
    this.#element = element;
    this.#input = element.querySelector('input');
    this.#value = element.querySelector('[data-part="value"]');
    this.#name = element.querySelector('[data-part="name"]');
    this.#input.addEventListener('input', () => onChange(kModes[this.#mode].fromPosition(Number(this.#input.value), this.#range)));
  }

  set hidden(hidden) {
    this.#element.hidden = hidden;
  }

  // `range` is the budget range of the model.
  show(mode, value, name, range) {
    this.#mode = mode;
    this.#range = range;
    const position = kModes[mode].toPosition(value, range);
    this.#name.textContent = name;
    this.#value.textContent = formatFraction(value);
    this.#input.value = position;
    this.#input.setAttribute('aria-valuetext', kModes[mode].ariaText(value));
    this.#input.style.setProperty('--at', `${position}%`);
  }
}

function createRadio(group, value, label) {
  const outer = document.createElement('label');
  const input = document.createElement('input');
  const text = document.createElement('span');
  Object.assign(input, {type: 'radio', name: group, value});
  text.textContent = label;
  outer.append(input, text);
  return outer;
}

function selectRadio(element, value) {
  const input = element.querySelector(`input[value="${value}"]`);
  if (input) input.checked = true;
}

const kArrows = {forward: '\u2192', backward: '\u2190'};

// Selects a pass of a model with several layers or directions.
export class PassPicker {
  #element;
  #layers;
  #directions;
  #layerGroups = [];
  #passNames = '';
  #layer = -1;

  constructor(element, onSelect) {
    this.#element = element;
    this.#layers = element.querySelector('#layers');
    this.#directions = element.querySelector('#directions');
    this.#layers.addEventListener('change', ({target}) => onSelect(this.#sameDirection(Number(target.value))));
    this.#directions.addEventListener('change', ({target}) => onSelect(Number(target.value)));
  }

  // The pass of another layer in the selected direction, if the layer has that direction.
  #sameDirection(layer) {
    const at = [...this.#directions.querySelectorAll('input')].findIndex((input) => input.checked);
    const {directions} = this.#layerGroups[layer];
    return (directions[at] ?? directions[0]).index;
  }

  // Rebuilds only what has changed, to preserve the focus.
  show(passes, selected) {
    this.#element.hidden = passes.length < 2;
    const passNames = passes.map((pass) => `${pass.reader} ${pass.over ?? ''}`).join();
    const unchanged = passNames === this.#passNames;
    if (!unchanged) this.#showLayers(passes);
    this.#passNames = passNames;
    const layer = this.#layerGroups.findIndex(({directions}) => directions.some(({index}) => index === selected));
    if (layer < 0) return;
    if (!unchanged || layer !== this.#layer) this.#showDirections(this.#layerGroups[layer].directions);
    this.#layer = layer;
    selectRadio(this.#layers, layer);
    selectRadio(this.#directions, selected);
  }

  #showLayers(passes) {
    this.#layerGroups = groupByLayer(passes);
    this.#layers.replaceChildren(...this.#layerGroups.map(({name}, i) => createRadio('layer', i, name)));
    this.#layers.closest('fieldset').hidden = this.#layerGroups.length < 2;
  }

  #showDirections(directions) {
    this.#directions.replaceChildren(...directions.map(({direction, index}) =>
      createRadio('direction', index, `${kArrows[direction] ?? ''} ${direction}`.trim())));
    this.#directions.closest('fieldset').hidden = directions.length < 2;
  }
}

// Shows one button per example.
export function showExamples(element, examples, onSelect) {
  element.replaceChildren(...examples.map((example) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'chip';
    button.textContent = example.title;
    button.addEventListener('click', () => onSelect(example));
    return button;
  }));
}
