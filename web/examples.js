// Example texts, written for this page.
import {takesChoices, takesQuestion} from './reading.js';

const kTexts = [
  {
    title: 'A warm film',
    text: `I went in expecting very little and came out smiling. The story is as simple as they come: a retired ferryman teaches a girl from the city to row, and over one summer both of them learn to talk again. Nothing explodes, nobody runs for a train. What there is instead is a wonderful patience with faces, a dry sense of humour, and a last half hour so gentle and so honest that the whole row behind me was in tears. The music is lovely. The two leads are perfect together. It is the best thing I have seen in this cinema all year, and I would happily see it again tomorrow.`,
  },
  {
    title: 'A dull sequel',
    text: `The first one was a small miracle. This one is a contract. For two hours and twenty minutes the same four people stand in the same corridor and explain the plot to each other, and when they have finished, a voice from the ceiling explains it once more. The jokes are tired, the chase through the harbour is a mess of cuts, and the villain, played by somebody who has been brilliant elsewhere, is given nothing to do but sneer. I looked at my watch after thirty minutes and it was painful to see how much was left. A waste of a good cast and of a perfectly good evening.`,
  },
  {
    title: 'Mixed feelings',
    text: `Is it a good film? I honestly cannot say. The camera work is stunning; there is a scene in a flooded library that I will remember for a long time. The script, on the other hand, is thin and at times simply silly, and the dialogue sounds as if it had been translated twice. But then the ending arrives, and it is not at all what I had feared: quiet, clever and rather moving. So: an awkward first hour, a beautiful last one, and a lead actor who deserves much better. Not a masterpiece, but not a failure either.`,
  },
  {
    title: 'From the news',
    text: `The port authority said on Tuesday that the old swing bridge will reopen in the spring, eleven months after a barge struck its eastern pier. Engineers replaced two of the four bearings and a motor that dated from 1931. The repair cost 6.4 million, of which the shipping company's insurer has paid about half. Traders in the lower town, who lost most of their passing custom while the bridge was shut, welcomed the news but asked for the summer parking fees to be dropped. A spokeswoman said the council would vote on the request next week.`,
  },
  {
    title: 'One line',
    text: `Not bad at all – I laughed, I cried, and I forgot my popcorn. 🍿`,
  },
];

// `gap` is the cloze question: the model replaces XXXXX by one of the choices.
const kQuestions = [
  {
    title: 'The lighthouse',
    text: `The lighthouse on Brannock Point was built in 1874 by Ada Mercer, who had never seen the sea before she was thirty. It stood dark for nine years after the storm of 1921, until the fishermen of the bay paid for a new lamp themselves. Today it is looked after by a choir, which rehearses in the engine room because of the echo.`,
    question: 'Who paid for the new lamp?',
    gap: 'The XXXXX paid for the lamp.',
    choices: 'Mercer | fishermen | choir | sea',
  },
  {
    title: 'The bakery',
    text: `Tobin opened the bakery before dawn, as he always did. Lena brought the flour and Marek the wood. By six the first loaves were out, and the whole street smelled of rye. When the mayor came by, she asked for two loaves and a song. Lena laughed and sang, and Tobin would take no money.`,
    question: 'Who sang for the mayor?',
    gap: 'XXXXX laughed and sang for the mayor.',
    choices: 'Tobin | Lena | Marek | mayor',
  },
];

export function examplesFor(model) {
  if (!takesQuestion(model)) return kTexts;
  return takesChoices(model) ? kQuestions.map((example) => ({...example, question: example.gap})) : kQuestions;
}

export function isExample(text) {
  return [...kTexts, ...kQuestions].some((example) => example.text === text);
}
