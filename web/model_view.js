// What the page says about a model: its facts, and the legend of its decisions.
import {element, setText} from './dom.js';
import {minWidth} from './reading.js';

const kNets = {
  classifier: 'classifies texts',
  cloze: 'cloze questions: fills a gap with one of several choices',
  span: 'answers questions with a span of the text',
  bidaf: 'answers questions with a span of the text (BiDAF)',
};

// What the classifier gives a text.
const kOutputs = {
  sigmoid: 'gives texts any number of labels',
  linear: 'gives texts a number',
};

// What the model does, its labels if they are few, its layers and directions.
export function modelFacts(model) {
  const facts = [kOutputs[model.output] ?? kNets[model.net] ?? model.net];
  if (model.labels?.length > 0 && model.labels.length < 6) facts.push(model.labels.join(' or '));
  if (model.num_layers > 1) facts.push(`${model.num_layers} layers`);
  if (model.directions > 1) facts.push('both directions');
  return facts;
}

export function showLegend(model) {
  const skimWidth = minWidth(model);
  setText(element('read-note'), `all ${model.hiddenSize} units updated`);
  setText(element('skimmed-note'), skimWidth > 0 ? `${skimWidth} of ${model.hiddenSize}` : 'skipped');
  element('legend-between').hidden = model.skimSizes.length < 2 && model.reader !== 'vcrnn';
  element('legend-skimmed').hidden = model.reader === 'dense';
}
