// For everyone: keyboard, screen readers, phones, dark rooms; and faults that are told plainly.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {accessible, close, kPhone, open, pageTest, part, paste, screenshot, serve, shown, text, turnTo, until, untilIs,
        untilText} from './browser.mjs';

// How many pixels there are beyond the right edge.
const sideways = (page) => page.evaluate(() => {
  const root = document.documentElement;
  return root.scrollWidth - root.clientWidth;
});
const settled = (page) => untilText(page, '[data-part="plain"]', 'plain:');

pageTest('axe finds nothing in light colours', {}, async (page) => {
  await settled(page);
  await page.locator('.pane').first().locator('summary').click();
  await accessible(page);
});

pageTest('axe finds nothing in dark colours, and the page is dark', {colorScheme: 'dark'}, async (page) => {
  await settled(page);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(Math.max(...ground) < 60, `${ground}`);
  await accessible(page);
  await screenshot(page, 'dark');
});

const kSights = {
  'three-levels': '#model=three', 'side-by-side': '#threshold=0.5&against=0.05', layers: '#model=deep',
  choices: '#model=cloze', question: '#model=span&threshold=0.3',
};
for (const [name, fragment] of Object.entries(kSights)) {
  pageTest(`axe finds nothing with ${name}, in the dark`, {fragment, colorScheme: 'dark'}, async (page) => {
    await text(page).locator('.word').first().hover();
    await accessible(page);
    await screenshot(page, `${name}-dark`);
  });
}

pageTest('a phone shows all without scrolling sideways', kPhone, async (page) => {
  await settled(page);
  assert.equal(await sideways(page), 0);
  await accessible(page);
  await screenshot(page, 'phone');
  await page.fill('#source', `Donau${'dampfschifffahrt'.repeat(20)} and https://example.org/${'a'.repeat(300)}`);
  await untilText(page, '[data-part="text"]', 'Donau');
  assert.equal(await sideways(page), 0);
  await page.check('#compare');
  await page.locator('.pane').nth(1).waitFor();
  assert.equal(await sideways(page), 0);
  await accessible(page);
});

pageTest('on a phone the dial stays in sight above the words', {...kPhone, colorScheme: 'dark'}, async (page) => {
  await text(page).locator('.word').nth(100).evaluate((word) => word.scrollIntoView({block: 'center'}));
  const dial = await page.locator('#dial-0').boundingBox();
  assert.ok(dial.y >= 0 && dial.y < 200, `${dial.y}`);
  await screenshot(page, 'phone-dark', false);
});

for (const model of ['deep', 'bidaf', 'cloze']) {
  pageTest(`a phone has room for what ${model} needs`, {...kPhone, fragment: `#model=${model}`}, async (page) => {
    assert.equal(await sideways(page), 0);
    await screenshot(page, `phone-${model}`);
  });
}

pageTest('everything can be done with the keyboard', {}, async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
  const tabTo = async (wanted) => {
    for (let i = 0; i < 30 && !(await focused()).startsWith(wanted); ++i) await page.keyboard.press('Tab');
    assert.ok((await focused()).startsWith(wanted), `no way to ${wanted}`);
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
  assert.match(await part(page, 'said').textContent(), /^p_read [\d.]+, read in full$/);
  assert.equal(await part(page, 'tip').isVisible(), true);
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '.');
  await page.keyboard.press('Escape');
  assert.equal(await part(page, 'tip').isVisible(), false);
});

pageTest('up and down go from one read word to the next', {}, async (page) => {
  const read = await text(page).locator('.word.read').allTextContents();
  await text(page).locator('.word').first().focus();
  const met = [];
  for (let i = 0; i < 3; ++i) {
    await page.keyboard.press('ArrowDown');
    met.push(await page.evaluate(() => document.activeElement.textContent));
  }
  assert.deepEqual(met, read.slice(0, 3));
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), read[1]);
});

