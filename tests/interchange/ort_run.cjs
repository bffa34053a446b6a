// Runs ONNX files: node ort_run.cjs JOBS, with onnxruntime-node on NODE_PATH. JOBS is a JSON file, a list of
// {model, runs: [{words, threshold}]}; prints one line of JSON per model, a list of {scores, widths, p_read}. With
// `profile` in a job, the runtime leaves the graph as it is and writes what it executed to a file whose name begins so.
const fs = require('fs');
const ort = require('onnxruntime-node');

const options = {intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 2};

function toRows(tensor) {
  const [rows, columns] = tensor.dims;
  const values = Array.from(tensor.data, Number);
  return Array.from({length: rows}, (_, row) => values.slice(row * columns, (row + 1) * columns));
}

async function main() {
  for (const job of JSON.parse(fs.readFileSync(process.argv[2]))) {
    const profiling = job.profile && {enableProfiling: true, profileFilePrefix: job.profile, graphOptimizationLevel: 'disabled'};
    const session = await ort.InferenceSession.create(job.model, {...options, ...profiling});
    const answers = [];
    for (const {words, threshold} of job.runs) {
      const feeds = {
        words: new ort.Tensor('int64', BigInt64Array.from(words, BigInt), [words.length]),
        threshold: new ort.Tensor('float32', [threshold], []),
      };
      const {scores, widths, p_read} = await session.run(feeds);
      answers.push({scores: Array.from(scores.data), widths: toRows(widths), p_read: toRows(p_read)});
    }
    console.log(JSON.stringify(answers));
    if (job.profile) session.endProfiling();
    await session.release();
  }
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
