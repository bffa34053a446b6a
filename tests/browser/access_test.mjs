// Accessibility (keyboard, screen readers, phones, colour schemes) and error messages.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {assertAccessible, close, kPhone, open, pageTest, part, paste, screenshot, serve, shown, text, setDial, until, untilIs,
        untilText} from './browser.mjs';

// The number of pixels beyond the right edge.
const horizontalOverflow = (page) => page.evaluate(() => {
  const root = document.documentElement;
  return root.scrollWidth - root.clientWidth;
});
const timed = (page) => untilText(page, '[data-part="dense"]', 'dense:');

pageTest('no accessibility violations in the light colour scheme', {}, async (page) => {
  await timed(page);
  await page.locator('.pane').first().locator('summary').click();
  await assertAccessible(page);
});

pageTest('no accessibility violations in the dark colour scheme', {colorScheme: 'dark'}, async (page) => {
  await timed(page);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(Math.max(...ground) < 60, `${ground}`);
  await assertAccessible(page);
  await screenshot(page, 'dark');
});

const kViews = {
  'three-levels': '#model=three', 'side-by-side': '#threshold=0.5&against=0.05', layers: '#model=deep',
  choices: '#model=cloze', question: '#model=span&threshold=0.3',
};
for (const [name, fragment] of Object.entries(kViews)) {
  pageTest(`no accessibility violations with ${name} in the dark colour scheme`, {fragment, colorScheme: 'dark'}, async (page) => {
    await text(page).locator('.word').first().hover();
    await assertAccessible(page);
    await screenshot(page, `${name}-dark`);
  });
}

pageTest('no horizontal scrolling on a phone', kPhone, async (page) => {
  await timed(page);
  assert.equal(await horizontalOverflow(page), 0);
  await assertAccessible(page);
  await screenshot(page, 'phone');
  await page.fill('#source', `Donau${'dampfschifffahrt'.repeat(20)} and https://example.org/${'a'.repeat(300)}`);
  await untilText(page, '[data-part="text"]', 'Donau');
  assert.equal(await horizontalOverflow(page), 0);
  await page.check('#compare');
  await page.locator('.pane').nth(1).waitFor();
  assert.equal(await horizontalOverflow(page), 0);
  await assertAccessible(page);
});

pageTest('the dial stays visible above the words on a phone', {...kPhone, colorScheme: 'dark'}, async (page) => {
  await text(page).locator('.word').nth(100).evaluate((word) => word.scrollIntoView({block: 'center'}));
  const dial = await page.locator('#dial-0').boundingBox();
  assert.ok(dial.y >= 0 && dial.y < 200, `${dial.y}`);
  await screenshot(page, 'phone-dark', false);
});

for (const model of ['deep', 'bidaf', 'cloze']) {
  pageTest(`no horizontal scrolling on a phone with ${model}`, {...kPhone, fragment: `#model=${model}`}, async (page) => {
    assert.equal(await horizontalOverflow(page), 0);
    await screenshot(page, `phone-${model}`);
  });
}

pageTest('all controls work with the keyboard', {}, async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
  const tabTo = async (wanted) => {
    for (let i = 0; i < 30 && !(await focused()).startsWith(wanted); ++i) await page.keyboard.press('Tab');
    assert.ok((await focused()).startsWith(wanted), `cannot reach ${wanted}`);
  };
  await tabTo('skip');
  await tabTo('model');
  await tabTo('source');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('A dull start and a wonderful end.');
  await untilText(page, '[data-part="text"]', 'wonderful end.');
  await tabTo('threshold');
  await tabTo('dial-0');
  await page.keyboard.press('Home');
  await untilIs(page, '[data-part="read-words"]', '8 of 8');
  await tabTo('compare');
  await page.keyboard.press('Space');
  await page.locator('.pane').nth(1).waitFor();
  await page.keyboard.press('Space');
  await tabTo('word');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'dull');
  assert.match(await part(page, 'announcement').textContent(), /^p_read [\d.]+, read in full$/);
  assert.equal(await part(page, 'tip').isVisible(), true);
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '.');
  await page.keyboard.press('Escape');
  assert.equal(await part(page, 'tip').isVisible(), false);
});

