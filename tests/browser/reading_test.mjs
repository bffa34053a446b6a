// Typing a text, moving the dial, comparing settings, links.
import assert from 'node:assert/strict';
import {countRead, eventually, fetchReading, formatFraction, pageTest, part, paste, screenshot, setDial, shown, text,
        until, untilIs, untilText, words} from './browser.mjs';

pageTest('the page opens with the reading of an example', {}, async (page) => {
  const decisions = new Set((await words(page)).map(({decision}) => decision));
  assert.deepEqual([...decisions].sort(), ['read', 'skimmed']);
  await untilText(page, '[data-part="dense"]', 'dense:');
  await screenshot(page, 'light');
});

pageTest('the page shows the words and decisions of the server', {}, async (page, server) => {
  const typed = 'A <b>naïve</b> 🍿 film – isn’t it wonderful?\n\nYes & no.';
  await page.fill('#source', typed);
  await untilText(page, '[data-part="text"]', 'Yes & no.');
  assert.equal(await text(page).textContent(), typed);
  const {words: wanted} = await fetchReading(server, {text: typed, threshold: 0.5});
  assert.deepEqual((await words(page)).map((word) => word.text), wanted.map((word) => word.text));
  const decisions = wanted.map(({width}) => width === 100 ? 'read' : 'skimmed');
  assert.deepEqual((await words(page)).map((word) => word.decision), decisions);
});

pageTest('the page shows the statistics of the server', {}, async (page, server) => {
  const source = await page.inputValue('#source');
  const reading = await fetchReading(server, {text: source, threshold: 0.5});
  const read = reading.words.filter(({width}) => width === 100).length;
  assert.equal(await part(page, 'read-words').textContent(), `${read} of ${reading.words.length}`);
  assert.equal(await part(page, 'skim-rate').textContent(), `${(100 * reading.skim_rate).toFixed(1)}\u202f%`);
  assert.equal(await part(page, 'counted').textContent(), `${reading.flop_reduction.counted.toFixed(1)}×`);
  assert.equal(await part(page, 'answer').textContent(), reading.answer.text);
  assert.equal(await page.locator('.pane >> nth=0').locator('.scores li').count(), 2);
  await timed(page);
});

pageTest('the ends of the dial read every word and skim every word', {}, async (page) => {
  const all = (await words(page)).length;
  await page.focus('#dial-0');
  await page.keyboard.press('Home');
  await untilIs(page, '[data-part="read-words"]', `${all} of ${all}`);
  assert.equal(await countRead(page), all);
  await page.keyboard.press('End');
  await untilIs(page, '[data-part="read-words"]', `0 of ${all}`);
  assert.equal(await countRead(page), 0);
});

pageTest('words keep their nodes and positions while the dial moves', {}, async (page) => {
  await page.evaluate(() => {
    const root = document.querySelector('[data-part="text"]');
    window.kept = [...root.querySelectorAll('.word')];
    window.places = window.kept.map((word) => JSON.stringify(word.getBoundingClientRect()));
    window.changes = [];
    new MutationObserver((list) => window.changes.push(...list.map(({type}) => type)))
        .observe(root, {subtree: true, childList: true, characterData: true});
  });
  const before = await countRead(page);
  for (const position of [45, 40, 30, 20]) await setDial(page, position);
  await until(page, (count) => document.querySelectorAll('[data-part="text"] .read').length > count, before);
  const {same, moved, changes} = await page.evaluate(() => {
    const now = [...document.querySelectorAll('[data-part="text"]')[0].querySelectorAll('.word')];
    return {
      same: now.length === window.kept.length && now.every((word, i) => word === window.kept[i]),
      moved: now.filter((word, i) => JSON.stringify(word.getBoundingClientRect()) !== window.places[i]).length,
      changes: window.changes,
    };
  });
  assert.ok(same);
  assert.equal(moved, 0);
  assert.deepEqual(changes, []);
});

pageTest('editing in the middle keeps the nodes of the other words', {}, async (page) => {
  await page.fill('#source', 'one two three four five');
  await untilText(page, '[data-part="text"]', 'one two three four five');
  await page.evaluate(() => { window.kept = [...document.querySelectorAll('[data-part="text"] .word')]; });
  await page.fill('#source', 'one two and a half three four five');
  await untilText(page, '[data-part="text"]', 'half');
  const kept = await page.evaluate(() => {
    const now = [...document.querySelectorAll('[data-part="text"] .word')];
    return now.filter((word) => window.kept.includes(word)).map((word) => word.textContent);
  });
  assert.deepEqual(kept, ['one', 'two', 'three', 'four', 'five']);
});