pageTest('the skip link leads to the reading and leaves the address alone', {}, async (page) => {
  const before = page.url();
  await page.focus('#skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'reading');
  assert.equal(page.url(), before);
});

pageTest('screen readers hear the figures once the dial rests', {}, async (page) => {
  await turnTo(page, 100);
  await untilText(page, '#summary', 'words read, 100.0\u202f% skimmed');
  assert.equal(await page.locator('#summary').getAttribute('role'), 'status');
  assert.match(await page.locator('#dial-0').getAttribute('aria-valuetext'), /^1\.00: words are read when/);
  assert.equal(await text(page).locator('[role="mark"]').count(), 0);
});

pageTest('nothing moves for those who asked for that', {reducedMotion: 'reduce'}, async (page) => {
  const word = text(page).locator('.word').first();
  assert.equal(await word.evaluate((node) => getComputedStyle(node).transitionDuration), '0s');
});

pageTest('colours of the system still tell read from skimmed', {forcedColors: 'active'}, async (page) => {
  const ground = (look) => text(page).locator(`.word.${look}`).first()
      .evaluate((word) => getComputedStyle(word).backgroundColor);
  assert.notEqual(await ground('read'), await ground('skimmed'));
});

test('a server that went away is named, and found again when it is back', async () => {
  const server = await serve();
  const page = await open(server);
  const before = await text(page).textContent();
  await server.stop();
  await turnTo(page, 20);
  await untilText(page, '#fault-text', 'cannot be reached');
  assert.equal(await page.locator('#fault').getAttribute('role'), 'alert');
  assert.equal(await text(page).textContent(), before);
  await accessible(page);
  await screenshot(page, 'unreachable');
  const again = await serve('--port', server.port);
  assert.equal(again.port, server.port);
  await page.getByRole('button', {name: 'Try again'}).click();
  await page.locator('#fault').waitFor({state: 'hidden'});
  page.complaints = page.complaints.filter((complaint) => !/ERR_CONNECTION/.test(complaint));
  await close(page);
});

test('a text that is too long for the server is refused plainly', async () => {
  const server = await serve();
  const page = await open(server);
  await paste(page, 'word '.repeat(230000));
  await untilText(page, '#fault-text', 'too long');
  assert.equal(await page.locator('#again').isVisible(), false);
  await page.fill('#source', 'Short again.');
  await page.locator('#fault').waitFor({state: 'hidden'});
  page.complaints = page.complaints.filter((complaint) => !/413|ERR_CONNECTION/.test(complaint));
  await close(page);
});

const busyTwice = {before: async (page) => {
  page.left = 0;
  await page.route('**/v1/read', async (route) => {
    if (page.left-- <= 0) return route.continue();
    return route.fulfill({status: 503, headers: {'Retry-After': '1'}, json: {error: {message: 'the queue is full'}}});
  });
}};

pageTest('a busy server is asked again after a while', busyTwice, async (page) => {
  await settled(page);
  page.left = 1;
  await turnTo(page, 20);
  await untilText(page, '#fault-text', 'The server is busy. It says: the queue is full. Trying again in 1 second.');
  await screenshot(page, 'busy');
  await page.locator('#fault').waitFor({state: 'hidden'});
  assert.equal(page.complaints.length, 1);
  page.complaints = [];
});

test('a server that asks for a token is given one', async () => {
  const file = path.join(process.env.SKIM_SCREENSHOTS, '..', 'token');
  writeFileSync(file, 'open-sesame-open\n');
  const page = await open(await serve('--token-file', file), {ready: false});
  await untilText(page, '#fault-text', 'asks for a token');
  await accessible(page);
  await screenshot(page, 'token');
  await page.fill('#token', 'open-sesame-open');
  await page.getByRole('button', {name: 'Use it'}).click();
  await shown(page);
  page.complaints = page.complaints.filter((complaint) => !/401/.test(complaint));
  await close(page);
});
