// Models of other shapes: deeper ones, more than two levels, questions.
import assert from 'node:assert/strict';
import {ask, countRead, pageTest, part, screenshot, shareText, text, turnTo, until, untilText,
        words} from './browser.mjs';

const kText = 'The plot is thin but the ending is wonderful and the actors are terrible';
const link = (model, more = '') =>
  ({fragment: `#model=${model}&threshold=0.5${more}&text=${kText.replaceAll(' ', '+')}`});

// What the fields of the page ask.
const asked = async (page, model, threshold) => ({
  model, threshold, text: await page.inputValue('#source'), question: await page.inputValue('#question'),
});

pageTest('a deeper model shows each layer and direction', link('deep'), async (page, server) => {
  const {passes} = await ask(server, {model: 'deep', text: kText, threshold: 0.5});
  assert.deepEqual(passes.map(({reader}) => reader), ['0.forward', '0.backward', '1.forward', '1.backward']);
  const places = [['1', 'forward'], ['1', 'backward'], ['2', 'forward'], ['2', 'backward']];
  for (const [i, [layer, direction]] of places.entries()) {
    await page.getByRole('radio', {name: layer, exact: true}).check({force: true});
    await page.getByRole('radio', {name: direction}).check({force: true});
    await text(page).locator('.word').first().hover();
    await untilText(page, '[data-part="tip"]', `p_read ${shareText(passes[i].steps[0].p_read)},`);
    const looks = passes[i].steps.map(({width}) => width === 100 ? 'read' : 'skimmed');
    assert.deepEqual((await words(page)).map(({look}) => look), looks);
  }
  await until(page, () => location.hash.includes('pass=3'));
  await screenshot(page, 'layers');
});

pageTest('a link keeps the layer and direction', link('deep', '&pass=2'), async (page) => {
  assert.equal(await page.getByRole('radio', {name: '2', exact: true}).isChecked(), true);
  assert.equal(await page.getByRole('radio', {name: 'forward'}).isChecked(), true);
});

pageTest('with three levels some words are between read and skimmed', link('three'), async (page, server) => {
  const {words: wanted} = await ask(server, {model: 'three', text: kText, threshold: 0.5});
  const name = {100: 'read', 10: 'between', 5: 'skimmed'};
  assert.deepEqual((await words(page)).map(({look}) => look), wanted.map(({width}) => name[width]));
  assert.ok(wanted.some(({width}) => width === 10));
  assert.equal(await page.locator('#legend-between').isVisible(), true);
  await screenshot(page, 'three-levels');
});

pageTest('a plain model reads every word at any setting', link('plain'), async (page) => {
  const answered = page.waitForResponse((response) => response.request().postDataJSON()?.threshold === 1);
  await turnTo(page, 100);
  await (await answered).finished();
  assert.equal(await countRead(page), (await words(page)).length);
});

pageTest('changing the model keeps text and setting', link('deep', '&pass=3'), async (page) => {
  await turnTo(page, 60);
  await page.selectOption('#model', 'three');
  await until(page, () => document.querySelector('#picker').hidden);
  assert.equal(await page.inputValue('#source'), kText);
  assert.equal(await page.locator('#dial-0').inputValue(), '60');
  await until(page, () => location.hash.includes('model=three') && !location.hash.includes('pass='));
});

const kSpan = {fragment: '#model=span&threshold=0.3'};
pageTest('an answer that stands in the text is marked there', kSpan, async (page, server) => {
  const query = await asked(page, 'span', 0.3);
  const {answer} = await ask(server, query);
  assert.equal((await text(page).locator('[data-answer]').allTextContents()).join(''), answer.text);
  assert.equal(await part(page, 'answer').textContent(), answer.text);
  assert.equal(await text(page).textContent(), query.text);
  await screenshot(page, 'question');
  await page.fill('#question', 'What is it that the fishermen paid for?');
  const other = await ask(server, {...query, question: 'What is it that the fishermen paid for?'});
  await untilText(page, '[data-part="answer"]', other.answer.text);
  assert.equal((await text(page).locator('[data-answer]').allTextContents()).join(''), other.answer.text);
});

const kNoBudget = {fragment: '#model=span&budget=0.3'};
pageTest('a model that was not calibrated takes no budget and says why', kNoBudget, async (page) => {
  assert.equal(await page.locator('#budget').isDisabled(), true);
  assert.equal(await page.locator('#threshold').isChecked(), true);
  assert.match(await page.locator('#hint').textContent(), /calibrated/);
});

pageTest('choices have a score each, and the question is read, too', {}, async (page, server) => {
  await page.selectOption('#model', 'cloze');
  await until(page, () => document.querySelectorAll('.pane:not([hidden]) .scores li').length === 4);
  const choices = (await page.inputValue('#choices')).split('|').map((choice) => choice.trim());
  const reading = await ask(server, {...await asked(page, 'cloze', 0.5), choices});
  assert.deepEqual(await page.locator('.pane').first().locator('.scores .name').allTextContents(), choices);
  assert.equal(await part(page, 'answer').textContent(), reading.answer.text);
  assert.equal(await part(page, 'question').locator('.word').count(), reading.question_words.length);
  await screenshot(page, 'choices');
  await page.fill('#choices', 'one');
  await untilText(page, '#empty', 'two choices');
  await page.fill('#question', '');
  await untilText(page, '#empty', 'Ask one');
});

const kBidaf = {fragment: '#model=bidaf&threshold=0.2'};
pageTest('a pass over the question shows the question', kBidaf, async (page, server) => {
  const {passes} = await ask(server, await asked(page, 'bidaf', 0.2));
  const over = passes.findIndex((pass) => pass.over === 'question');
  await page.getByRole('radio', {name: 'question'}).check({force: true});
  await part(page, 'question').waitFor();
  assert.equal(await text(page).isVisible(), false);
  assert.equal(await part(page, 'question').locator('.word.read').count(),
               passes[over].steps.filter(({width}) => width === passes[over].hidden).length);
  await page.getByRole('radio', {name: 'output'}).check({force: true});
  await text(page).waitFor();
});
