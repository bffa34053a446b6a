// The input controls of the page.
import {budgetToPosition, formatFraction, positionToBudget, positionToThreshold,
        thresholdToPosition} from './numbers.js';

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