pageTest('up and down move between read words', {}, async (page) => {
  const read = await text(page).locator('.word.read').allTextContents();
  await text(page).locator('.word').first().focus();
  const visited = [];
  for (let i = 0; i < 3; ++i) {
    await page.keyboard.press('ArrowDown');
    visited.push(await page.evaluate(() => document.activeElement.textContent));
  }
  assert.deepEqual(visited, read.slice(0, 3));
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), read[1]);
});

pageTest('the skip link focuses the reading and keeps the URL', {}, async (page) => {
  const before = page.url();
  await page.focus('#skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'reading');
  assert.equal(page.url(), before);
});

pageTest('the summary is announced after the dial stops moving', {}, async (page) => {
  await setDial(page, 100);
  await untilText(page, '#summary', 'words read, 100.0\u202f% skimmed');
  assert.equal(await page.locator('#summary').getAttribute('role'), 'status');
  assert.match(await page.locator('#dial-0').getAttribute('aria-valuetext'), /^1\.00: words are read when/);
  assert.equal(await text(page).locator('[role="mark"]').count(), 0);
});

pageTest('reduced motion disables transitions', {reducedMotion: 'reduce'}, async (page) => {
  const word = text(page).locator('.word').first();
  assert.equal(await word.evaluate((node) => getComputedStyle(node).transitionDuration), '0s');
});

pageTest('forced colours distinguish read from skimmed words', {forcedColors: 'active'}, async (page) => {
  const ground = (decision) => text(page).locator(`.word.${decision}`).first()
      .evaluate((word) => getComputedStyle(word).backgroundColor);
  assert.notEqual(await ground('read'), await ground('skimmed'));
});

test('an unreachable server gives an error, and retrying works when it is back', async () => {
  const server = await serve();
  const page = await open(server);
  const before = await text(page).textContent();
  await server.stop();
  await setDial(page, 20);
  await untilText(page, '#error-text', 'cannot be reached');
  assert.equal(await page.locator('#error').getAttribute('role'), 'alert');
  assert.equal(await text(page).textContent(), before);
  await assertAccessible(page);
  await screenshot(page, 'unreachable');
  const again = await serve('--port', server.port);
  assert.equal(again.port, server.port);
  await page.getByRole('button', {name: 'Try again'}).click();
  await page.locator('#error').waitFor({state: 'hidden'});
  page.consoleErrors = page.consoleErrors.filter((consoleError) => !/ERR_CONNECTION/.test(consoleError));
  await close(page);
});

test('a text over the limit of the server gives an error', async () => {
  const server = await serve();
  const page = await open(server);
  await paste(page, 'word '.repeat(230000));
  await untilText(page, '#error-text', 'too long');
  assert.equal(await page.locator('#retry').isVisible(), false);
  await page.fill('#source', 'Short again.');
  await page.locator('#error').waitFor({state: 'hidden'});
  page.consoleErrors = page.consoleErrors.filter((consoleError) => !/413|ERR_CONNECTION/.test(consoleError));
  await close(page);
});

const kBusy = {before: async (page) => {
  page.rejections = 0;
  await page.route('**/v1/read', async (route) => {
    if (page.rejections-- <= 0) return route.continue();
    return route.fulfill({status: 503, headers: {'Retry-After': '1'}, json: {error: {message: 'the queue is full'}}});
  });
}};

pageTest('a busy server is retried after a delay', kBusy, async (page) => {
  await timed(page);
  page.rejections = 1;
  await setDial(page, 20);
  await untilText(page, '#error-text', 'The server is busy. Server message: the queue is full. Retrying in 1 second.');
  await screenshot(page, 'busy');
  await page.locator('#error').waitFor({state: 'hidden'});
  assert.equal(page.consoleErrors.length, 1);
  page.consoleErrors = [];
});

test('a server that requires a token gets one', async () => {
  const file = path.join(process.env.SKIM_SCREENSHOTS, '..', 'token');
  writeFileSync(file, 'open-sesame-open\n');
  const page = await open(await serve('--token-file', file), {ready: false});
  await untilText(page, '#error-text', 'requires a token');
  await assertAccessible(page);
  await screenshot(page, 'token');
  await page.fill('#token', 'open-sesame-open');
  await page.getByRole('button', {name: 'Use token'}).click();
  await shown(page);
  page.consoleErrors = page.consoleErrors.filter((consoleError) => !/401/.test(consoleError));
  await close(page);
});
