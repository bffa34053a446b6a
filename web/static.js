// The entry of the page that `skim read --html` writes: shows one reading without a server. src/cli/html_page.cpp puts this
// module and those that it imports into the page, so they keep to a simple form: all top-level names differ, `import {x}
// from './y.js';` and `export` start a line, and nothing is renamed.
import {element, setText} from './dom.js';
import {modelFacts, showLegend} from './model_view.js';
import {formatFraction} from './numbers.js';
import {createPane} from './pane.js';
import {PassPicker} from './pass_picker.js';
import {minWidth, toModel} from './reading.js';

function describePolicy({rule, seed}, {threshold}) {
  if (rule === 'argmax') return 'Most likely level of each word';
  if (rule === 'sample') return `Decisions sampled with seed ${seed}`;
  return `Threshold ${formatFraction(threshold)}`;
}

function showHeader({version, query, reading}, model) {
  document.title = `skim: ${reading.answer.text}`;
  setText(element('model-facts'), [model.name, ...modelFacts(model), `skim ${version}`].join(' · '));
  if (!query.question) return;
  setText(element('reading-title'), query.question);
  element('reading-title').classList.remove('visually-hidden');
}

function showPage(data) {
  const {policy, query, reading} = data;
  const model = toModel(data.model);
  const pane = createPane(0, () => {});
  const picker = new PassPicker(element('picker'), showPass);
  function showPass(index) {
    pane.showPass(index);
    picker.show(reading.passes, index);
  }
  showHeader(data, model);
  showLegend(model);
  setText(element('pane-0-title'), describePolicy(policy, reading));
  pane.element.hidden = false;
  element('toolbar').hidden = false;
  pane.show(reading, query, minWidth(model));
  showPass(0);
}

showPage(JSON.parse(element('data').textContent));
