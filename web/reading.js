// The structure of models and readings: passes, steps, decisions. Independent of the page.

// Adds the reader fields of the spec that the page needs to an entry of /v1/models.
export function toModel(entry, defaultName) {
  const reader = entry.spec?.reader ?? {};
  return {
    ...entry,
    reader: reader.kind,
    hiddenSize: reader.hidden_size,
    skimSizes: reader.skim_sizes ?? [],
    default: entry.default ?? entry.name === defaultName,
  };
}

// The decision of a step. `minWidth` is the smallest number of units that the model updates.
export function stepDecision(step, hiddenSize, minWidth) {
  if (step.width >= hiddenSize) return 'read';
  return step.width > minWidth ? 'between' : 'skimmed';
}

export function minWidth({skimSizes}) {
  return skimSizes.length > 0 ? skimSizes[skimSizes.length - 1] : 0;
}

// The range of budgets of a calibrated model, rounded inwards to hundredths. The minimum is the work of skimming every
// word.
export function budgetRange({budgets}) {
  const min = Math.ceil(100 * (budgets?.min ?? 0)) / 100;
  return {min, max: Math.max(min, Math.floor(100 * (budgets?.max ?? 1)) / 100)};
}

export function takesQuestion(model) {
  return model !== undefined && model.net !== 'classifier';
}
export function takesChoices(model) {
  return model?.net === 'cloze';
}

export function parseChoices(line) {
  return line.split('|').map((choice) => choice.trim()).filter((choice) => choice !== '');
}

// Parses the reader of a pass: "1.backward" is the backward direction of the second layer. A net with several stacks
// prefixes their names: "modelling.0.forward".
export function parsePassName({reader}) {
  const [, stack = '', layer = '', direction = ''] =
      /^(?:(.*?)\.)??(?:(\d+)\.)?(forward|backward)?$/.exec(reader) ?? [null, reader];
  return {stack, layer: layer === '' ? '' : String(Number(layer) + 1), direction};
}

// The answer in words: of a multi-label model its labels.
export function answerText({answer, labels}) {
  if (labels === undefined) return answer.text;
  return labels.length > 0 ? labels.join(', ') : 'no label';
}

// Whether the answer has a probability: a number has none, several labels have one each.
export function hasScore({answer, labels}) {
  return labels === undefined && answer.score !== undefined;
}

// Whether a label or choice is (part of) the answer.
export function isAnswer({answer, labels}, name) {
  return labels === undefined ? name === answer.text : labels.includes(name);
}

// Groups passes by layer, in order. Omits the layer number where a stack has one layer only.
export function groupByLayer(passes) {
  const parts = passes.map(parsePassName);
  const isDeep = (stack) => new Set(parts.filter((part) => part.stack === stack).map(({layer}) => layer)).size > 1;
  const layers = new Map();
  parts.forEach(({stack, layer, direction}, index) => {
    const name = stack === '' ? layer : isDeep(stack) ? `${stack} ${layer}` : stack;
    if (!layers.has(name)) layers.set(name, []);
    layers.get(name).push({direction, index});
  });
  return [...layers].map(([name, directions]) => ({name, directions}));
}

// Splits the steps of a pass into those of the text and those of the question.
export function splitSteps(pass, textWords, questionWords) {
  if (pass.over === 'question') return {text: [], question: pass.steps.slice(0, questionWords)};
  return {text: pass.steps.slice(0, textWords), question: pass.steps.slice(textWords, textWords + questionWords)};
}

export function countRead(steps, hiddenSize) {
  return steps.reduce((count, step) => count + (step.width >= hiddenSize ? 1 : 0), 0);
}

// "read in full" or "skimmed: 10 of 100 units updated", for the tooltip and for screen readers.
export function describeStep(step, hiddenSize) {
  if (step.width >= hiddenSize) return 'read in full';
  if (step.width === 0) return 'skipped';
  return `skimmed: ${step.width} of ${hiddenSize} units updated`;
}
