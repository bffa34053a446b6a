// The page: what the user wants is the state, and every change of it goes through change().
import {changesFrom, linkInAddress, writeAddress} from './address.js';
import {Asking} from './asking.js';
import {wellFormed} from './bytes.js';
import {Dial, kModes, Picker, showExamples} from './controls.js';
import {examplesFor, isExample} from './examples.js';
import {shareText} from './numbers.js';
import {patience, whenSettled} from './pace.js';
import {Pane} from './pane.js';
import {budgetRange, choicesIn, leastUnits, takesChoices, takesQuestion} from './reading.js';
import {models, rememberToken} from './server.js';

const element = (id) => document.getElementById(id);

const state = {
  models: [],
  model: undefined,
  text: '',
  question: '',
  choices: '',
  mode: 'threshold',
  dials: [{threshold: 0.5, budget: 0.25}, {threshold: 0.1, budget: 0.5}],
  compare: false,
  pass: 0,
};

const panes = [makePane(0), makePane(1)];
const dials = [0, 1].map((i) => new Dial(document.querySelector(`[data-dial="${i}"]`), (value) => turn(i, value)));
const picker = new Picker(element('picker'), (pass) => change({pass}));
const asking = new Asking(panes, showReadings, showFault);

function makePane(number) {
  const part = element('pane').content.firstElementChild.cloneNode(true);
  const title = part.querySelector('h3');
  title.id = `pane-${number}-title`;
  part.setAttribute('aria-labelledby', title.id);
  part.hidden = true;
  element('panes').append(part);
  return new Pane(part, (index) => panes[1 - number].setTwin(state.compare ? index : -1));
}

function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

// --- from the state to the page

function showModel() {
  const {model} = state;
  element('model-field').hidden = state.models.length < 2;
  element('model').replaceChildren(...state.models.map(({name}) => new Option(name, name, false, name === model.name)));
  setText('model-facts', factsOf(model).join(' · '));
  const least = leastUnits(model);
  setText('read-note', `all ${model.hidden} units updated`);
  setText('skimmed-note', least > 0 ? `${least} of ${model.hidden}` : 'passed over');
  element('legend-between').hidden = model.small.length < 2 && model.reader !== 'vary';
  element('legend-skimmed').hidden = model.reader === 'full';
  showExamples(element('examples'), examplesFor(model), ({text, question = '', choices = ''}) =>
    change({text, question, choices}));
}

const kNets = {
  classifier: 'chooses a label',
  cloze: 'fills a gap with one of several choices',
  span: 'answers questions with a piece of the text',
  bidaf: 'answers questions with a piece of the text (BiDAF)',
};

function factsOf(model) {
  const facts = state.models.length < 2 ? [model.name] : [];
  facts.push(kNets[model.net] ?? model.net);
  if (model.labels?.length > 0 && model.labels.length < 6) facts.push(model.labels.join(' or '));
  if (model.layers > 1) facts.push(`${model.layers} layers`);
  if (model.directions > 1) facts.push('both directions');
  return facts;
}

function showControls() {
  const {model, mode, compare} = state;
  const {name, names, low, high} = kModes[mode];
  const range = budgetRange(model);
  dials[0].show(mode, state.dials[0][mode], compare ? names[0] : name, range);
  dials[1].show(mode, state.dials[1][mode], names[1], range);
  dials[1].hidden = !compare;
  setText('low-end', low);
  setText('high-end', high);
  element('compare').checked = compare;
  element(mode).checked = true;
  element('budget').disabled = model.calibrated === false;
  element('asking').hidden = !takesQuestion(model);
  element('choosing').hidden = !takesChoices(model);
  for (const [id, value] of [['source', state.text], ['question', state.question], ['choices', state.choices]]) {
    // Writing what is there already would move the cursor.
    if (element(id).value !== value) element(id).value = value;
  }
  showHint();
}

function showHint() {
  const shown = asking.shown.slice(0, state.compare ? 2 : 1).filter(({query}) => 'budget' in query);
  const thresholds = shown.map(({reading}) => shareText(reading.threshold ?? 0)).join(' and ');
  let hint = '';
  if (state.model.calibrated === false) hint = 'A budget needs a calibrated model; skim tune makes one.';
  else if (state.mode === 'budget' && thresholds) hint = `By the model\u2019s calibration, threshold ${thresholds}.`;
  setText('hint', hint);
}

// The panes that are wanted and have something to show.
function showPanes() {
  const nothing = missing() !== '';
  panes.forEach((pane, i) => {
    pane.element.hidden = nothing || !asking.shown[i] || (i === 1 && !state.compare);
    setText(`pane-${i}-title`, kModes[state.mode].title(state.dials[i][state.mode]));
    element(`pane-${i}-title`).classList.toggle('unseen', !state.compare);
    pane.showPass(state.pass);
  });
  element('panes').classList.toggle('two', state.compare);
  element('toolbar').hidden = panes[0].element.hidden;
  picker.show(panes[0].passes, state.pass);
}

function showReadings() {
  // The model may have fewer passes than the one before, or than the link believed.
  if (state.pass >= panes[0].passes.length) state.pass = 0;
  showPanes();
  showHint();
  saySummary();
}

const saySummary = whenSettled(700, () => {
  setText('summary', panes.filter((pane) => !pane.element.hidden).map((pane) => pane.summary).join(' '));
});

