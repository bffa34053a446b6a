// What the browser tests share: servers, a browser, pages that must stay without a complaint.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';

// As the page writes shares.
export const {shareText} = await import(pathToFileURL(`${process.env.SKIM_WEB}/numbers.js`));

const require = createRequire(`${process.env.SKIM_NODE_MODULES}/`);
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const models = process.env.SKIM_SERVED.split('\n');

// Generous: the machine may be busy.
export const kPatience = 20000;

export const browser = await chromium.launch({
  executablePath: process.env.SKIM_CHROMIUM,
  // Root has no sandbox.
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});
const servers = [];
after(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.stop()));
});

// Starts `skim serve` and waits until it says where it listens.
export async function serve(...options) {
  const named = models.flatMap((model) => ['--model', model]);
  const child = spawn(process.env.SKIM, ['serve', '--port', '0', '--access-log', 'none', ...named, ...options],
                      {stdio: ['ignore', 'ignore', 'pipe']});
  const gone = new Promise((resolve) => { child.on('exit', resolve); });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += data;
      const found = /listening on (http:\/\/\S+?)\/?\s/.exec(said);
      if (found) resolve(`${found[1]}/`);
    });
    gone.then(() => reject(new Error(`skim serve ended: ${said}`)));
  });
  const server = {url, port: new URL(url).port, stop: () => { child.kill('SIGTERM'); return gone; }};
  servers.push(server);
  return server;
}

const shared = serve();

// What the server itself says, to hold the page against.
export async function ask(server, query) {
  const response = await fetch(`${server.url}v1/read`, {
    method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({words: true, passes: true, ...query}),
  });
  assert.equal(response.status, 200);
  return response.json();
}

export const kDesktop = {viewport: {width: 1280, height: 860}};
export const kPhone = {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, hasTouch: true, isMobile: true};

// A page in a browser of its own; what it complains about is collected in `complaints`.
export async function open(server, {fragment = '', ready = true, before, ...look} = {}) {
  const context = await browser.newContext({...kDesktop, ...look});
  context.setDefaultTimeout(kPatience);
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  if (before) await before(page);
  await page.goto(server.url + fragment);
  if (ready) await shown(page);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

// A test with a page on the server that they share.
export function pageTest(name, options, body) {
  test(name, async () => {
    const server = await shared;
    const page = await open(server, options);
    await body(page, server);
    await close(page);
  });
}

export const text = (page, pane = 0) => page.locator('.pane').nth(pane).locator('[data-part="text"]');
export const part = (page, name, pane = 0) => page.locator('.pane').nth(pane).locator(`[data-part="${name}"]`);

export async function shown(page) {
  await text(page).locator('.word').first().waitFor();
}

// Waits until something of the test itself is true.
export async function eventually(condition) {
  for (const end = Date.now() + kPatience; !condition();) {
    assert.ok(Date.now() < end, 'waited in vain');
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

// Waits until a function of the page is true.
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, {timeout: kPatience});
}

export function untilText(page, selector, wanted) {
  return until(page, ([at, what]) => document.querySelector(at)?.textContent.includes(what), [selector, wanted]);
}

export function untilIs(page, selector, wanted) {
  return until(page, ([at, what]) => document.querySelector(at)?.textContent === what, [selector, wanted]);
}

// The words of a pane as the page shows them.
export function words(page, pane = 0) {
  return text(page, pane).locator('.word').evaluateAll((nodes) => nodes.map((node) => ({
    text: node.textContent, look: ['read', 'between', 'skimmed'].find((look) => node.classList.contains(look)),
  })));
}

export async function countRead(page, pane = 0) {
  return text(page, pane).locator('.word.read').count();
}

// Moves the dial to one of its 100 steps at once, as a hand on the mouse does.
export async function turnTo(page, position, dial = 0) {
  const slider = page.locator(`#dial-${dial}`);
  await slider.evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event('input', {bubbles: true}));
  }, position);
}

// Puts a long text in at once; typing it key by key would take minutes.
export async function paste(page, source) {
  await page.locator('#source').evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event('input', {bubbles: true}));
  }, source);
}

export async function screenshot(page, name, fullPage = true) {
  await page.screenshot({path: path.join(process.env.SKIM_SCREENSHOTS, `${name}.png`), fullPage});
}

// What keeps people out, by axe-core: must be nothing.
export async function accessible(page) {
  // The page's own rules forbid foreign scripts; the test's way around them is the debugger.
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  const faults = violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  assert.deepEqual(faults, []);
}
