// Shared by the browser tests: servers, a browser, and pages that must not log console errors.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';

// The number format of the page.
export const {formatFraction} = await import(pathToFileURL(`${process.env.SKIM_WEB}/numbers.js`));

const require = createRequire(`${process.env.SKIM_NODE_MODULES}/`);
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const models = process.env.SKIM_SERVED.split('\n');

// Milliseconds. Generous: the machine may be busy.
export const kTimeout = 20000;

export const browser = await chromium.launch({
  executablePath: process.env.SKIM_CHROMIUM,
  // Chromium's sandbox does not support root.
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});
const servers = [];
after(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.stop()));
});

// Starts `skim serve` and waits until it prints its address.
export async function serve(...options) {
  const modelOptions = models.flatMap((model) => ['--model', model]);
  const child = spawn(process.env.SKIM, ['serve', '--port', '0', '--access-log', 'none', ...modelOptions, ...options],
                      {stdio: ['ignore', 'ignore', 'pipe']});
  const exited = new Promise((resolve) => { child.on('exit', resolve); });
  let output = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      output += data;
      const found = /listening on (http:\/\/\S+?)\/?\s/.exec(output);
      if (found) resolve(`${found[1]}/`);
    });
    exited.then(() => reject(new Error(`skim serve exited: ${output}`)));
  });
  const server = {url, port: new URL(url).port, stop: () => { child.kill('SIGTERM'); return exited; }};
  servers.push(server);
  return server;
}

const sharedServer = serve();

// The reading of the server itself, to compare with the page.
export async function fetchReading(server, query) {
  const response = await fetch(`${server.url}v1/read`, {
    method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({words: true, passes: true, ...query}),
  });
  assert.equal(response.status, 200);
  return response.json();
}

export const kDesktop = {viewport: {width: 1280, height: 860}};
export const kPhone = {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, hasTouch: true, isMobile: true};

// Opens a page in a new browser context; collects console errors and warnings in `consoleErrors`.
export async function open(server, {fragment = '', ready = true, before, ...contextOptions} = {}) {
  const context = await browser.newContext({...kDesktop, ...contextOptions});
  context.setDefaultTimeout(kTimeout);
  const page = await context.newPage();
  page.consoleErrors = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') page.consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => page.consoleErrors.push(String(error)));
  if (before) await before(page);
  await page.goto(server.url + fragment);
  if (ready) await shown(page);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.consoleErrors, []);
  await page.context().close();
}

// A test with a page on the shared server.
export function pageTest(name, options, body) {
  test(name, async () => {
    const server = await sharedServer;
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

// Waits until a condition of the test is true.
export async function eventually(condition) {
  for (const end = Date.now() + kTimeout; !condition();) {
    assert.ok(Date.now() < end, 'timed out');
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

// Waits until a function in the page returns true.
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, {timeout: kTimeout});
}

export function untilText(page, selector, wanted) {
  return until(page, ([at, what]) => document.querySelector(at)?.textContent.includes(what), [selector, wanted]);
}

export function untilIs(page, selector, wanted) {
  return until(page, ([at, what]) => document.querySelector(at)?.textContent === what, [selector, wanted]);
}

// The words of a pane with their decisions.
export function words(page, pane = 0) {
  return text(page, pane).locator('.word').evaluateAll((nodes) => nodes.map((node) => ({
    text: node.textContent, decision: ['read', 'between', 'skimmed'].find((decision) => node.classList.contains(decision)),
  })));
}

export async function countRead(page, pane = 0) {
  return text(page, pane).locator('.word.read').count();
}

// Sets the dial to one of its 100 positions at once, as dragging does.
export async function setDial(page, position, dial = 0) {
  const slider = page.locator(`#dial-${dial}`);
  await slider.evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event('input', {bubbles: true}));
  }, position);
}

// Enters a long text at once; typing it would take minutes.
export async function paste(page, source) {
  await page.locator('#source').evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event('input', {bubbles: true}));
  }, source);
}

export async function screenshot(page, name, fullPage = true) {
  await page.screenshot({path: path.join(process.env.SKIM_SCREENSHOTS, `${name}.png`), fullPage});
}

// Checks that axe-core finds no accessibility violations.
export async function assertAccessible(page) {
  // The content security policy blocks script elements; evaluate() bypasses it.
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  const messages = violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  assert.deepEqual(messages, []);
}
