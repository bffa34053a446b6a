// Unit tests of the page's modules without a browser. SKIM_WEB is a copy of web/ (run_tests.py).
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

const load = (name) => import(new URL(name, pathToFileURL(`${process.env.SKIM_WEB}/`)));
const {makeApiError} = await load('api.js');
const {binColumns} = await load('bar_chart.js');
const {budgetToPosition, formatFraction, formatSpeedup, positionToBudget, positionToThreshold,
       thresholdToPosition} = await load('numbers.js');
const {compressText, decodeLink, encodeLink, kMaxLinkLength} = await load('permalink.js');
const {answerText, budgetRange, groupByLayer, hasScore, isAnswer, splitSteps, stepDecision, toModel} =
    await load('reading.js');
const {debounce, latestOnly, median, retryDelay} = await load('scheduling.js');
const {countReadings, timingQueries, warmTimes} = await load('timing.js');
const {stateFromLink, toLinkFields} = await load('url_state.js');
const {toSpans, toStringIndices, toWellFormed} = await load('utf8.js');
const {commonEnds, splitText, wordsInSpan} = await load('words.js');

const utf8 = new TextEncoder();
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

test('byte offsets map to string indices', () => {
  const text = 'Grünau – a 🍿 for 日本語.';
  for (let index = 0; index <= text.length; ++index) {
    if (/^[\udc00-\udfff]/.test(text.slice(index))) continue;
    const offset = utf8.encode(text.slice(0, index)).length;
    assert.deepEqual(toStringIndices(text, [offset]), [index]);
  }
});

test('offsets inside a character or beyond the text are clamped', () => {
  assert.deepEqual(toStringIndices('a🍿b', [2, 3, 5, 6, 99]), [1, 1, 3, 4, 4]);
  assert.deepEqual(toStringIndices('', [0, 7]), [0, 0]);
});

test('spans select the words of the server', () => {
  const text = 'naïve 🍿 end';
  const words = [{begin: 0, end: 6}, {begin: 7, end: 11}, {begin: 12, end: 15}];
  assert.deepEqual(toSpans(text, words).map(([begin, end]) => text.slice(begin, end)), ['naïve', '🍿', 'end']);
});

test('lone surrogates become U+FFFD', () => {
  assert.equal(toWellFormed('a\ud83cb\udf7f 🍿'), 'a\ufffdb\ufffd 🍿');
});

test('gaps and words concatenate to the text', () => {
  const text = '  one, two\n';
  const {tokens, rest} = splitText(text, [[2, 5], [5, 6], [7, 10]]);
  assert.equal(tokens.map(({gap, word}) => gap + word).join('') + rest, text);
});

test('commonEnds finds the common prefix and suffix', () => {
  assert.deepEqual(commonEnds(['a', 'b', 'c'], ['a', 'x', 'b', 'c']), {front: 1, back: 2});
  assert.deepEqual(commonEnds(['a', 'a'], ['a', 'a', 'a']), {front: 2, back: 0});
  assert.deepEqual(commonEnds(['a'], []), {front: 0, back: 0});
});

test('wordsInSpan finds the overlapping words', () => {
  const spans = [[0, 3], [4, 8], [8, 9], [10, 12]];
  assert.deepEqual(wordsInSpan([4, 9], spans), [1, 3]);
  assert.deepEqual(wordsInSpan([5, 6], spans), [1, 2]);
  assert.deepEqual(wordsInSpan([20, 25], spans), [0, 0]);
});

test('latestOnly runs one task at a time and skips outdated arguments', async () => {
  const done = [];
  let running = 0;
  const run = latestOnly(async (argument, superseded) => {
    assert.equal(++running, 1);
    await pause(5);
    done.push([argument, superseded()]);
    --running;
  });
  const all = run(1);
  run(2);
  run(3);
  await all;
  await run(4);
  assert.deepEqual(done, [[1, true], [3, false], [4, false]]);
});

test('latestOnly continues after a failed task', async () => {
  const done = [];
  const run = latestOnly(async (argument) => {
    if (argument === 1) throw new Error('no');
    done.push(argument);
  });
  await assert.rejects(run(1));
  await run(2);
  assert.deepEqual(done, [2]);
});

test('debounce waits for the last call and can be cancelled', async () => {
  const done = [];
  const call = debounce(5, (value) => done.push(value));
  call(1);
  call(2);
  await pause(30);
  call(3);
  call.cancel();
  await pause(30);
  assert.deepEqual(done, [2]);
});

test('the median of an even count is the mean of the middle two', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 9]), 3);
});

test('a text is timed in one batch after a reading to warm up', () => {
  assert.deepEqual(timingQueries({text: 'a'}, 2), Array(3).fill({text: 'a', question: undefined, choices: undefined}));
  assert.deepEqual(warmTimes([900, 5, 7, 6].map((microseconds) => ({microseconds})), false), [5, 7, 6]);
});