// Responses wait for `page.gate`; records the queries and the maximum number of concurrent requests.
const kGated = {before: async (page) => {
  let running = 0;
  Object.assign(page, {gate: Promise.resolve(), queries: [], maxConcurrent: 0});
  await page.route(/\/v1\/read(\/batch)?$/, async (route) => {
    page.queries.push(route.request().postDataJSON());
    page.maxConcurrent = Math.max(page.maxConcurrent, ++running);
    await page.gate;
    --running;
    await route.continue();
  });
}};

const timed = (page) => until(page, () => /as fast/.test(document.querySelector('[data-part="speed"]').textContent));
const readings = (page) => page.queries.filter(({passes}) => passes);
const dialValue = (page) => page.locator('.dials output').first().textContent();

pageTest('one request at a time while the dial moves, and the last position is shown', kGated, async (page) => {
  await timed(page);
  Object.assign(page, {queries: [], maxConcurrent: 0});
  let open = null;
  page.gate = new Promise((resolve) => { open = resolve; });
  await setDial(page, 46);
  const first = await dialValue(page);
  for (let position = 42; position >= 10; position -= 4) await setDial(page, position);
  const last = await dialValue(page);
  open();
  // Timing requests start when the reading is shown.
  await eventually(() => page.queries.some(({passes, threshold}) => !passes && formatFraction(threshold) === last));
  assert.deepEqual(readings(page).map(({threshold}) => formatFraction(threshold)), [first, last]);
  assert.equal(page.maxConcurrent, 1);
});

// The server's times are replaced: of the readings that warm up, and of those that are timed.
const kTimed = {before: async (page) => {
  await page.route('**/v1/read/batch', async (route) => {
    const {queries, threshold} = route.request().postDataJSON();
    const answers = queries.map((_, i) => ({microseconds: i === 0 ? 9999 : threshold === 0 ? 400 : 97 + i}));
    await route.fulfill({json: {model: 'default', answers}});
  });
}};

pageTest('the time is the median of warm readings beside that of the first one', kTimed, async (page) => {
  await timed(page);
  assert.equal(await part(page, 'time').textContent(), '101\u202fµs');
  assert.equal(await part(page, 'speed').textContent(), '4.0× as fast as dense');
  assert.equal(await part(page, 'dense').textContent(), 'both warm; dense: 400\u202fµs');
  assert.match(await part(page, 'first').textContent(), /^first reading: [\d.]+\u202f(µs|ms)$/);
});

pageTest('words are requested once per text', kGated, async (page) => {
  await setDial(page, 20);
  await eventually(() => readings(page).length > 1);
  assert.deepEqual(readings(page).map(({words: wanted}) => wanted), [true, false]);
});

pageTest('hovering over a word shows its p_read', {}, async (page, server) => {
  const {words: wanted} = await fetchReading(server, {text: await page.inputValue('#source'), threshold: 0.5});
  const read = wanted.findIndex(({width}) => width === 100);
  await text(page).locator('.word').nth(read).hover();
  await part(page, 'tip').waitFor();
  assert.equal(await part(page, 'tip').textContent(), `p_read ${formatFraction(wanted[read].p_read)}, read in full`);
  await screenshot(page, 'tip');
  await page.mouse.move(5, 5);
  await part(page, 'tip').waitFor({state: 'hidden'});
});

pageTest('an empty text shows a hint', {}, async (page) => {
  await page.fill('#source', '  ');
  await page.locator('#empty').waitFor();
  assert.equal(await page.locator('.pane:visible').count(), 0);
  await screenshot(page, 'empty');
  await page.getByRole('button', {name: 'One line'}).click();
  await untilText(page, '[data-part="text"]', '🍿');
  assert.equal(await page.locator('.pane:visible').count(), 1);
});

pageTest('a text of 100 KB follows the dial', {}, async (page) => {
  await paste(page, 'The plot is thin, but the ending is wonderful. '.repeat(2200));
  await until(page, () => document.querySelectorAll('[data-part="text"] .word').length > 20000);
  await setDial(page, 0);
  await until(page, () => {
    const [count, of, all] = document.querySelector('[data-part="read-words"]').textContent.split(' ');
    return of === 'of' && count === all;
  });
  assert.equal(await countRead(page), (await words(page)).length);
});

