// Stores the state of the page in the fragment of its URL, and restores it.
import {formatFraction} from './numbers.js';
import {decodeLink, encodeLink} from './permalink.js';
import {takesChoices, takesQuestion} from './reading.js';
import {toWellFormed} from './utf8.js';

// The fields of a link to this state.
export function toLinkFields({model, models, mode, dials, compare, pass, question, choices, text}) {
  return {
    model: models.length > 1 ? model?.name : undefined,
    [mode]: formatFraction(dials[0][mode]),
    against: compare ? formatFraction(dials[1][mode]) : undefined,
    pass: pass > 0 ? String(pass) : undefined,
    question: takesQuestion(model) ? toWellFormed(question) : undefined,
    choices: takesChoices(model) ? toWellFormed(choices) : undefined,
    text: toWellFormed(text),
  };
}

function parseFraction(text, fallback) {
  const value = Number.parseFloat(text);
  return value >= 0 && value <= 1 ? value : fallback;
}

// The changes that a link makes to a state. Ignores invalid fields, because links are untrusted.
export function stateFromLink(link, state) {
  const mode = link.budget !== undefined ? 'budget' : 'threshold';
  const [first, second] = state.dials;
  return {
    model: state.models.find(({name}) => name === link.model) ?? state.model,
    mode,
    dials: [{...first, [mode]: parseFraction(link[mode], first[mode])},
            {...second, [mode]: parseFraction(link.against, second[mode])}],
    compare: link.against !== undefined,
    pass: /^\d{1,3}$/.test(link.pass ?? '') ? Number(link.pass) : 0,
    question: link.question ?? '',
    choices: link.choices ?? '',
    text: link.text ?? '',
  };
}

// Writes the state to the URL; returns whether the text had to be omitted.
export async function writeUrl(state) {
  const {fragment, textOmitted} = await encodeLink(toLinkFields(state));
  history.replaceState(null, '', `#${fragment}`);
  return textOmitted;
}

// The link fields of the URL; null if there are none.
export async function readUrl() {
  return location.hash.includes('=') ? decodeLink(location.hash) : null;
}
