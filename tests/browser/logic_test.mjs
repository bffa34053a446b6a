// What the page works out without a browser. SKIM_WEB is a copy of web/ that node takes for modules (run_tests.py).
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

const load = (name) => import(new URL(name, pathToFileURL(`${process.env.SKIM_WEB}/`)));
const {changesFrom, settingOf} = await load('address.js');
const {extentsOf, indicesOf, wellFormed} = await load('bytes.js');
const {kLongestLink, linkFrom, packed, settingFrom} = await load('link.js');
const {budgetAt, budgetPosition, positionOf, shareText, speedText, thresholdAt} = await load('numbers.js');
const {latestOnly, median, patience, whenSettled} = await load('pace.js');
const {budgetRange, layersOf, lookOf, stepsOf} = await load('reading.js');
const {faultFrom, modelFrom} = await load('server.js');
const {columnsOf} = await load('strip.js');
const {coveredBy, piecesOf, sharedEnds} = await load('words.js');

const utf8 = new TextEncoder();
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

test('byte offsets lead to the same characters in the string', () => {
  const text = 'Grünau – a 🍿 for 日本語.';
  for (let index = 0; index <= text.length; ++index) {
    if (/^[\udc00-\udfff]/.test(text.slice(index))) continue;
    const offset = utf8.encode(text.slice(0, index)).length;
    assert.deepEqual(indicesOf(text, [offset]), [index]);
  }
});

test('offsets inside a character or behind the text stay in the text', () => {
  assert.deepEqual(indicesOf('a🍿b', [2, 3, 5, 6, 99]), [1, 1, 3, 4, 4]);
  assert.deepEqual(indicesOf('', [0, 7]), [0, 0]);
});

test('extents cut the words out that the server meant', () => {
  const text = 'naïve 🍿 end';
  const words = [{begin: 0, end: 6}, {begin: 7, end: 11}, {begin: 12, end: 15}];
  assert.deepEqual(extentsOf(text, words).map(([begin, end]) => text.slice(begin, end)), ['naïve', '🍿', 'end']);
});

test('half a surrogate pair is sent as U+FFFD and whole ones are left alone', () => {
  assert.equal(wellFormed('a\ud83cb\udf7f 🍿'), 'a\ufffdb\ufffd 🍿');
});

test('gaps and words put together are the text again', () => {
  const text = '  one, two\n';
  const {pieces, rest} = piecesOf(text, [[2, 5], [5, 6], [7, 10]]);
  assert.equal(pieces.map(({gap, word}) => gap + word).join('') + rest, text);
});

test('a word typed in the middle leaves the others alone', () => {
  assert.deepEqual(sharedEnds(['a', 'b', 'c'], ['a', 'x', 'b', 'c']), {front: 1, back: 2});
  assert.deepEqual(sharedEnds(['a', 'a'], ['a', 'a', 'a']), {front: 2, back: 0});
  assert.deepEqual(sharedEnds(['a'], []), {front: 0, back: 0});
});

test('an answer covers the words that it touches', () => {
  const extents = [[0, 3], [4, 8], [8, 9], [10, 12]];
  assert.deepEqual(coveredBy([4, 9], extents), [1, 3]);
  assert.deepEqual(coveredBy([5, 6], extents), [1, 2]);
  assert.deepEqual(coveredBy([20, 25], extents), [0, 0]);
});

test('one task at a time, and of those that wait only the latest', async () => {
  const done = [];
  let running = 0;
  const ask = latestOnly(async (argument, overtaken) => {
    assert.equal(++running, 1);
    await pause(5);
    done.push([argument, overtaken()]);
    --running;
  });
  const all = ask(1);
  ask(2);
  ask(3);
  await all;
  await ask(4);
  assert.deepEqual(done, [[1, true], [3, false], [4, false]]);
});

test('a task that fails does not stop those behind it', async () => {
  const done = [];
  const ask = latestOnly(async (argument) => {
    if (argument === 1) throw new Error('no');
    done.push(argument);
  });
  await assert.rejects(ask(1));
  await ask(2);
  assert.deepEqual(done, [2]);
});

