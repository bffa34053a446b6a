// Other models: several layers, several skim sizes, dense, question answering.
import assert from 'node:assert/strict';
import {countRead, fetchReading, formatFraction, pageTest, part, screenshot, setDial, text, until, untilText,
        words} from './browser.mjs';

const kText = 'The plot is thin but the ending is wonderful and the actors are terrible';
const link = (model, more = '') =>
  ({fragment: `#model=${model}&threshold=0.5${more}&text=${kText.replaceAll(' ', '+')}`});

// The query of the page's input fields.
const pageQuery = async (page, model, threshold) => ({
  model, threshold, text: await page.inputValue('#source'), question: await page.inputValue('#question'),
});

pageTest('a deep model shows each layer and direction', link('deep'), async (page, server) => {
  const {passes} = await fetchReading(server, {model: 'deep', text: kText, threshold: 0.5});
  assert.deepEqual(passes.map(({reader}) => reader), ['0.forward', '0.backward', '1.forward', '1.backward']);
  const places = [['1', 'forward'], ['1', 'backward'], ['2', 'forward'], ['2', 'backward']];
  for (const [i, [layer, direction]] of places.entries()) {
    await page.getByRole('radio', {name: layer, exact: true}).check({force: true});
    await page.getByRole('radio', {name: direction}).check({force: true});
    await text(page).locator('.word').first().hover();
    await untilText(page, '[data-part="tip"]', `p_read ${formatFraction(passes[i].steps[0].p_read)},`);
    const decisions = passes[i].steps.map(({width}) => width === 100 ? 'read' : 'skimmed');
    assert.deepEqual((await words(page)).map(({decision}) => decision), decisions);
  }
  await until(page, () => location.hash.includes('pass=3'));
  await screenshot(page, 'layers');
});

pageTest('a link keeps the layer and direction', link('deep', '&pass=2'), async (page) => {
  assert.equal(await page.getByRole('radio', {name: '2', exact: true}).isChecked(), true);
  assert.equal(await page.getByRole('radio', {name: 'forward'}).isChecked(), true);
});

pageTest('with two skim sizes some words are between read and skimmed', link('three'), async (page, server) => {
  const {words: wanted} = await fetchReading(server, {model: 'three', text: kText, threshold: 0.5});
  const name = {100: 'read', 10: 'between', 5: 'skimmed'};
  assert.deepEqual((await words(page)).map(({decision}) => decision), wanted.map(({width}) => name[width]));
  assert.ok(wanted.some(({width}) => width === 10));
  assert.equal(await page.locator('#legend-between').isVisible(), true);
  await screenshot(page, 'three-levels');
});

pageTest('a dense model reads every word at any threshold', link('dense'), async (page) => {
  const answered = page.waitForResponse((response) => response.request().postDataJSON()?.threshold === 1);
  await setDial(page, 100);
  await (await answered).finished();
  assert.equal(await countRead(page), (await words(page)).length);
});

pageTest('changing the model keeps text and settings', link('deep', '&pass=3'), async (page) => {
  await setDial(page, 60);
  await page.selectOption('#model', 'three');
  await until(page, () => document.querySelector('#picker').hidden);
  assert.equal(await page.inputValue('#source'), kText);
  assert.equal(await page.locator('#dial-0').inputValue(), '60');
  await until(page, () => location.hash.includes('model=three') && !location.hash.includes('pass='));
});

const kSpan = {fragment: '#model=span&threshold=0.3'};
pageTest('an extractive answer is marked in the text', kSpan, async (page, server) => {
  const query = await pageQuery(page, 'span', 0.3);
  const {answer} = await fetchReading(server, query);
  assert.equal((await text(page).locator('[data-answer]').allTextContents()).join(''), answer.text);
  assert.equal(await part(page, 'answer').textContent(), answer.text);
  assert.equal(await text(page).textContent(), query.text);
  await screenshot(page, 'question');
  await page.fill('#question', 'What is it that the fishermen paid for?');
  const other = await fetchReading(server, {...query, question: 'What is it that the fishermen paid for?'});
  await untilText(page, '[data-part="answer"]', other.answer.text);
  assert.equal((await text(page).locator('[data-answer]').allTextContents()).join(''), other.answer.text);
});

const kNoBudget = {fragment: '#model=span&budget=0.3'};
pageTest('an uncalibrated model disables the budget and shows why', kNoBudget, async (page) => {
  assert.equal(await page.locator('#budget').isDisabled(), true);
  assert.equal(await page.locator('#threshold').isChecked(), true);
  assert.match(await page.locator('#hint').textContent(), /calibrated/);
});

pageTest('each choice has a score, and the question is shown', {}, async (page, server) => {
  await page.selectOption('#model', 'cloze');
  await until(page, () => document.querySelectorAll('.pane:not([hidden]) .scores li').length === 4);
  const choices = (await page.inputValue('#choices')).split('|').map((choice) => choice.trim());
  const reading = await fetchReading(server, {...await pageQuery(page, 'cloze', 0.5), choices});
  assert.deepEqual(await page.locator('.pane').first().locator('.scores .name').allTextContents(), choices);
  assert.equal(await part(page, 'answer').textContent(), reading.answer.text);
  assert.equal(await part(page, 'question').locator('.word').count(), reading.question_words.length);
  await screenshot(page, 'choices');
  await page.fill('#choices', 'one');
  await untilText(page, '#empty', 'two choices');
  await page.fill('#question', '');
  await untilText(page, '#empty', 'Enter a question');
});

const kBidaf = {fragment: '#model=bidaf&threshold=0.2'};
pageTest('a pass over the question shows the question', kBidaf, async (page, server) => {
  const {passes} = await fetchReading(server, await pageQuery(page, 'bidaf', 0.2));
  const over = passes.findIndex((pass) => pass.over === 'question');
  await page.getByRole('radio', {name: 'question'}).check({force: true});
  await part(page, 'question').waitFor();
  assert.equal(await text(page).isVisible(), false);
  assert.equal(await part(page, 'question').locator('.word.read').count(),
               passes[over].steps.filter(({width}) => width === passes[over].hidden_size).length);
  await page.getByRole('radio', {name: 'output'}).check({force: true});
  await text(page).waitFor();
});
