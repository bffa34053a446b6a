// Loads readings from the server into the panes: one request at a time, and none for outdated queries.
import * as api from './api.js';
import {debounce, latestOnly, median} from './scheduling.js';
import {countReadings, kTimingRounds, timingQueries, warmTimes} from './timing.js';

const kTimingDelayMs = 350;   // without a change, before the timing requests start

function isEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

export class ReadingLoader {
  #panes;
  #minWidth = 0;
  #limits;
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

  // Takes one query per pane. `minWidth` is the smallest number of units that their model updates, `limits` are those of
  // the server.
  load(queries, minWidth, limits) {
    this.#timeLater.cancel();
    this.#minWidth = minWidth;
    this.#limits = limits;
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

  // Shows the warm times of the queries and of the dense reader (threshold 0), whose batches take turns.
  async #time(queries) {
    const isCurrent = () => queries.every((query, i) => isEqual(this.#shown[i]?.query, query));
    const {budget, ...denseQuery} = {...queries[0], threshold: 0};
    const timed = [denseQuery, ...queries].map((query) => ({query, times: []}));
    try {
      for (let round = 0; round < kTimingRounds; ++round) {
        for (const {query, times} of timed) {
          if (!isCurrent()) return;
          times.push(...await this.#warmTimes(query));
        }
      }
    } catch {
      return;  // The readings are on the page; the next reading reports a server error.
    }
    const [dense, ...warm] = timed.map(({times}) => median(times));
    if (isCurrent()) warm.forEach((time, i) => this.#panes[i].showWarmTime(time, dense));
  }

  // One batch, so that nothing comes between its readings. A text too long for that is read once more.
  async #warmTimes({model, threshold, budget, ...query}) {
    const policy = budget === undefined ? {threshold} : {budget};
    const fields = {model, ...policy, words: false, passes: false};
    const count = countReadings(query, this.#shown[0].reading.microseconds, this.#limits);
    if (count === 0) return [(await api.read({...query, ...fields})).microseconds];
    const {answers} = await api.readBatch({queries: timingQueries(query, count), together: false, ...fields});
    return warmTimes(answers, query.question !== undefined);
  }
}