test('an action waits until calls stop coming, and can be called off', async () => {
  const done = [];
  const call = whenSettled(5, (value) => done.push(value));
  call(1);
  call(2);
  await pause(30);
  call(3);
  call.cancel();
  await pause(30);
  assert.deepEqual(done, [2]);
});

test('the median of an even number lies between the middle two', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 9]), 3);
});

test('waiting grows with every try, unless the server says how long', () => {
  assert.deepEqual([1, 2, 3, 9].map((count) => patience(count, 0)), [1, 2, 4, 16]);
  assert.equal(patience(1, 7), 7);
});

test('a link leads back to what it was made of', async () => {
  const text = 'Zwölf Boxkämpfer & 100% #hash + plus 🍿\nsecond line';
  for (const setting of [{threshold: '0.35', text}, {budget: '0.25', against: '0.5', pass: '2', model: 'a b', text},
                         {threshold: '0', question: 'Who?', choices: 'a | b', text: text.repeat(60)}]) {
    const {fragment, leftOut} = await linkFrom(setting);
    assert.equal(leftOut, false);
    assert.deepEqual(await settingFrom(`#${fragment}`), setting);
  }
});

test('a long text is packed, and one that is still too long is left out', async () => {
  const {fragment} = await linkFrom({text: 'all work and no play '.repeat(500)});
  assert.match(fragment, /^packed=/);
  assert.ok(fragment.length < 500);
  let seed = 1;
  const letter = () => String.fromCharCode(97 + ((seed = (seed * 48271) % 2147483647) % 26));
  const long = await linkFrom({threshold: '0.5', text: Array.from({length: 20000}, letter).join('')});
  assert.equal(long.leftOut, true);
  assert.ok(long.fragment.length < kLongestLink);
  assert.deepEqual(await settingFrom(long.fragment), {threshold: '0.5', leftOut: true});
});

test('a link that was cut off says so and keeps its setting', async () => {
  const whole = await packed('all work and no play '.repeat(50));
  for (const part of [whole.slice(0, -8), '***']) {
    assert.deepEqual(await settingFrom(`threshold=0.2&packed=${part}`), {threshold: '0.2', damaged: true});
  }
});

test('a link cannot fill the memory', async () => {
  const bomb = await packed('a'.repeat(6 << 20));
  assert.equal((await settingFrom(`packed=${bomb}`)).damaged, true);
});

const state = {
  models: [{name: 'one', net: 'classifier'}, {name: 'two', net: 'cloze'}], model: {name: 'two', net: 'cloze'},
  mode: 'threshold', dials: [{threshold: 0.5, budget: 0.25}, {threshold: 0.1, budget: 0.5}],
  compare: true, pass: 3, question: 'Who?', choices: 'a|b', text: 'Some text.',
};

test('the state survives the way through an address', async () => {
  const {fragment} = await linkFrom(settingOf(state));
  const elsewhere = {threshold: 0.9, budget: 0.9};
  const other = {...state, model: state.models[0], dials: [elsewhere, elsewhere]};
  const {model, mode, dials, compare, pass, question, choices, text} = changesFrom(await settingFrom(fragment), other);
  assert.deepEqual([model.name, mode, dials[0].threshold, dials[1].threshold, compare, pass, question, choices, text],
                   ['two', 'threshold', 0.5, 0.1, true, 3, 'Who?', 'a|b', 'Some text.']);
});

test('what makes no sense in a link is passed over', () => {
  const changed = changesFrom({model: 'gone', threshold: '7', against: 'x', pass: '-1'}, state);
  assert.equal(changed.model, state.model);
  assert.deepEqual(changed.dials, state.dials);
  assert.equal(changed.pass, 0);
});

test('every step of the slider is a threshold of its own that leads back to it', () => {
  const thresholds = Array.from({length: 101}, (_, position) => thresholdAt(position));
  assert.deepEqual([thresholds[0], thresholds[50], thresholds[100]], [0, 0.5, 1]);
  thresholds.forEach((threshold, position) => {
    assert.ok(position === 0 || threshold > thresholds[position - 1], `step ${position}`);
    assert.equal(positionOf(threshold), position);
  });
});

