// The controller of the page. `state` holds the user's input; all changes go through change().
import {fetchModels, storeToken} from './api.js';
import {Dial, kModes, showExamples} from './controls.js';
import {element, setText} from './dom.js';
import {examplesFor, isExample} from './examples.js';
import {modelFacts, showLegend} from './model_view.js';
import {formatFraction} from './numbers.js';
import {createPane} from './pane.js';
import {PassPicker} from './pass_picker.js';
import {budgetRange, minWidth, parseChoices, takesChoices, takesQuestion} from './reading.js';
import {ReadingLoader} from './reading_loader.js';
import {debounce, retryDelay} from './scheduling.js';
import {readUrl, stateFromLink, writeUrl} from './url_state.js';
import {toWellFormed} from './utf8.js';

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
const dials = [0, 1].map((i) => new Dial(document.querySelector(`[data-dial="${i}"]`), (value) => setDialValue(i, value)));
const picker = new PassPicker(element('picker'), (pass) => change({pass}));
const loader = new ReadingLoader(panes, showReadings, showError);

function makePane(number) {
  return createPane(number, (index) => panes[1 - number].setLinkedWord(state.compare ? index : -1));
}

// --- rendering

function showModel() {
  const {model} = state;
  element('model-field').hidden = state.models.length < 2;
  element('model').replaceChildren(...state.models.map(({name}) => new Option(name, name, false, name === model.name)));
  const name = state.models.length < 2 ? [model.name] : [];
  setText(element('model-facts'), [...name, ...modelFacts(model)].join(' · '));
  showLegend(model);
  showExamples(element('examples'), examplesFor(model), ({text, question = '', choices = ''}) =>
    change({text, question, choices}));
}

function showControls() {
  const {model, mode, compare} = state;
  const {name, names, low, high} = kModes[mode];
  const range = budgetRange(model);
  dials[0].show(mode, state.dials[0][mode], compare ? names[0] : name, range);
  dials[1].show(mode, state.dials[1][mode], names[1], range);
  dials[1].hidden = !compare;
  setText(element('low-end'), low);
  setText(element('high-end'), high);
  element('compare').checked = compare;
  element(mode).checked = true;
  element('budget').disabled = model.calibrated === false;
  element('question-field').hidden = !takesQuestion(model);
  element('choices-field').hidden = !takesChoices(model);
  for (const [id, value] of [['source', state.text], ['question', state.question], ['choices', state.choices]]) {
    // Setting an unchanged value would move the cursor.
    if (element(id).value !== value) element(id).value = value;
  }
  showHint();
}

function showHint() {
  const shown = loader.shown.slice(0, state.compare ? 2 : 1).filter(({query}) => 'budget' in query);
  const thresholds = shown.map(({reading}) => formatFraction(reading.threshold ?? 0)).join(' and ');
  let hint = '';
  if (state.model.calibrated === false) hint = 'A budget needs a calibrated model; skim tune calibrates one.';
  else if (state.mode === 'budget' && thresholds) hint = `The calibration of the model gives threshold ${thresholds}.`;
  setText(element('hint'), hint);
}

// Shows the panes that are in use and have a reading.
function showPanes() {
  const isMissing = missingInput() !== '';
  panes.forEach((pane, i) => {
    pane.element.hidden = isMissing || !loader.shown[i] || (i === 1 && !state.compare);
    setText(element(`pane-${i}-title`), kModes[state.mode].title(state.dials[i][state.mode]));
    element(`pane-${i}-title`).classList.toggle('visually-hidden', !state.compare);
    pane.showPass(state.pass);
  });
  element('panes').classList.toggle('two', state.compare);
  element('toolbar').hidden = panes[0].element.hidden;
  picker.show(panes[0].passes, state.pass);
}

function showReadings() {
  // The model may have fewer passes than the previous one, or than the link assumes.
  if (state.pass >= panes[0].passes.length) state.pass = 0;
  showPanes();
  showHint();
  announceSummary();
}

const announceSummary = debounce(700, () => {
  setText(element('summary'), panes.filter((pane) => !pane.element.hidden).map((pane) => pane.summary).join(' '));
});

// --- requests

// A message about missing input; empty if a request can be sent.
function missingInput() {
  if (state.text.trim() === '') return 'No text yet. Type or paste a text, or select one of the examples.';
  if (takesQuestion(state.model) && state.question.trim() === '') return 'This model answers questions. Enter a question.';
  if (takesChoices(state.model) && parseChoices(state.choices).length < 2) {
    return 'This model selects one of several choices. Enter two choices or more, separated by |.';
  }
  return '';
}

function makeQuery(dial) {
  const {model, mode} = state;
  const query = {model: model.name, text: toWellFormed(state.text)};
  if (takesQuestion(model)) query.question = toWellFormed(state.question);
  if (takesChoices(model)) query.choices = parseChoices(toWellFormed(state.choices));
  query[mode] = dial[mode];
  return query;
}

