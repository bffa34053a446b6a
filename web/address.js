// The address of the page holds what it shows, and following a link shows it.
import {wellFormed} from './bytes.js';
import {linkFrom, settingFrom} from './link.js';
import {shareText} from './numbers.js';
import {takesChoices, takesQuestion} from './reading.js';

// The fields of a link that shows this state.
export function settingOf({model, models, mode, dials, compare, pass, question, choices, text}) {
  return {
    model: models.length > 1 ? model?.name : undefined,
    [mode]: shareText(dials[0][mode]),
    against: compare ? shareText(dials[1][mode]) : undefined,
    pass: pass > 0 ? String(pass) : undefined,
    question: takesQuestion(model) ? wellFormed(question) : undefined,
    choices: takesChoices(model) ? wellFormed(choices) : undefined,
    text: wellFormed(text),
  };
}

function shareIn(text, otherwise) {
  const value = Number.parseFloat(text);
  return value >= 0 && value <= 1 ? value : otherwise;
}

// What a link changes in a state. Links come from anywhere: what makes no sense is passed over.
export function changesFrom(link, state) {
  const mode = link.budget !== undefined ? 'budget' : 'threshold';
  const [first, second] = state.dials;
  return {
    model: state.models.find(({name}) => name === link.model) ?? state.model,
    mode,
    dials: [{...first, [mode]: shareIn(link[mode], first[mode])},
            {...second, [mode]: shareIn(link.against, second[mode])}],
    compare: link.against !== undefined,
    pass: /^\d{1,3}$/.test(link.pass ?? '') ? Number(link.pass) : 0,
    question: link.question ?? '',
    choices: link.choices ?? '',
    text: link.text ?? '',
  };
}

// Writes the state into the address; says whether the text had to be left out.
export async function writeAddress(state) {
  const {fragment, leftOut} = await linkFrom(settingOf(state));
  history.replaceState(null, '', `#${fragment}`);
  return leftOut;
}

// The link in the address; null where there is none.
export async function linkInAddress() {
  return location.hash.includes('=') ? settingFrom(location.hash) : null;
}