test('shares are shown with the digits that count', () => {
  assert.deepEqual([0, 0.0021, 0.017, 0.5, 0.98, 0.9979, 1].map(shareText),
                   ['0.00', '0.0021', '0.017', '0.50', '0.980', '0.9979', '1.00']);
});

test('the slower of two is never called fast', () => {
  assert.equal(speedText(10, 40), '4.0× as fast as plain');
  assert.equal(speedText(40, 10), 'plain is 4.0× as fast');
  assert.equal(speedText(40, 0), '');
});

test('words look read, skimmed or between by the units that were updated', () => {
  assert.deepEqual([100, 10, 5, 0].map((width) => lookOf({width}, 100, 5)), ['read', 'between', 'skimmed', 'skimmed']);
});

test('a deeper model is picked by layer and direction', () => {
  const names = (readers) => layersOf(readers.map((reader) => ({reader})));
  assert.deepEqual(names(['0.forward', '0.backward', '1.forward', '1.backward']), [
    {name: '1', directions: [{direction: 'forward', index: 0}, {direction: 'backward', index: 1}]},
    {name: '2', directions: [{direction: 'forward', index: 2}, {direction: 'backward', index: 3}]}]);
  assert.deepEqual(names(['contextual.0.forward', 'modelling.0.forward', 'modelling.1.forward']).map(({name}) => name),
                   ['contextual', 'modelling 1', 'modelling 2']);
});

test('steps behind the text are those of the question', () => {
  const steps = [1, 2, 3, 4].map((width) => ({width}));
  assert.deepEqual(stepsOf({steps}, 3, 1), {text: steps.slice(0, 3), question: steps.slice(3)});
  assert.deepEqual(stepsOf({steps, over: 'question'}, 9, 4), {text: [], question: steps});
});

test('a column of the strip stands for its word most likely to be read', () => {
  const steps = [{width: 1, p_read: 0.2}, {width: 9, p_read: 0.9}, {width: 1, p_read: 0.1}, {width: 1, p_read: 0.3}];
  assert.deepEqual(columnsOf(steps, 9, 2), [{height: 0.9, read: true}, {height: 0.3, read: false}]);
  assert.equal(columnsOf(steps, 9, 50).length, 4);
  assert.deepEqual(columnsOf([], 9, 50), []);
});

test('a fault says what the server said, however it was wrapped', () => {
  assert.match(faultFrom(413, '{"error": {"message": "over 1 MiB"}}').message, /too long.*over 1 MiB/);
  assert.match(faultFrom(422, '{"error": "no such word"}').message, /no such word/);
  assert.match(faultFrom(502, '<html>').message, /502/);
});

test('only what may pass is tried again', () => {
  const fault = (status) => faultFrom(status, '', '3');
  assert.deepEqual([0, 503, 504, 413, 422].map((status) => fault(status).passing), [true, true, true, false, false]);
  assert.equal(fault(503).retryAfter, 3);
});

test('the shape of a model is found in its spec', () => {
  const entry = {name: 'one', spec: {reader: {kind: 'skim', hidden: 100, small: [10, 5]}}};
  const {hidden, small, reader} = modelFrom(entry, 'one');
  assert.deepEqual({hidden, small, reader}, {hidden: 100, small: [10, 5], reader: 'skim'});
  assert.equal(modelFrom(entry, 'one').default, true);
  assert.equal(modelFrom(entry, 'two').default, false);
});

test('the dial offers no budget that the model cannot keep to', () => {
  const range = budgetRange({budgets: {least: 0.0601, most: 0.999}});
  assert.deepEqual(range, {least: 0.07, most: 0.99});
  assert.deepEqual([budgetAt(0, range), budgetAt(100, range)], [0.07, 0.99]);
  for (let budget = 7; budget <= 99; ++budget) {
    assert.equal(budgetAt(budgetPosition(budget / 100, range), range), budget / 100);
  }
  assert.deepEqual(budgetRange({}), {least: 0, most: 1});
});
