// ONNX Runtime from JavaScript: node ort_worker.cjs MODEL PROBLEM D WORDS, with onnxruntime-node on NODE_PATH.
const fs = require('fs');
const readline = require('readline');
const ort = require('onnxruntime-node');

async function main() {
  const [model, problem] = process.argv.slice(2, 4);
  const [d, words] = process.argv.slice(4, 6).map(Number);
  const bytes = fs.readFileSync(problem);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const x = new ort.Tensor('float32', all.slice(all.length - words * d), [words, 1, d]);
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 1, interOpNumThreads: 1});
  const version = require('onnxruntime-node/package.json').version;
  console.log(`ready ${version}`);

  for await (const line of readline.createInterface({input: process.stdin})) {
    const [verb, count] = line.split(' ');
    if (verb === 'run') {
      const begin = process.hrtime.bigint();
      for (let i = 0; i < Number(count); ++i) await session.run({X: x});
      console.log(Number(process.hrtime.bigint() - begin) / 1e9);
    } else {
      const {Y} = await session.run({X: x});
      console.log(Array.from(Y.data.slice((words - 1) * d)).join(' '));
    }
  }
}

main();