pageTest('the read words are available as a list', {}, async (page) => {
  await page.fill('#source', 'A wonderful film.');
  await setDial(page, 0);
  await page.locator('.pane').first().locator('summary').click();
  await untilText(page, '[data-part="list-words"]', 'A · wonderful · film · .');
});

pageTest('two settings can be compared side by side', {}, async (page, server) => {
  await page.check('#compare');
  await setDial(page, 10, 1);
  await page.locator('.pane').nth(1).waitFor();
  const source = await page.inputValue('#source');
  const threshold = Number(await page.locator('[data-dial="1"] output').textContent());
  const count = async (limit) => {
    const {words: all} = await fetchReading(server, {text: source, threshold: limit});
    return all.filter(({width}) => width === 100).length;
  };
  const wanted = await count(threshold);
  await untilIs(page, '.pane:nth-child(2) [data-part="read-words"]', `${wanted} of ${(await words(page)).length}`);
  assert.equal(await countRead(page, 0), await count(0.5));
  assert.equal(await countRead(page, 1), wanted);
  assert.deepEqual(await page.locator('.pane h3').allTextContents(), ['Threshold 0.50', `Threshold ${threshold}`]);
  await text(page, 0).locator('.word').nth(3).hover();
  const pointed = await text(page, 0).locator('.word').nth(3).textContent();
  assert.equal(await text(page, 1).locator('.linked').textContent(), pointed);
  await untilText(page, '.pane:nth-child(2) [data-part="dense"]', 'dense:');
  await screenshot(page, 'side-by-side');
  await page.uncheck('#compare');
  await page.locator('.pane').nth(1).waitFor({state: 'hidden'});
});

pageTest('a budget is converted to a threshold by the calibration', {}, async (page, server) => {
  await page.locator('#budget').check({force: true});
  await page.focus('#dial-0');
  for (let i = 0; i < 15; ++i) await page.keyboard.press('ArrowRight');
  const budget = Number(await dialValue(page));
  assert.ok(budget > 0.25);
  const reading = await fetchReading(server, {text: await page.inputValue('#source'), budget});
  const read = reading.words.filter(({width}) => width === 100).length;
  await untilIs(page, '[data-part="read-words"]', `${read} of ${reading.words.length}`);
  await untilText(page, '#hint', `threshold ${formatFraction(reading.threshold)}.`);
  await screenshot(page, 'budget');
  await page.keyboard.press('Home');
  const minBudget = Number(await dialValue(page));
  const {threshold} = await fetchReading(server, {text: await page.inputValue('#source'), budget: minBudget});
  await untilText(page, '#hint', `threshold ${formatFraction(threshold)}.`);
  assert.equal(await page.locator('#error').isVisible(), false);
});

pageTest('a link holds text and settings', {}, async (page, server) => {
  await page.fill('#source', 'Not bad at all – 🍿 & more, 100%.');
  await page.check('#compare');
  await setDial(page, 30);
  await setDial(page, 80, 1);
  const outputs = await page.locator('.dials output').allTextContents();
  await until(page, ([first, second]) => location.hash.includes(`threshold=${first}&against=${second}&`), outputs);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await shown(other);
  assert.equal(await other.inputValue('#source'), 'Not bad at all – 🍿 & more, 100%.');
  assert.deepEqual(await other.locator('.dials output').allTextContents(), outputs);
  await other.locator('.pane').nth(1).waitFor();
  assert.equal(new URL(other.url()).origin, new URL(server.url).origin);
});

pageTest('changing the URL fragment updates the page', {}, async (page) => {
  await page.evaluate(() => { location.hash = '#threshold=1&text=Two+words'; });
  await untilIs(page, '[data-part="read-words"]', '0 of 2');
  assert.equal(await dialValue(page), '1.00');
});

pageTest('a link omits a long text and shows a notice', {}, async (page) => {
  const noise = Array.from({length: 6000}, (_, i) => ((i + 1) * 7919 * 104729 % 2147483647).toString(36)).join(' ');
  await paste(page, noise);
  await untilText(page, '#notice', 'omits the text');
  assert.ok(page.url().length < 500);
});

pageTest('the copy button copies the link', {permissions: ['clipboard-read', 'clipboard-write']}, async (page) => {
  await page.fill('#source', 'A short text.');
  await page.click('#copy');
  await untilText(page, '#notice', 'copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  assert.match(page.url(), /text=A\+short\+text\./);
});
