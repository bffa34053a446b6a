// When to ask: not too often, never for what nobody waits for any more.

// Runs a task for the latest argument, one at a time. What comes in meanwhile waits; of several, the last.
export function latestOnly(task) {
  let running = false;
  let waiting = null;
  async function run() {
    running = true;
    try {
      while (waiting) {
        const [argument] = waiting;
        waiting = null;
        await task(argument, () => waiting !== null);
      }
    } finally {
      running = false;
    }
  }
  return (argument) => {
    waiting = [argument];
    return running ? Promise.resolve() : run();
  };
}

// Runs an action once calls have stopped coming for so many milliseconds.
export function whenSettled(milliseconds, action) {
  let timer = 0;
  const call = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Seconds to wait before try number `count` (from 1) when the server is busy; it may have said how long.
export function patience(count, asked) {
  if (asked > 0) return Math.min(asked, 30);
  return Math.min(2 ** (count - 1), 16);
}