test('another question in between keeps the server from using its cache', () => {
  const queries = timingQueries({text: 'a', question: 'who?', choices: ['b']}, 2);
  assert.deepEqual(queries.map(({question}) => question), ['who?', '?', 'who?', '?', 'who?']);
  assert.equal(timingQueries({text: 'a', question: '?'}, 1)[1].question, '!');
  assert.deepEqual(warmTimes([900, 1, 5, 1, 7].map((microseconds) => ({microseconds})), true), [5, 7]);
});

test('slow and long texts are timed less often', () => {
  const limits = {batch: 256, body_bytes: 1 << 20};
  assert.equal(countReadings({text: 'a'}, 30, limits), 7);
  assert.equal(countReadings({text: 'a'}, 8000, limits), 3);
  assert.equal(countReadings({text: 'a'}, 1e6, limits), 1);
  assert.equal(countReadings({text: 'ä'.repeat(100000)}, 30, limits), 4);
  assert.equal(countReadings({text: 'a'}, 30, {...limits, batch: 4}), 3);
  assert.equal(countReadings({text: 'a', question: 'b'}, 30, {...limits, batch: 4}), 1);
  assert.equal(countReadings({text: 'a'}, 30, {...limits, batch: 1}), 0);
  assert.equal(countReadings({text: 'a'.repeat(600000)}, 30, limits), 0);
});

test('the retry delay grows exponentially unless the server sets Retry-After', () => {
  assert.deepEqual([1, 2, 3, 9].map((attempt) => retryDelay(attempt, 0)), [1, 2, 4, 16]);
  assert.equal(retryDelay(1, 7), 7);
});

test('decodeLink inverts encodeLink', async () => {
  const text = 'Zwölf Boxkämpfer & 100% #hash + plus 🍿\nsecond line';
  for (const fields of [{threshold: '0.35', text}, {budget: '0.25', against: '0.5', pass: '2', model: 'a b', text},
                         {threshold: '0', question: 'Who?', choices: 'a | b', text: text.repeat(60)}]) {
    const {fragment, textOmitted} = await encodeLink(fields);
    assert.equal(textOmitted, false);
    assert.deepEqual(await decodeLink(`#${fragment}`), fields);
  }
});

test('a long text is compressed, and omitted if that is not enough', async () => {
  const {fragment} = await encodeLink({text: 'all work and no play '.repeat(500)});
  assert.match(fragment, /^packed=/);
  assert.ok(fragment.length < 500);
  let seed = 1;
  const letter = () => String.fromCharCode(97 + ((seed = (seed * 48271) % 2147483647) % 26));
  const link = await encodeLink({threshold: '0.5', text: Array.from({length: 20000}, letter).join('')});
  assert.equal(link.textOmitted, true);
  assert.ok(link.fragment.length < kMaxLinkLength);
  assert.deepEqual(await decodeLink(link.fragment), {threshold: '0.5', textOmitted: true});
});

test('a truncated link is marked as corrupt and keeps its settings', async () => {
  const whole = await compressText('all work and no play '.repeat(50));
  for (const part of [whole.slice(0, -8), '***']) {
    assert.deepEqual(await decodeLink(`threshold=0.2&packed=${part}`), {threshold: '0.2', corrupt: true});
  }
});

test('decompression is limited', async () => {
  const bomb = await compressText('a'.repeat(6 << 20));
  assert.equal((await decodeLink(`packed=${bomb}`)).corrupt, true);
});

const state = {
  models: [{name: 'one', net: 'classifier'}, {name: 'two', net: 'cloze'}], model: {name: 'two', net: 'cloze'},
  mode: 'threshold', dials: [{threshold: 0.5, budget: 0.25}, {threshold: 0.1, budget: 0.5}],
  compare: true, pass: 3, question: 'Who?', choices: 'a|b', text: 'Some text.',
};

test('stateFromLink inverts toLinkFields', async () => {
  const {fragment} = await encodeLink(toLinkFields(state));
  const elsewhere = {threshold: 0.9, budget: 0.9};
  const other = {...state, model: state.models[0], dials: [elsewhere, elsewhere]};
  const {model, mode, dials, compare, pass, question, choices, text} = stateFromLink(await decodeLink(fragment), other);
  assert.deepEqual([model.name, mode, dials[0].threshold, dials[1].threshold, compare, pass, question, choices, text],
                   ['two', 'threshold', 0.5, 0.1, true, 3, 'Who?', 'a|b', 'Some text.']);
});

test('invalid fields of a link are ignored', () => {
  const changed = stateFromLink({model: 'gone', threshold: '7', against: 'x', pass: '-1'}, state);
  assert.equal(changed.model, state.model);
  assert.deepEqual(changed.dials, state.dials);
  assert.equal(changed.pass, 0);
});

test('slider positions and thresholds map one to one', () => {
  const thresholds = Array.from({length: 101}, (_, position) => positionToThreshold(position));
  assert.deepEqual([thresholds[0], thresholds[50], thresholds[100]], [0, 0.5, 1]);
  thresholds.forEach((threshold, position) => {
    assert.ok(position === 0 || threshold > thresholds[position - 1], `step ${position}`);
    assert.equal(thresholdToPosition(threshold), position);
  });
});

