// The page that `skim read --html` writes, opened from a file.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {assertAccessible, close, formatFraction, kPhone, open, part, screenshot, text, untilText,
        words} from './browser.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'skim-static-'));
after(() => rmSync(folder, {recursive: true}));

const kText = 'The plot is thin but the ending is wonderful and the actors are terrible';
const modelFile = (name) => process.env.SKIM_SERVED.split('\n').find((file) => path.basename(file) === `${name}.skim`);

// Writes a page; returns its address and the reading.
function write(source, ...options) {
  const file = path.join(folder, `${Math.random()}.html`);
  const output = execFileSync(process.env.SKIM, ['read', '--json', '--html', file, '--file', '-', ...options], {input: source});
  return {url: String(pathToFileURL(file)), reading: JSON.parse(output)};
}

// A test of the page of `source`. The page must request nothing but itself.
function staticTest(name, {source = kText, options = [], ...context}, body) {
  test(name, async () => {
    const {url, reading} = write(source, ...options);
    const requests = [];
    const before = (page) => page.on('request', (request) => requests.push(request.url()));
    const page = await open({url}, {before, ready: source !== '', ...context});
    await body(page, reading);
    assert.deepEqual(requests.filter((each) => !each.startsWith('data:')), [url]);
    await close(page);
  });
}

const decisions = (pass) => pass.steps.map(({width}) => width === pass.hidden_size ? 'read' : 'skimmed');

staticTest('a file shows words, answer and statistics', {}, async (page, reading) => {
  assert.equal(await text(page).textContent(), kText);
  assert.deepEqual((await words(page)).map((word) => word.text), reading.words.map((word) => word.text));
  assert.deepEqual((await words(page)).map((word) => word.decision), decisions(reading.passes[0]));
  assert.equal(await part(page, 'answer').textContent(), reading.answer.text);
  assert.equal(await part(page, 'counted').textContent(), `${reading.flop_reduction.counted.toFixed(1)}×`);
  assert.equal(await part(page, 'title').textContent(), 'Threshold 0.50');
  assert.equal(await part(page, 'speed').textContent(), 'warm');
  assert.match(await part(page, 'first').textContent(), /^first reading: /);
  assert.equal(await page.title(), `skim: ${reading.answer.text}`);
  await text(page).locator('.word').first().hover();
  await untilText(page, '[data-part="tip"]', `p_read ${formatFraction(reading.words[0].p_read)},`);
  await assertAccessible(page);
  await screenshot(page, 'static');
});

staticTest('a file follows the dark colour scheme', {colorScheme: 'dark', ...kPhone}, async (page) => {
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(19, 20, 22)');
  await assertAccessible(page);
  await screenshot(page, 'static-dark-phone');
});

staticTest('a file shows each layer and direction', {options: ['--model', modelFile('deep')]}, async (page, {passes}) => {
  const places = [['1', 'forward'], ['1', 'backward'], ['2', 'forward'], ['2', 'backward']];
  for (const [i, [layer, direction]] of places.entries()) {
    await page.getByRole('radio', {name: layer, exact: true}).check({force: true});
    await page.getByRole('radio', {name: direction}).check({force: true});
    assert.deepEqual((await words(page)).map(({decision}) => decision), decisions(passes[i]));
  }
});

const kQuestion = {source: 'Tobin opened the bakery before dawn.',
                   options: ['--model', modelFile('span'), '--question', 'Who opened <it>?']};
staticTest('a file shows the question and frames the answer', kQuestion, async (page, {answer}) => {
  assert.equal(await page.locator('#reading-title').textContent(), 'Who opened <it>?');
  assert.equal(await page.locator('#reading-title').isVisible(), true);
  const framed = await text(page).locator('[data-answer]').allTextContents();
  assert.equal(framed.join(''), answer.text);
  await screenshot(page, 'static-question');
});

const kHostile = 'good </script><script>document.title = "run"</script> <img src=x onerror=alert(1)> <!-- \u001b[31m é \u2028 film';
staticTest('a file shows hostile text as text', {source: kHostile}, async (page, reading) => {
  assert.equal(await text(page).textContent(), kHostile);
  assert.deepEqual((await words(page)).map((word) => word.text), reading.words.map((word) => word.text));
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.title(), `skim: ${reading.answer.text}`);
});

staticTest('a file shows an empty text', {source: ''}, async (page, reading) => {
  assert.equal(await part(page, 'answer').textContent(), reading.answer.text);
});