function requestReadings() {
  clearTimeout(retryTimer);
  const missing = missingInput();
  element('empty').hidden = missing === '';
  setText(element('empty'), missing);
  showPanes();
  if (missing === '') {
    loader.load(state.dials.slice(0, state.compare ? 2 : 1).map(makeQuery), minWidth(state.model),
                state.model.limits);
  } else {
    loader.cancelTiming();
    showError(null);
  }
}

// --- errors

let attempts = 0;
let retryTimer = 0;

function showError(error) {
  element('error').hidden = error === null;
  if (error === null) {
    attempts = 0;
    return;
  }
  const seconds = error.isBusy ? retryDelay(++attempts, error.retryAfter) : 0;
  const notice = seconds > 0 ? ` Retrying in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.` : '';
  setText(element('error-text'), error.message + notice);
  element('retry').hidden = !error.isTransient;
  element('token-form').hidden = !error.needsToken;
  if (seconds > 0) retryTimer = setTimeout(retryNow, 1000 * seconds);
}

function retryNow() {
  if (state.model) requestReadings();
  else start();
}

// --- the URL

const kTextOmitted = 'The text is too long for a link, so the link holds the settings but omits the text.';

function showNotice(text) {
  setText(element('notice'), text);
  element('notice').hidden = text === '';
}

const writeUrlLater = debounce(350, async () => {
  if (await writeUrl(state)) showNotice(kTextOmitted);
  else showNotice('');
});

async function copyLink() {
  writeUrlLater.cancel();
  const textOmitted = await writeUrl(state);
  try {
    await navigator.clipboard.writeText(location.href);
    showNotice(textOmitted ? `Link copied. ${kTextOmitted}` : 'Link copied. It holds the text and the settings.');
  } catch {
    showNotice(`This browser does not allow the page to copy; the link is in the address bar.${textOmitted ? ` ${kTextOmitted}` : ''}`);
  }
}

async function applyUrl() {
  const link = await readUrl();
  if (link !== null) Object.assign(state, stateFromLink(link, state));
  if (link?.corrupt) showNotice('The text of this link cannot be decoded; the link is damaged or truncated.');
  else if (link?.textOmitted) showNotice('This link omits its text, because it was too long.');
  else if (state.text === '') useFirstExample();
  applyModel();
}

// --- changes

function setDialValue(i, value) {
  const changed = [...state.dials];
  changed[i] = {...changed[i], [state.mode]: value};
  change({dials: changed});
}

function useFirstExample() {
  const {text, question = '', choices = ''} = examplesFor(state.model)[0];
  Object.assign(state, {text, question, choices});
}

// Adapts the state to the model, then the page to the state.
function applyModel() {
  if (state.model.calibrated === false) state.mode = 'threshold';
  const {min, max} = budgetRange(state.model);
  const clamp = (budget) => Math.min(max, Math.max(min, budget));
  state.dials = state.dials.map(({threshold, budget}) => ({threshold, budget: clamp(budget)}));
  showModel();
  showControls();
  requestReadings();
}

function change(changes) {
  Object.assign(state, changes);
  if (!state.model) return;
  showControls();
  requestReadings();
  writeUrlLater();
}

function changeModel(name) {
  const previous = state.model;
  state.model = state.models.find((model) => model.name === name);
  state.pass = 0;
  if (previous.net !== state.model.net && isExample(state.text)) useFirstExample();
  applyModel();
  writeUrlLater();
}

async function start() {
  try {
    state.models = await fetchModels();
  } catch (error) {
    showError(error);
    return;
  }
  showError(null);
  state.model = state.models.find((model) => model.default) ?? state.models[0];
  await applyUrl();
}

function addListeners() {
  const on = (id, event, action) => element(id).addEventListener(event, action);
  on('source', 'input', ({target}) => change({text: target.value}));
  on('question', 'input', ({target}) => change({question: target.value}));
  on('choices', 'input', ({target}) => change({choices: target.value}));
  on('threshold', 'change', () => change({mode: 'threshold'}));
  on('budget', 'change', () => change({mode: 'budget'}));
  on('compare', 'change', ({target}) => change({compare: target.checked}));
  on('model', 'change', ({target}) => changeModel(target.value));
  on('copy', 'click', copyLink);
  on('retry', 'click', retryNow);
  on('token-form', 'submit', (event) => {
    event.preventDefault();
    storeToken(element('token').value.trim());
    retryNow();
  });
  on('skip', 'click', (event) => {
    // The fragment holds the state of the page.
    event.preventDefault();
    element('reading').focus();
  });
  addEventListener('hashchange', () => { if (state.model) applyUrl(); });
}

addListeners();
start();
