// What a reading says of passes and words, apart from how it is shown.

// How a word was treated: `least` is the fewest units that the model may update.
export function lookOf(step, hidden, least) {
  if (step.width >= hidden) return 'read';
  return step.width > least ? 'between' : 'skimmed';
}

export function leastUnits({small}) {
  return small.length > 0 ? small[small.length - 1] : 0;
}

// The budgets that a model can keep to, inwards to hundredths: it cannot spend less than when it skims every word.
export function budgetRange({budgets}) {
  const least = Math.ceil(100 * (budgets?.least ?? 0)) / 100;
  return {least, most: Math.max(least, Math.floor(100 * (budgets?.most ?? 1)) / 100)};
}

// Models that answer questions take one, some of them choices besides.
export function takesQuestion(model) {
  return model !== undefined && model.net !== 'classifier';
}
export function takesChoices(model) {
  return model?.net === 'cloze';
}

export function choicesIn(line) {
  return line.split('|').map((choice) => choice.trim()).filter((choice) => choice !== '');
}

// "1.backward" is the second layer, backwards. A net with several stacks names them: "modelling.0.forward".
export function passParts({reader}) {
  const [, stack = '', layer = '', direction = ''] =
      /^(?:(.*?)\.)??(?:(\d+)\.)?(forward|backward)?$/.exec(reader) ?? [null, reader];
  return {stack, layer: layer === '' ? '' : String(Number(layer) + 1), direction};
}

// The choices of the picker: layers in order, each with the passes that go over it. A number that tells nothing apart
// is left out.
export function layersOf(passes) {
  const parts = passes.map(passParts);
  const deep = (stack) => new Set(parts.filter((part) => part.stack === stack).map(({layer}) => layer)).size > 1;
  const layers = new Map();
  parts.forEach(({stack, layer, direction}, index) => {
    const name = stack === '' ? layer : deep(stack) ? `${stack} ${layer}` : stack;
    if (!layers.has(name)) layers.set(name, []);
    layers.get(name).push({direction, index});
  });
  return [...layers].map(([name, directions]) => ({name, directions}));
}

// The steps that one pass took over the words of the text and over those of the question.
export function stepsOf(pass, textWords, questionWords) {
  if (pass.over === 'question') return {text: [], question: pass.steps.slice(0, questionWords)};
  return {text: pass.steps.slice(0, textWords), question: pass.steps.slice(textWords, textWords + questionWords)};
}

export function countRead(steps, hidden) {
  return steps.reduce((count, step) => count + (step.width >= hidden ? 1 : 0), 0);
}

// "read in full", "skimmed: 10 of 100 units updated", for the tip and for screen readers.
export function treatmentText(step, hidden) {
  if (step.width >= hidden) return 'read in full';
  if (step.width === 0) return 'passed over';
  return `skimmed: ${step.width} of ${hidden} units updated`;
}
