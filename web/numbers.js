// Number formats, and the scale of the dial.

export function formatPercent(fraction) {
  return `${(100 * fraction).toFixed(1)}\u202f%`;
}

export function formatFactor(factor) {
  const decimals = factor < 1 ? 2 : factor < 10 ? 1 : 0;
  return `${factor.toFixed(decimals)}\u00d7`;
}

export function formatTime(microseconds) {
  if (microseconds >= 1e5) return `${(microseconds / 1e3).toFixed(0)}\u202fms`;
  if (microseconds >= 1e4) return `${(microseconds / 1e3).toFixed(1)}\u202fms`;
  return `${microseconds.toFixed(microseconds < 10 ? 1 : 0)}\u202f\u00b5s`;
}

// The speed relative to the dense reader; empty if a time is unknown.
export function formatSpeedup(microseconds, denseMicroseconds) {
  if (!(denseMicroseconds > 0) || !(microseconds > 0)) return '';
  const factor = denseMicroseconds / microseconds;
  return factor >= 1 ? `${formatFactor(factor)} as fast as dense` : `dense is ${formatFactor(1 / factor)} as fast`;
}

// Two significant digits of the distance to 0 or 1, at most four decimals: 0.50, 0.017, 0.9983.
export function formatFraction(value) {
  const distance = Math.min(value, 1 - value);
  const decimals = distance > 0 ? Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(distance)))) : 2;
  return value.toFixed(decimals);
}

// Most values of p_read are close to 0 or 1, so the 100 steps of the slider are uniform in log-odds, over this range
// around 0.5; its ends are 0 and 1.
const kLogOddsRange = 14;

export function positionToThreshold(position) {
  if (position <= 0) return 0;
  if (position >= 100) return 1;
  return Number(formatFraction(1 / (1 + Math.exp(-kLogOddsRange * (position / 100 - 0.5)))));
}

export function thresholdToPosition(threshold) {
  if (threshold <= 0) return 0;
  if (threshold >= 1) return 100;
  const position = 50 + (100 / kLogOddsRange) * Math.log(threshold / (1 - threshold));
  return Math.min(99, Math.max(1, Math.round(position)));
}

// Budgets are linear over the range of the model, rounded to hundredths.
export function positionToBudget(position, {min, max}) {
  return Math.round(100 * min + position * (max - min)) / 100;
}

export function budgetToPosition(budget, {min, max}) {
  return max > min ? Math.round((100 * (budget - min)) / (max - min)) : 0;
}