// --- asking

// What is missing before anything can be asked.
function missing() {
  if (state.text.trim() === '') return 'Nothing to read yet. Type or paste a text, or take one of the examples.';
  if (takesQuestion(state.model) && state.question.trim() === '') return 'This model answers questions. Ask one.';
  if (takesChoices(state.model) && choicesIn(state.choices).length < 2) {
    return 'This model chooses an answer. Give it two choices or more, with | between them.';
  }
  return '';
}

function queryFor(dial) {
  const {model, mode} = state;
  const query = {model: model.name, text: wellFormed(state.text)};
  if (takesQuestion(model)) query.question = wellFormed(state.question);
  if (takesChoices(model)) query.choices = choicesIn(wellFormed(state.choices));
  query[mode] = dial[mode];
  return query;
}

function ask() {
  clearTimeout(retry);
  const lacks = missing();
  element('empty').hidden = lacks === '';
  setText('empty', lacks);
  showPanes();
  if (lacks === '') {
    asking.ask(state.dials.slice(0, state.compare ? 2 : 1).map(queryFor), leastUnits(state.model));
  } else {
    asking.pause();
    showFault(null);
  }
}

// --- faults

let tries = 0;
let retry = 0;

function showFault(fault) {
  element('fault').hidden = fault === null;
  if (fault === null) {
    tries = 0;
    return;
  }
  const seconds = fault.busy ? patience(++tries, fault.retryAfter) : 0;
  const again = seconds > 0 ? ` Trying again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.` : '';
  setText('fault-text', fault.message + again);
  element('again').hidden = !fault.passing;
  element('token-form').hidden = !fault.wantsToken;
  if (seconds > 0) retry = setTimeout(askAgain, 1000 * seconds);
}

function askAgain() {
  if (state.model) ask();
  else start();
}

// --- the address

const kLeftOut = 'The text is too long for a link, so the link keeps the setting and leaves the text out.';

function say(text) {
  setText('notice', text);
  element('notice').hidden = text === '';
}

const writeAddressLater = whenSettled(350, async () => {
  if (await writeAddress(state)) say(kLeftOut);
  else say('');
});

async function copyLink() {
  writeAddressLater.cancel();
  const leftOut = await writeAddress(state);
  try {
    await navigator.clipboard.writeText(location.href);
    say(leftOut ? `Copied. ${kLeftOut}` : 'The link is copied. It holds text and setting.');
  } catch {
    say(`This browser does not let the page copy; the link is in the address bar.${leftOut ? ` ${kLeftOut}` : ''}`);
  }
}

async function followAddress() {
  const link = await linkInAddress();
  if (link !== null) Object.assign(state, changesFrom(link, state));
  if (link?.damaged) say('The text of this link cannot be read; the link is damaged or was cut off.');
  else if (link?.leftOut) say('This link leaves its text out, because it was too long.');
  else if (state.text === '') takeFirstExample();
  settle();
}

// --- changes

function turn(i, value) {
  const turned = [...state.dials];
  turned[i] = {...turned[i], [state.mode]: value};
  change({dials: turned});
}

function takeFirstExample() {
  const {text, question = '', choices = ''} = examplesFor(state.model)[0];
  Object.assign(state, {text, question, choices});
}

// Brings the state into line with the model, and the page with the state.
function settle() {
  if (state.model.calibrated === false) state.mode = 'threshold';
  const {least, most} = budgetRange(state.model);
  const kept = (budget) => Math.min(most, Math.max(least, budget));
  state.dials = state.dials.map(({threshold, budget}) => ({threshold, budget: kept(budget)}));
  showModel();
  showControls();
  ask();
}

function change(changes) {
  Object.assign(state, changes);
  if (!state.model) return;
  showControls();
  ask();
  writeAddressLater();
}

function changeModel(name) {
  const before = state.model;
  state.model = state.models.find((model) => model.name === name);
  state.pass = 0;
  if (before.net !== state.model.net && isExample(state.text)) takeFirstExample();
  settle();
  writeAddressLater();
}

async function start() {
  try {
    state.models = await models();
  } catch (fault) {
    showFault(fault);
    return;
  }
  showFault(null);
  state.model = state.models.find((model) => model.default) ?? state.models[0];
  await followAddress();
}

function listen() {
  const on = (id, event, action) => element(id).addEventListener(event, action);
  on('source', 'input', ({target}) => change({text: target.value}));
  on('question', 'input', ({target}) => change({question: target.value}));
  on('choices', 'input', ({target}) => change({choices: target.value}));
  on('threshold', 'change', () => change({mode: 'threshold'}));
  on('budget', 'change', () => change({mode: 'budget'}));
  on('compare', 'change', ({target}) => change({compare: target.checked}));
  on('model', 'change', ({target}) => changeModel(target.value));
  on('copy', 'click', copyLink);
  on('again', 'click', askAgain);
  on('token-form', 'submit', (event) => {
    event.preventDefault();
    rememberToken(element('token').value.trim());
    askAgain();
  });
  on('skip', 'click', (event) => {
    // The fragment is taken.
    event.preventDefault();
    element('reading').focus();
  });
  addEventListener('hashchange', () => { if (state.model) followAddress(); });
}

listen();
start();
