// A text as a list of words with pointer and keyboard navigation. Words keep their DOM nodes while the dial moves and
// while other parts of the text are edited, which avoids flicker and preserves focus and selection.

// With more words, CSS transitions would be too slow to follow the dial.
const kMaxAnimatedWords = 3000;

// The lengths of the common prefix and of the common suffix of two lists, without overlap.
export function commonEnds(before, after) {
  const max = Math.min(before.length, after.length);
  let front = 0;
  while (front < max && before[front] === after[front]) ++front;
  let back = 0;
  while (back < max - front && before[before.length - 1 - back] === after[after.length - 1 - back]) ++back;
  return {front, back};
}

// Splits a text into words, each with the gap before it, and the rest after the last word.
export function splitText(text, spans) {
  let at = 0;
  const tokens = spans.map(([begin, end]) => {
    const token = {gap: text.slice(at, begin), word: text.slice(begin, end)};
    at = end;
    return token;
  });
  return {tokens, rest: text.slice(at)};
}

// The words [first, last) that overlap a span.
export function wordsInSpan([begin, end], spans) {
  const overlaps = (span) => span[0] < end && span[1] > begin;
  const first = spans.findIndex(overlaps);
  if (first < 0) return [0, 0];
  let last = first + 1;
  while (last < spans.length && overlaps(spans[last])) ++last;
  return [first, last];
}

function createNodes(token) {
  const word = document.createElement('span');
  word.className = 'word';
  word.tabIndex = -1;
  word.textContent = token.word;
  return {gap: document.createTextNode(token.gap), word};
}

export class Words {
  #element;
  #onHover;
  #keys = [];
  #nodes = [];
  #decisions = [];
  #rest = document.createTextNode('');
  #current = 0;  // the word in the tab order
  #answer = [0, 0];
  #gapElements = [];  // wrap the gaps inside the answer

  // Calls `onHover(index, source)` when a word is hovered ('pointer') or focused ('focus'), with -1 when it no longer is.
  constructor(element, onHover) {
    this.#element = element;
    this.#onHover = onHover;
    element.replaceChildren(this.#rest);
    element.addEventListener('keydown', (event) => this.#onKey(event));
    element.addEventListener('focusin', ({target}) => this.#onFocus(target));
    element.addEventListener('focusout', () => onHover(-1, 'focus'));
    element.addEventListener('pointerover', ({target}) => onHover(target.index ?? -1, 'pointer'));
    element.addEventListener('pointerleave', () => onHover(-1, 'pointer'));
  }

  node(index) {
    return this.#nodes[index]?.word;
  }

  setText(text, spans) {
    this.setAnswer(0, 0);
    const {tokens, rest} = splitText(text, spans);
    const keys = tokens.map((token) => `${token.gap}\0${token.word}`);
    const {front, back} = commonEnds(this.#keys, keys);
    this.#replace(front, back, tokens.slice(front, tokens.length - back).map(createNodes));
    this.#keys = keys;
    if (this.#rest.data !== rest) this.#rest.data = rest;
    this.#nodes.forEach(({word}, index) => { word.index = index; });
    this.#element.classList.toggle('animated', tokens.length <= kMaxAnimatedWords);
    this.#setCurrent(this.#current);
  }

  // Keeps `front` words at the start and `back` words at the end, and replaces the words between.
  #replace(front, back, fresh) {
    const keptFrom = this.#nodes.length - back;
    const fragment = document.createDocumentFragment();
    fresh.forEach(({gap, word}) => fragment.append(gap, word));
    this.#element.insertBefore(fragment, this.#nodes[keptFrom]?.gap ?? this.#rest);
    this.#nodes.slice(front, keptFrom).forEach(({gap, word}) => { gap.remove(); word.remove(); });
    this.#nodes = [...this.#nodes.slice(0, front), ...fresh, ...this.#nodes.slice(keptFrom)];
    this.#decisions = [...this.#decisions.slice(0, front), ...fresh.map(() => ''), ...this.#decisions.slice(keptFrom)];
  }

  // Sets 'read', 'between' or 'skimmed' per word; updates only the words that changed.
  setDecisions(decisions) {
    decisions.forEach((decision, index) => {
      if (this.#decisions[index] === decision) return;
      const {word} = this.#nodes[index];
      word.className = `word ${decision}`;
      if (decision === 'read') word.setAttribute('role', 'mark');
      else word.removeAttribute('role');
      this.#decisions[index] = decision;
    });
  }

  // Marks words [first, last) and the gaps between them as the answer.
  setAnswer(first, last) {
    const [oldFirst, oldLast] = this.#answer;
    if (first === oldFirst && last === oldLast) return;
    this.#nodes.slice(oldFirst, oldLast).forEach(({word}) => delete word.dataset.answer);
    this.#gapElements.forEach((element) => element.replaceWith(...element.childNodes));
    this.#answer = [first, last];
    const words = this.#nodes.slice(first, last);
    words.forEach(({word}) => { word.dataset.answer = 'within'; });
    if (words.length > 0) {
      words[0].word.dataset.answer = words.length === 1 ? 'all' : 'first';
      if (words.length > 1) words[words.length - 1].word.dataset.answer = 'last';
    }
    this.#gapElements = words.slice(1).map(({gap}) => {
      const element = document.createElement('span');
      element.dataset.answer = 'within';
      gap.replaceWith(element);
      element.append(gap);
      return element;
    });
  }

  // Outlines the word that is hovered in the other pane; -1: none.
  setLinkedWord(index) {
    this.#element.querySelector('.linked')?.classList.remove('linked');
    this.node(index)?.classList.add('linked');
  }

  #setCurrent(index) {
    const before = this.node(this.#current);
    if (before) before.tabIndex = -1;
    this.#current = Math.max(0, Math.min(index, this.#nodes.length - 1));
    const now = this.node(this.#current);
    if (now) now.tabIndex = 0;
  }

  #nextRead(step) {
    for (let i = this.#current + step; i >= 0 && i < this.#decisions.length; i += step) {
      if (this.#decisions[i] === 'read') return i;
    }
    return this.#current;
  }

  #targetIndex(key) {
    switch (key) {
      case 'ArrowRight': return this.#current + 1;
      case 'ArrowLeft': return this.#current - 1;
      case 'ArrowDown': return this.#nextRead(1);
      case 'ArrowUp': return this.#nextRead(-1);
      case 'Home': return 0;
      case 'End': return this.#nodes.length - 1;
      default: return null;
    }
  }

  #onKey(event) {
    if (event.key === 'Escape') this.#onHover(-1, 'focus');
    if (event.altKey || event.ctrlKey || event.metaKey || this.#nodes.length === 0) return;
    const target = this.#targetIndex(event.key);
    if (target === null) return;
    event.preventDefault();
    this.#setCurrent(target);
    this.node(this.#current).focus();
  }

  #onFocus(word) {
    if (word.index === undefined) return;
    this.#setCurrent(word.index);
    this.#onHover(word.index, 'focus');
  }
}
