// The warm time of a query: the median of 21 further readings, in batches of readings directly after one another. `skim
// read` measures it likewise (src/cli/read_timing.cpp); docs/performance.md defines the times.

// A batch that another program disturbs does not change the median of three.
export const kTimingRounds = 3;
const kReadings = 7;              // per batch
const kMaxMicroseconds = 20000;   // per batch
const kOverheadBytes = 2000;      // of the other fields of a request

// The number of readings to time: fewer of a slow or long query. 0 if a batch of two exceeds the server's limits.
export function countReadings(query, microseconds, limits) {
  const bytes = new TextEncoder().encode(JSON.stringify(query)).length;
  const perReading = query.question ? 2 : 1;
  return Math.max(0, Math.min(
      kReadings,
      Math.max(1, Math.ceil(kMaxMicroseconds / Math.max(microseconds, 1))),
      Math.floor((limits.batch - 1) / perReading),
      Math.floor((limits.body_bytes - kOverheadBytes) / bytes) - 1));
}

// The texts of a batch that times a query: once to warm up, then `count` times. The server caches the encoded question;
// another one in between invalidates the cache.
export function timingQueries({text, question, choices}, count) {
  const query = {text, question, choices};   // JSON omits what is undefined.
  const other = {text: '.', question: question === '?' ? '!' : '?', choices};
  return [query, ...Array.from({length: count}, () => question === undefined ? [query] : [other, query]).flat()];
}

// The times of the timed readings of such a batch.
export function warmTimes(answers, hasQuestion) {
  const timed = answers.slice(1).filter((_, i) => !hasQuestion || i % 2 === 1);
  return timed.map(({microseconds}) => microseconds);
}
