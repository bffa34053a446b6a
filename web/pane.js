// One reading on the page: answer, scores, figures, the text and its strip. Everything is changed in place.
import {extentsOf} from './bytes.js';
import {percentText, shareText, speedText, timeText, timesText} from './numbers.js';
import {countRead, lookOf, stepsOf, treatmentText} from './reading.js';
import {Strip} from './strip.js';
import {coveredBy, Words} from './words.js';

const kMostScores = 8;
const kMostListed = 300;

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function scoreRow() {
  const row = document.createElement('li');
  const [name, bar, value] = ['name', 'bar', 'value'].map((part) => {
    const span = document.createElement('span');
    span.className = part;
    return span;
  });
  const fill = document.createElement('span');
  fill.className = 'fill';
  bar.setAttribute('aria-hidden', 'true');
  bar.append(fill);
  row.append(name, ' ', bar, ' ', value);
  return row;
}

// Labels keep their places while few, so that bars grow and shrink without jumping; of many, the best.
export function shownScores(scores) {
  if (scores.length <= kMostScores) return scores;
  return [...scores].sort((a, b) => b.score - a.score).slice(0, kMostScores);
}

export class Pane {
  #parts;
  #words;
  #strip;
  #shown = null;   // {reading, text, extents, …}: what is on the page
  #pass = 0;
  #point = -1;
  #plain = 0;      // microseconds of reading every word, 0 while not known