test('fractions are formatted with significant digits', () => {
  assert.deepEqual([0, 0.0021, 0.017, 0.5, 0.98, 0.9979, 1].map(formatFraction),
                   ['0.00', '0.0021', '0.017', '0.50', '0.980', '0.9979', '1.00']);
});

test('the speedup names the faster reader', () => {
  assert.equal(formatSpeedup(10, 40), '4.0× as fast as dense');
  assert.equal(formatSpeedup(40, 10), 'dense is 4.0× as fast');
  assert.equal(formatSpeedup(40, 0), '');
});

test('decisions depend on the number of updated units', () => {
  assert.deepEqual([100, 10, 5, 0].map((width) => stepDecision({width}, 100, 5)), ['read', 'between', 'skimmed', 'skimmed']);
});

test('passes are grouped by layer and direction', () => {
  const names = (readers) => groupByLayer(readers.map((reader) => ({reader})));
  assert.deepEqual(names(['0.forward', '0.backward', '1.forward', '1.backward']), [
    {name: '1', directions: [{direction: 'forward', index: 0}, {direction: 'backward', index: 1}]},
    {name: '2', directions: [{direction: 'forward', index: 2}, {direction: 'backward', index: 3}]}]);
  assert.deepEqual(names(['contextual.0.forward', 'modelling.0.forward', 'modelling.1.forward']).map(({name}) => name),
                   ['contextual', 'modelling 1', 'modelling 2']);
});

test('steps after the text belong to the question', () => {
  const steps = [1, 2, 3, 4].map((width) => ({width}));
  assert.deepEqual(splitSteps({steps}, 3, 1), {text: steps.slice(0, 3), question: steps.slice(3)});
  assert.deepEqual(splitSteps({steps, over: 'question'}, 9, 4), {text: [], question: steps});
});

test('a column of the chart has the maximum p_read of its words', () => {
  const steps = [{width: 1, p_read: 0.2}, {width: 9, p_read: 0.9}, {width: 1, p_read: 0.1}, {width: 1, p_read: 0.3}];
  assert.deepEqual(binColumns(steps, 9, 2), [{height: 0.9, read: true}, {height: 0.3, read: false}]);
  assert.equal(binColumns(steps, 9, 50).length, 4);
  assert.deepEqual(binColumns([], 9, 50), []);
});

test('an error includes the message of the server', () => {
  assert.match(makeApiError(413, '{"error": {"message": "over 1 MiB"}}').message, /too long.*over 1 MiB/);
  assert.match(makeApiError(422, '{"error": "no such word"}').message, /no such word/);
  assert.match(makeApiError(502, '<html>').message, /502/);
});

test('only transient errors are retried', () => {
  const error = (status) => makeApiError(status, '', '3');
  assert.deepEqual([0, 503, 504, 413, 422].map((status) => error(status).isTransient), [true, true, true, false, false]);
  assert.equal(error(503).retryAfter, 3);
});

test('toModel takes the sizes from the spec', () => {
  const entry = {name: 'one', spec: {reader: {kind: 'skim', hidden_size: 100, skim_sizes: [10, 5]}}};
  const {hiddenSize, skimSizes, reader} = toModel(entry, 'one');
  assert.deepEqual({hiddenSize, skimSizes, reader}, {hiddenSize: 100, skimSizes: [10, 5], reader: 'skim'});
  assert.equal(toModel(entry, 'one').default, true);
  assert.equal(toModel(entry, 'two').default, false);
});

test('the dial covers the budget range of the model', () => {
  const range = budgetRange({budgets: {min: 0.0601, max: 0.999}});
  assert.deepEqual(range, {min: 0.07, max: 0.99});
  assert.deepEqual([positionToBudget(0, range), positionToBudget(100, range)], [0.07, 0.99]);
  for (let budget = 7; budget <= 99; ++budget) {
    assert.equal(positionToBudget(budgetToPosition(budget / 100, range), range), budget / 100);
  }
  assert.deepEqual(budgetRange({}), {min: 0, max: 1});
});

test('the answer of a multi-label model is its labels', () => {
  const several = {answer: {text: 'joy', index: 1, score: 0.9}, labels: ['joy', 'love']};
  assert.equal(answerText(several), 'joy, love');
  assert.equal(answerText({...several, labels: []}), 'no label');
  assert.equal(hasScore(several), false);
  assert.deepEqual(['joy', 'fear'].map((name) => isAnswer(several, name)), [true, false]);
});

test('a label has a score, a number has none', () => {
  assert.equal(hasScore({answer: {text: 'joy', index: 1, score: 0.9}}), true);
  assert.equal(hasScore({answer: {text: '3.5', value: 3.5}}), false);
  assert.equal(answerText({answer: {text: '3.5', value: 3.5}}), '3.5');
  assert.equal(isAnswer({answer: {text: 'joy'}}, 'joy'), true);
});
