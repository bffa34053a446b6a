// Loads readings from the server into the panes: one request at a time, and none for outdated queries.
import * as api from './api.js';
import {debounce, latestOnly, median} from './scheduling.js';

const kTimingRounds = 5;
const kMaxTimingMs = 800;     // for all timing requests together
const kTimingDelayMs = 350;   // without a change, before the timing requests start

function isEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

export class ReadingLoader {
  #panes;
  #minWidth = 0;
  #shown = [];   // {reading, query} per pane
  #readLater;
  #timeLater;

  // Calls `onShown()` when all requested readings are on the page, and `onError(error)` with an ApiError, or with null
  // after a success.
  constructor(panes, onShown, onError) {
    this.#panes = panes;
    this.#timeLater = debounce(kTimingDelayMs, (queries) => this.#time(queries));
    this.#readLater = latestOnly(async (queries, superseded) => {
      try {
        await this.#readAll(queries, superseded);
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        if (!superseded()) onError(error);
        return;
      }
      onError(null);
      if (superseded()) return;
      onShown();
      this.#timeLater(queries);
    });
  }

  // The readings on the page, one per pane.
  get shown() {
    return this.#shown;
  }

  // Takes one query per pane. `minWidth` is the smallest number of units that their model updates.
  load(queries, minWidth) {
    this.#timeLater.cancel();
    this.#minWidth = minWidth;
    this.#readLater(queries);
  }

  cancelTiming() {
    this.#timeLater.cancel();
  }

  async #readAll(queries, superseded) {
    for (const [i, query] of queries.entries()) {
      if (i > 0 && superseded()) return;
      if (isEqual(this.#shown[i]?.query, query)) continue;
      const pane = this.#panes[i];
      // The words are requested once per text; every reading includes the steps.
      const reading = await api.read({...query, words: !pane.hasWords(query), passes: true});
      pane.show(reading, query, this.#minWidth);
      this.#shown[i] = {reading, query};
    }
  }

  // Shows the median of several timings, interleaved with timings of the dense reader (threshold 0).
  async #time(queries) {
    const isCurrent = () => queries.every((query, i) => isEqual(this.#shown[i]?.query, query));
    const {budget, ...denseQuery} = {...queries[0], threshold: 0};
    const times = [denseQuery, ...queries].map(() => []);
    const start = performance.now();
    try {
      for (let round = 0; round < kTimingRounds && isCurrent() && performance.now() - start < kMaxTimingMs; ++round) {
        for (const [i, query] of [denseQuery, ...queries].entries()) {
          times[i].push((await api.read({...query, words: false, passes: false})).microseconds);
        }
      }
    } catch {
      return;  // The readings are on the page; the next reading reports a server error.
    }
    const [denseTime, ...skimTimes] = times.map(median);
    if (isCurrent()) skimTimes.forEach((time, i) => this.#panes[i].showTimes(time, denseTime));
  }
}
