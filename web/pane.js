// Shows one reading: answer, scores, statistics, text and bar chart. Updates all elements in place.
import {BarChart} from './bar_chart.js';
import {element, setText} from './dom.js';
import {formatFactor, formatFraction, formatPercent, formatSpeedup, formatTime} from './numbers.js';
import {answerText, countRead, describeStep, hasScore, isAnswer, splitSteps, stepDecision} from './reading.js';
import {toSpans} from './utf8.js';
import {Words, wordsInSpan} from './words.js';

const kMaxScores = 8;
const kMaxListedWords = 300;

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

// Few labels keep their order, so that bars do not move; of many labels, the best are shown.
export function selectScores(scores) {
  if (scores.length <= kMaxScores) return scores;
  return [...scores].sort((a, b) => b.score - a.score).slice(0, kMaxScores);
}

export class Pane {
  #parts;
  #words;
  #chart;
  #shown = null;       // {reading, query, text, question, pass, steps}
  #pass = 0;
  #hovered = -1;

  // Calls `onHover(index)` with the hovered word of the text; -1: none.
  constructor(element, onHover) {
    const parts = [...element.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]);
    this.#parts = {element, ...Object.fromEntries(parts)};
    const {text, question, chart, list} = this.#parts;
    this.#words = {
      text: new Words(text, (index, source) => this.#onHover('text', index, source, onHover)),
      question: new Words(question, (index, source) => this.#onHover('question', index, source, () => {})),
    };
    this.#chart = new BarChart(chart);
    list.addEventListener('toggle', () => this.#showList());
    text.addEventListener('scroll', () => this.#showTip('text', -1));
  }

  get passes() {
    return this.#shown?.reading.passes ?? [];
  }
  get element() {
    return this.#parts.element;
  }
  // The announcement for screen readers.
  get summary() {
    if (this.#shown === null) return '';
    const {reading} = this.#shown;
    const score = hasScore(reading) ? `, ${formatPercent(reading.answer.score)}` : '';
    return `${answerText(reading)}${score}. ` +
        `${this.#parts['read-words'].textContent} words read, ${formatPercent(reading.skim_rate)} skimmed, ` +
        `${formatFactor(reading.flop_reduction.counted)} less work.`;
  }

  // Whether the words of this query are on the page: they do not depend on the threshold.
  hasWords({model, text, question}) {
    const query = this.#shown?.query;
    return query !== undefined && query.model === model && query.text === text && query.question === question;
  }

  show(reading, query, minWidth) {
    const known = reading.words === undefined ? this.#shown : null;
    const side = (source, words) => ({source, spans: toSpans(source, words ?? [])});
    this.#shown = {
      reading, query, minWidth,
      text: known?.text ?? side(query.text, reading.words),
      question: known?.question ?? side(query.question ?? '', reading.question_words),
    };
    if (!known) this.#setTexts();
    this.showPass(this.#pass);
    this.#showAnswer();
    this.#showScores();
    this.#showStatistics();
  }

  #setTexts() {
    const {text, question} = this.#shown;
    this.#words.text.setText(text.source, text.spans);
    this.#words.question.setText(question.source, question.spans);
  }

  showPass(index) {
    this.#pass = index;
    if (this.#shown === null) return;
    const {reading, text, question, minWidth} = this.#shown;
    const pass = reading.passes[index] ?? reading.passes[0];
    if (pass === undefined) return;
    const steps = splitSteps(pass, text.spans.length, question.spans.length);
    const decisions = (list) => list.map((step) => stepDecision(step, pass.hidden_size, minWidth));
    Object.assign(this.#shown, {pass, steps});
    this.#showReadCount();
    this.#words.text.setDecisions(decisions(steps.text));
    this.#words.question.setDecisions(decisions(steps.question));
    this.#parts.text.hidden = pass.over === 'question';
    this.#parts.question.hidden = steps.question.length === 0;
    this.#chart.show(pass.steps, pass.hidden_size, reading.threshold ?? null);
    this.#showList();
    this.#showTip('text', this.#hovered);
  }

  // The number of words that this pass read.
  #showReadCount() {
    const {reading, pass, steps} = this.#shown;
    const covered = pass.over === 'question' ? steps.question : steps.text;
    const hasManyPasses = reading.passes.length > 1;
    setText(this.#parts['read-words'], `${countRead(covered, pass.hidden_size)} of ${covered.length}`);
    setText(this.#parts['read-label'], hasManyPasses ? 'words read in this pass' : 'words read in full');
  }

  #showAnswer() {
    const {reading, text} = this.#shown;
    const {answer} = reading;
    setText(this.#parts.answer, answerText(reading));
    setText(this.#parts.score, hasScore(reading) ? formatPercent(answer.score) : '');
    const isSpan = answer.begin < answer.end;
    const span = isSpan ? toSpans(text.source, [answer])[0] : null;
    this.#words.text.setAnswer(...(isSpan ? wordsInSpan(span, text.spans) : [0, 0]));
  }

  #showScores() {
    const {reading} = this.#shown;
    const all = reading.scores ?? [];
    const scores = selectScores(all);
    const list = this.#parts.scores;
    list.hidden = scores.length === 0;
    while (list.children.length < scores.length) list.append(scoreRow());
    while (list.children.length > scores.length) list.lastChild.remove();
    scores.forEach((entry, i) => {
      const row = list.children[i];
      const name = entry.label ?? entry.choice;
      row.classList.toggle('best', isAnswer(reading, name));
      setText(row.querySelector('.name'), name);
      setText(row.querySelector('.value'), formatPercent(entry.score));
      row.querySelector('.fill').style.width = `${100 * entry.score}%`;
    });
    const more = all.length - scores.length;
    this.#parts.more.hidden = more === 0;
    setText(this.#parts.more, more > 0 ? `and ${more} labels with lower scores` : '');
  }

  #showStatistics() {
    const {reading} = this.#shown;
    const hasManyPasses = reading.passes.length > 1;
    setText(this.#parts['skim-rate'], formatPercent(reading.skim_rate));
    setText(this.#parts['skim-label'], hasManyPasses ? 'skimmed, all passes' : 'skimmed');
    setText(this.#parts.counted, formatFactor(reading.flop_reduction.counted));
    setText(this.#parts.executed, `${formatFactor(reading.flop_reduction.executed)} in this engine`);
    // `skim read` has measured the warm time; the server measures it on request.
    if (reading.warm_microseconds !== undefined) this.showWarmTime(reading.warm_microseconds, 0);
    else this.#showTimes(reading.microseconds, ['first reading', '', '']);
  }

  // Microseconds of the warm reading and of the warm dense reader; 0: unknown.
  showWarmTime(warm, dense) {
    const first = `first reading: ${formatTime(this.#shown.reading.microseconds)}`;
    const comparison = dense > 0 ? [formatSpeedup(warm, dense), `both warm; dense: ${formatTime(dense)}`] : ['warm', ''];
    this.#showTimes(warm, [...comparison, first]);
  }

  // The empty lines keep their height, so that the page does not move.
  #showTimes(microseconds, lines) {
    setText(this.#parts.time, formatTime(microseconds));
    ['speed', 'dense', 'first'].forEach((part, i) => setText(this.#parts[part], lines[i] || '\u00a0'));
  }

  #showList() {
    if (!this.#parts.list.open || !this.#shown?.steps) return;
    const {pass, steps, text} = this.#shown;
    const read = text.spans.filter((_, i) => steps.text[i]?.width >= pass.hidden_size);
    const shown = read.slice(0, kMaxListedWords).map(([begin, end]) => text.source.slice(begin, end));
    const more = read.length > kMaxListedWords ? ` … and ${read.length - kMaxListedWords} more` : '';
    setText(this.#parts['list-words'], shown.length > 0 ? shown.join(' · ') + more : 'none');
  }

  #onHover(side, index, source, notify) {
    this.#hovered = side === 'text' ? index : -1;
    this.#showTip(side, index);
    notify(index);
    if (source === 'focus' && index >= 0) setText(this.#parts.announcement, this.#wordText(side, index));
  }

  setLinkedWord(index) {
    this.#words.text.setLinkedWord(index);
  }

  #wordText(side, index) {
    const {steps, pass} = this.#shown;
    const step = steps[side][index];
    return step ? `p_read ${formatFraction(step.p_read)}, ${describeStep(step, pass.hidden_size)}` : '';
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

// Appends pane `number` to the page; it is hidden until it has something to show.
export function createPane(number, onHover) {
  const part = element('pane').content.firstElementChild.cloneNode(true);
  const title = part.querySelector('h3');
  title.id = `pane-${number}-title`;
  part.setAttribute('aria-labelledby', title.id);
  part.hidden = true;
  element('panes').append(part);
  return new Pane(part, onHover);
}
