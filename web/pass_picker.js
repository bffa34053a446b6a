// The layers and directions of a reading, one radio button each.
import {groupByLayer} from './reading.js';

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
