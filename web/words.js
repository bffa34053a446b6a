// A text as words that can be pointed at and walked through. Words keep their nodes while the dial moves and while text
// is typed before or behind them, so nothing flickers and neither focus nor selection is lost.

// With more words than this, fading them in and out would keep the browser from following the dial.
const kMostFading = 3000;

// How many entries two lists share at their beginning, and behind that at their end.
export function sharedEnds(before, after) {
  const most = Math.min(before.length, after.length);
  let front = 0;
  while (front < most && before[front] === after[front]) ++front;
  let back = 0;
  while (back < most - front && before[before.length - 1 - back] === after[after.length - 1 - back]) ++back;
  return {front, back};
}

// Pieces of a text: each word with what stands before it; and what follows the last.
export function piecesOf(text, extents) {
  let at = 0;
  const pieces = extents.map(([begin, end]) => {
    const piece = {gap: text.slice(at, begin), word: text.slice(begin, end)};
    at = end;
    return piece;
  });
  return {pieces, rest: text.slice(at)};
}

// The words [first, last) that an extent covers, if only in part.
export function coveredBy([begin, end], extents) {
  const covers = (extent) => extent[0] < end && extent[1] > begin;
  const first = extents.findIndex(covers);
  if (first < 0) return [0, 0];
  let last = first + 1;
  while (last < extents.length && covers(extents[last])) ++last;
  return [first, last];
}

function nodesFor(piece) {
  const word = document.createElement('span');
  word.className = 'word';
  word.tabIndex = -1;
  word.textContent = piece.word;
  return {gap: document.createTextNode(piece.gap), word};
}

export class Words {
  #element;
  #onPoint;
  #keys = [];
  #nodes = [];
  #looks = [];
  #rest = document.createTextNode('');
  #current = 0;  // the word that Tab leads to
  #answer = [0, 0];
  #covers = [];  // what holds the gaps of the answer

  // `onPoint(index, how)` is told which word is looked at, by 'pointer' or by 'focus', and -1 when none is any more.
  constructor(element, onPoint) {
    this.#element = element;
    this.#onPoint = onPoint;
    element.replaceChildren(this.#rest);
    element.addEventListener('keydown', (event) => this.#onKey(event));
    element.addEventListener('focusin', ({target}) => this.#onFocus(target));
    element.addEventListener('focusout', () => onPoint(-1, 'focus'));
    element.addEventListener('pointerover', ({target}) => onPoint(target.index ?? -1, 'pointer'));
    element.addEventListener('pointerleave', () => onPoint(-1, 'pointer'));
  }

  node(index) {
    return this.#nodes[index]?.word;
  }

  setText(text, extents) {
    this.setAnswer(0, 0);
    const {pieces, rest} = piecesOf(text, extents);
    const keys = pieces.map((piece) => `${piece.gap}\0${piece.word}`);
    const {front, back} = sharedEnds(this.#keys, keys);
    this.#replace(front, back, pieces.slice(front, pieces.length - back).map(nodesFor));
    this.#keys = keys;
    if (this.#rest.data !== rest) this.#rest.data = rest;
    this.#nodes.forEach(({word}, index) => { word.index = index; });
    this.#element.classList.toggle('fading', pieces.length <= kMostFading);
    this.#setCurrent(this.#current);
  }

  // Keeps so many words at the front and at the back, and puts the fresh ones between.
  #replace(front, back, fresh) {
    const behind = this.#nodes.length - back;
    const place = document.createDocumentFragment();
    fresh.forEach(({gap, word}) => place.append(gap, word));
    this.#element.insertBefore(place, this.#nodes[behind]?.gap ?? this.#rest);
    this.#nodes.slice(front, behind).forEach(({gap, word}) => { gap.remove(); word.remove(); });
    this.#nodes = [...this.#nodes.slice(0, front), ...fresh, ...this.#nodes.slice(behind)];
    this.#looks = [...this.#looks.slice(0, front), ...fresh.map(() => ''), ...this.#looks.slice(behind)];
  }

  // One of 'read', 'between' and 'skimmed' a word; only what changed is touched.
  setLooks(looks) {
    looks.forEach((look, index) => {
      if (this.#looks[index] === look) return;
      const {word} = this.#nodes[index];
      word.className = `word ${look}`;
      if (look === 'read') word.setAttribute('role', 'mark');
      else word.removeAttribute('role');
      this.#looks[index] = look;
    });
  }

  // Sets words [first, last) off as the answer, with the gaps between them.
  setAnswer(first, last) {
    const [before, behind] = this.#answer;
    if (first === before && last === behind) return;
    this.#nodes.slice(before, behind).forEach(({word}) => delete word.dataset.answer);
    this.#covers.forEach((cover) => cover.replaceWith(...cover.childNodes));
    this.#answer = [first, last];
    const words = this.#nodes.slice(first, last);
    words.forEach(({word}) => { word.dataset.answer = 'within'; });
    if (words.length > 0) {
      words[0].word.dataset.answer = words.length === 1 ? 'all' : 'first';
      if (words.length > 1) words[words.length - 1].word.dataset.answer = 'last';
    }
    this.#covers = words.slice(1).map(({gap}) => {
      const cover = document.createElement('span');
      cover.dataset.answer = 'within';
      gap.replaceWith(cover);
      cover.append(gap);
      return cover;
    });
  }

  // Points at the word that is also pointed at elsewhere; -1 at none.
  setTwin(index) {
    this.#element.querySelector('.twin')?.classList.remove('twin');
    this.node(index)?.classList.add('twin');
  }

  #setCurrent(index) {
    const before = this.node(this.#current);
    if (before) before.tabIndex = -1;
    this.#current = Math.max(0, Math.min(index, this.#nodes.length - 1));
    const now = this.node(this.#current);
    if (now) now.tabIndex = 0;
  }

  #nextRead(step) {
    for (let i = this.#current + step; i >= 0 && i < this.#looks.length; i += step) {
      if (this.#looks[i] === 'read') return i;
    }
    return this.#current;
  }

  #targetOf(key) {
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
    if (event.key === 'Escape') this.#onPoint(-1, 'focus');
    if (event.altKey || event.ctrlKey || event.metaKey || this.#nodes.length === 0) return;
    const target = this.#targetOf(event.key);
    if (target === null) return;
    event.preventDefault();
    this.#setCurrent(target);
    this.node(this.#current).focus();
  }

  #onFocus(word) {
    if (word.index === undefined) return;
    this.#setCurrent(word.index);
    this.#onPoint(word.index, 'focus');
  }
}
