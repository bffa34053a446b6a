// Brings readings to the panes: one request at a time, none for what has changed again meanwhile.
import {latestOnly, median, whenSettled} from './pace.js';
import * as server from './server.js';

const kRounds = 5;         // of timings once nothing changes any more
const kMostTiming = 800;   // milliseconds they may take together
const kRest = 350;         // milliseconds without a change before they begin

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

export class Asking {
  #panes;
  #least = 0;
  #shown = [];   // {reading, query} of each pane
  #readLater;
  #timeLater;

  // `onShown()` is told when all that was asked for is on the page, `onFault(fault)` what went wrong; null: nothing.
  constructor(panes, onShown, onFault) {
    this.#panes = panes;
    this.#timeLater = whenSettled(kRest, (queries) => this.#time(queries));
    this.#readLater = latestOnly(async (queries, overtaken) => {
      try {
        await this.#readAll(queries, overtaken);
      } catch (fault) {
        if (!(fault instanceof server.ServerFault)) throw fault;
        if (!overtaken()) onFault(fault);
        return;
      }
      onFault(null);
      if (overtaken()) return;
      onShown();
      this.#timeLater(queries);
    });
  }

  // What is shown by now in the panes from the first on.
  get shown() {
    return this.#shown;
  }

  // One query a pane; `least` is the fewest units that their model updates.
  ask(queries, least) {
    this.#timeLater.cancel();
    this.#least = least;
    this.#readLater(queries);
  }

  pause() {
    this.#timeLater.cancel();
  }

  async #readAll(queries, overtaken) {
    for (const [i, query] of queries.entries()) {
      if (i > 0 && overtaken()) return;
      if (same(this.#shown[i]?.query, query)) continue;
      const pane = this.#panes[i];
      // Words come with the first reading of a text and then stay; how they were read always comes.
      const reading = await server.read({...query, words: !pane.knows(query), passes: true});
      pane.show(reading, query, this.#least);
      this.#shown[i] = {reading, query};
    }
  }

  // Times vary, so the median of a few counts, taken in turn with those of reading every word.
  async #time(queries) {
    const current = () => queries.every((query, i) => same(this.#shown[i]?.query, query));
    const {budget, ...plainly} = {...queries[0], threshold: 0};
    const times = [plainly, ...queries].map(() => []);
    const begin = performance.now();
    try {
      for (let round = 0; round < kRounds && current() && performance.now() - begin < kMostTiming; ++round) {
        for (const [i, query] of [plainly, ...queries].entries()) {
          times[i].push((await server.read({...query, words: false, passes: false})).microseconds);
        }
      }
    } catch {
      return;  // The readings are there; if the server is gone, the next one says so.
    }
    const [plain, ...skimming] = times.map(median);
    if (current()) skimming.forEach((time, i) => this.#panes[i].showTimes(time, plain));
  }
}
