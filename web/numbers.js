// Figures as people read them, and the scale of the dial.

export function percentText(share) {
  return `${(100 * share).toFixed(1)}\u202f%`;
}

export function timesText(factor) {
  const decimals = factor < 1 ? 2 : factor < 10 ? 1 : 0;
  return `${factor.toFixed(decimals)}\u00d7`;
}

export function timeText(microseconds) {
  if (microseconds >= 1e5) return `${(microseconds / 1e3).toFixed(0)}\u202fms`;
  if (microseconds >= 1e4) return `${(microseconds / 1e3).toFixed(1)}\u202fms`;
  return `${microseconds.toFixed(microseconds < 10 ? 1 : 0)}\u202f\u00b5s`;
}

// How the time of one compares with that of the plain reader; empty where that is not known.
export function speedText(microseconds, plain) {
  if (!(plain > 0) || !(microseconds > 0)) return '';
  const factor = plain / microseconds;
  return factor >= 1 ? `${timesText(factor)} as fast as plain` : `plain is ${timesText(1 / factor)} as fast`;
}

// Two digits that count, also close to 0 and to 1: 0.50, 0.017, 0.9983; never more than four decimals.
export function shareText(value) {
  const distance = Math.min(value, 1 - value);
  const decimals = distance > 0 ? Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(distance)))) : 2;
  return value.toFixed(decimals);
}

// Most words are very likely to be read or very unlikely, so the 100 steps of the slider are even in log-odds, over
// this range around 0.5; its ends are 0 and 1.
const kOddsRange = 14;

export function thresholdAt(position) {
  if (position <= 0) return 0;
  if (position >= 100) return 1;
  return Number(shareText(1 / (1 + Math.exp(-kOddsRange * (position / 100 - 0.5)))));
}

export function positionOf(threshold) {
  if (threshold <= 0) return 0;
  if (threshold >= 1) return 100;
  const position = 50 + (100 / kOddsRange) * Math.log(threshold / (1 - threshold));
  return Math.min(99, Math.max(1, Math.round(position)));
}

// A budget in hundredths, evenly over what the model can keep to.
export function budgetAt(position, {least, most}) {
  return Math.round(100 * least + position * (most - least)) / 100;
}

export function budgetPosition(budget, {least, most}) {
  return most > least ? Math.round((100 * (budget - least)) / (most - least)) : 0;
}