  // `onPoint(index)` is told which word of the text is looked at, -1 for none.
  constructor(element, onPoint) {
    const parts = [...element.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]);
    this.#parts = {element, ...Object.fromEntries(parts)};
    const {text, question, strip, list} = this.#parts;
    this.#words = {
      text: new Words(text, (index, how) => this.#onPoint('text', index, how, onPoint)),
      question: new Words(question, (index, how) => this.#onPoint('question', index, how, () => {})),
    };
    this.#strip = new Strip(strip);
    list.addEventListener('toggle', () => this.#showList());
    text.addEventListener('scroll', () => this.#showTip('text', -1));
  }

  get passes() {
    return this.#shown?.reading.passes ?? [];
  }
  get element() {
    return this.#parts.element;
  }
  // What screen readers are told once the dial rests.
  get summary() {
    if (this.#shown === null) return '';
    const {reading} = this.#shown;
    return `${reading.answer.text}, ${percentText(reading.answer.score)}. ` +
        `${this.#parts['read-words'].textContent} words read, ${percentText(reading.skim_rate)} skimmed, ` +
        `${timesText(reading.flop_reduction.counted)} less work.`;
  }

  // Whether this text's words are here already: they do not change while only the dial moves.
  knows({model, text, question}) {
    const query = this.#shown?.query;
    return query !== undefined && query.model === model && query.text === text && query.question === question;
  }

  show(reading, query, least) {
    const known = reading.words === undefined ? this.#shown : null;
    const side = (source, words) => ({source, extents: extentsOf(source, words ?? [])});
    this.#shown = {
      reading, query, least,
      text: known?.text ?? side(query.text, reading.words),
      question: known?.question ?? side(query.question ?? '', reading.question_words),
    };
    if (!known) {
      this.#plain = 0;
      this.#setTexts();
    }
    this.showPass(this.#pass);
    this.#showAnswer();
    this.#showScores();
    this.#showFigures();
  }

  #setTexts() {
    const {text, question} = this.#shown;
    this.#words.text.setText(text.source, text.extents);
    this.#words.question.setText(question.source, question.extents);
  }

  showPass(index) {
    this.#pass = index;
    if (this.#shown === null) return;
    const {reading, text, question, least} = this.#shown;
    const pass = reading.passes[index] ?? reading.passes[0];
    if (pass === undefined) return;
    const steps = stepsOf(pass, text.extents.length, question.extents.length);
    const looks = (list) => list.map((step) => lookOf(step, pass.hidden, least));
    Object.assign(this.#shown, {pass, steps});
    this.#showRead();
    this.#words.text.setLooks(looks(steps.text));
    this.#words.question.setLooks(looks(steps.question));
    this.#parts.text.hidden = pass.over === 'question';
    this.#parts.question.hidden = steps.question.length === 0;
    this.#strip.show(pass.steps, pass.hidden, reading.threshold ?? null);
    this.#showList();
    this.#showTip('text', this.#point);
  }

  // Of the words that this pass went over.
  #showRead() {
    const {reading, pass, steps} = this.#shown;
    const over = pass.over === 'question' ? steps.question : steps.text;
    const several = reading.passes.length > 1;
    setText(this.#parts['read-words'], `${countRead(over, pass.hidden)} of ${over.length}`);
    setText(this.#parts['read-label'], several ? 'words read in this pass' : 'words read in full');
  }

  #showAnswer() {
    const {reading: {answer}, text} = this.#shown;
    setText(this.#parts.answer, answer.text);
    setText(this.#parts.score, percentText(answer.score));
    const there = answer.begin < answer.end;
    const extent = there ? extentsOf(text.source, [answer])[0] : null;
    this.#words.text.setAnswer(...(there ? coveredBy(extent, text.extents) : [0, 0]));
  }

  #showScores() {
    const {reading} = this.#shown;
    const all = reading.scores ?? [];
    const scores = shownScores(all);
    const list = this.#parts.scores;
    list.hidden = scores.length === 0;
    while (list.children.length < scores.length) list.append(scoreRow());
    while (list.children.length > scores.length) list.lastChild.remove();
    scores.forEach((entry, i) => {
      const row = list.children[i];
      const name = entry.label ?? entry.choice;
      row.classList.toggle('best', name === reading.answer.text);
      setText(row.querySelector('.name'), name);
      setText(row.querySelector('.value'), percentText(entry.score));
      row.querySelector('.fill').style.width = `${100 * entry.score}%`;
    });
    const more = all.length - scores.length;
    this.#parts.more.hidden = more === 0;
    setText(this.#parts.more, more > 0 ? `and ${more} labels with lower scores` : '');
  }

  #showFigures() {
    const {reading} = this.#shown;
    const several = reading.passes.length > 1;
    setText(this.#parts['skim-rate'], percentText(reading.skim_rate));
    setText(this.#parts['skim-label'], several ? 'skimmed, all passes' : 'skimmed');
    setText(this.#parts.counted, timesText(reading.flop_reduction.counted));
    setText(this.#parts.executed, `${timesText(reading.flop_reduction.executed)} in this engine`);
    this.showTimes(reading.microseconds, this.#plain);
  }

  // Microseconds of this setting and of reading every word.
  showTimes(microseconds, plain) {
    this.#plain = plain;
    setText(this.#parts.time, timeText(microseconds));
    const speed = speedText(microseconds, plain);
    setText(this.#parts.speed, speed || 'from text to answer');
    setText(this.#parts.plain, plain > 0 ? `plain: ${timeText(plain)}` : '\u00a0');
  }

  #showList() {
    if (!this.#parts.list.open || !this.#shown?.steps) return;
    const {pass, steps, text} = this.#shown;
    const read = text.extents.filter((_, i) => steps.text[i]?.width >= pass.hidden);
    const shown = read.slice(0, kMostListed).map(([begin, end]) => text.source.slice(begin, end));
    const more = read.length > kMostListed ? ` … and ${read.length - kMostListed} more` : '';
    setText(this.#parts['list-words'], shown.length > 0 ? shown.join(' · ') + more : 'none');
  }

  #onPoint(side, index, how, tell) {
    this.#point = side === 'text' ? index : -1;
    this.#showTip(side, index);
    tell(index);
    if (how === 'focus' && index >= 0) setText(this.#parts.said, this.#wordText(side, index));
  }

  setTwin(index) {
    this.#words.text.setTwin(index);
  }

  #wordText(side, index) {
    const {steps, pass} = this.#shown;
    const step = steps[side][index];
    return step ? `p_read ${shareText(step.p_read)}, ${treatmentText(step, pass.hidden)}` : '';
  }

  #showTip(side, index) {
    const {tip, element} = this.#parts;
    const word = index >= 0 ? this.#words[side].node(index) : undefined;
    const text = word && this.#shown?.steps ? this.#wordText(side, index) : '';
    tip.hidden = text === '';
    if (text === '') return;
    setText(tip, text);
    const around = element.getBoundingClientRect();
    const box = word.getClientRects()[0] ?? word.getBoundingClientRect();
    const half = tip.offsetWidth / 2 + 8;
    const middle = box.left + box.width / 2 - around.left;
    tip.style.left = `${Math.max(half, Math.min(middle, around.width - half))}px`;
    tip.style.top = `${box.top - around.top}px`;
  }
}
