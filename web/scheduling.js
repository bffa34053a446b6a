// Scheduling of requests: serialization, debouncing, retries.

// Runs an async task for the latest argument, one run at a time. Arguments that arrive during a run replace each other;
// the last one runs next. The task receives a function that tells whether a newer argument is waiting.
export function latestOnly(task) {
  let running = false;
  let pending = null;
  async function run() {
    running = true;
    try {
      while (pending) {
        const [argument] = pending;
        pending = null;
        await task(argument, () => pending !== null);
      }
    } finally {
      running = false;
    }
  }
  return (argument) => {
    pending = [argument];
    return running ? Promise.resolve() : run();
  };
}

// Calls an action once no further call has arrived for this time. `cancel` drops a pending call.
export function debounce(milliseconds, action) {
  let timer = 0;
  const call = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Seconds to wait before retry number `attempt` (from 1): the server's Retry-After, or exponential backoff.
export function retryDelay(attempt, retryAfter) {
  if (retryAfter > 0) return Math.min(retryAfter, 30);
  return Math.min(2 ** (attempt - 1), 16);
}
