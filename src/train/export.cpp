#include "train/export.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/best_span.h"
#include "spec/params.h"
#include "spec/temperature.h"
#include "text/normalize.h"
#include "text/tokenizer.h"
#include "text/vocab.h"
#include "train/replay.h"

namespace skim::train {
namespace {

// Whether texts contain `word` in this form: in lower case; for english and whitespace ASCII alone.
bool is_probe_word(const std::string& word, TokenizerKind tokenizer) {
  if (tokenizer == TokenizerKind::unicode) return normalize(word, tokenizer) == word;
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Lower-case words that the tokenizer gives back unchanged.
std::vector<std::size_t> round_trip_words(const Vocabulary& vocabulary, TokenizerKind tokenizer) {
  std::vector<std::size_t> found;
  std::vector<TokenSpan> words;
  for (std::size_t i = 1; i < vocabulary.words.size() && found.size() < 500; ++i) {
    tokenize(vocabulary.words[i], tokenizer, words);
    const bool whole =
        words.size() == 1 && words[0].begin == 0 && words[0].end == vocabulary.words[i].size();
    if (whole && is_probe_word(vocabulary.words[i], tokenizer)) found.push_back(i);
  }
  return found;
}

// With subwords, every fourth word has a letter added, so that most of these are unknown.
std::string probe_text(const Vocabulary& vocabulary, const std::vector<std::size_t>& words,
                       std::size_t length, const CounterRng& rng) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    if (i > 0) text += ' ';
    if (vocabulary.subwords != nullptr && i % 4 == 3) text += 'q';
    text += words.empty() ? "word"
                          : vocabulary.words[words[((rng.bits(i) >> 32) * words.size()) >> 32]];
  }
  return text;
}

float p_read(const ReadOutput& reading, std::int64_t row) {
  return reading.log_p.defined() ? std::exp(reading.log_p[row][0].item<float>()) : 1.0F;
}

std::uint16_t updated_width(const ModelSpec& spec, const ReadOutput& reading, std::int64_t row) {
  if (!reading.taken.defined()) return static_cast<std::uint16_t>(spec.reader.hidden_size);
  if (reading.widths.defined())
    return static_cast<std::uint16_t>(reading.widths[row].item<float>());
  if (spec.reader.kind != ReaderKind::skim)
    return static_cast<std::uint16_t>(
        reading.taken[row][0].item<float>() > 0 ? spec.reader.hidden_size : 0);
  const auto level = static_cast<int>(reading.taken[row].argmax().item<std::int64_t>());
  return static_cast<std::uint16_t>(spec.reader.width(level));
}

Trace make_trace(const ModelSpec& spec, const NetOutput& out, const Batch& batch) {
  Trace trace;
  const std::vector<PassSpec> passes = model_passes(spec);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const ReadOutput& reading = out.readings[i];
    const std::int64_t count =
        passes[i].over_question ? batch.questions->steps.count() : batch.steps.count();
    Pass pass;
    pass.reader = passes[i].name;
    for (std::int64_t t = 0; t < count; ++t) {
      // A backward reader's steps are stored in the order of the text.
      const std::int64_t row = passes[i].backward ? count - 1 - t : t;
      pass.steps.push_back({updated_width(spec, reading, row), p_read(reading, row)});
    }
    trace.push_back(std::move(pass));
  }
  return trace;
}

// An example with an arbitrary label or answer, which the net does not see.
Example make_example(const ModelSpec& spec, const Query& query) {
  Example example{query, "", 1};
  if (!spec.labels.empty()) example.label = spec.labels[0];
  if (spec.net == NetKind::cloze) example.label = query.choices[0];
  if (spec.is_extractive()) {
    std::vector<TokenSpan> words;
    tokenize(query.text, spec.tokenizer, words);
    if (!words.empty())
      example.answers.push_back(
          {query.text.substr(words[0].begin, words[0].end - words[0].begin), words[0].begin});
  }
  return example;
}

torch::Tensor activate(const torch::Tensor& logits, OutputActivation activation) {
  switch (activation) {
    case OutputActivation::softmax:
      break;
    case OutputActivation::sigmoid:
      return torch::sigmoid(logits);
    case OutputActivation::linear:
      return logits;
  }
  return torch::softmax(logits, 1);
}

// The scores of a text, from its logits.
std::vector<float> probabilities(const torch::Tensor& scores,
                                 OutputActivation activation = OutputActivation::softmax) {
  const torch::Tensor likely = activate(scores, activation)[0].contiguous();
  return {likely.data_ptr<float>(), likely.data_ptr<float>() + likely.numel()};
}

// Sets the trainer's answer and trace; false when the text is empty.
bool fill_expected_answer(const ModelSpec& spec, const Vocabulary& vocabulary,
                          const Weights& weights, const Snapshot& snapshot, Probe& probe) {
  const Dataset data{"probe", {make_example(spec, probe.query)}};
  const Result<Items> made =
      encode_items(data, vocabulary, spec, std::numeric_limits<std::size_t>::max());
  if (!made || made->items.empty()) return false;
  const Batch batch = make_batch(made->items, {0});
  const NetOutput out = forward_hard(spec, weights, snapshot, vocabulary.subwords.get(), batch,
                                     static_cast<double>(probe.policy.threshold));
  probe.scores = probabilities(out.logits, spec.output);
  probe.trace = make_trace(spec, out, batch);
  if (spec.output == OutputActivation::linear) return true;
  if (!spec.is_extractive()) {
    const auto best = std::max_element(probe.scores.begin(), probe.scores.end());
    probe.index = static_cast<int>(best - probe.scores.begin());
    return true;
  }
  const std::vector<float> last = probabilities(out.end_logits);
  const BestSpan best = best_span(probe.scores, last);
  probe.scores.insert(probe.scores.end(), last.begin(), last.end());
  std::vector<TokenSpan> words;
  tokenize(probe.query.text, spec.tokenizer, words);
  probe.begin = words[best.first].begin;
  probe.end = words[best.last].end;
  return true;
}

// The tensors of a model file as a snapshot. Tensors that files do not have, such as the baseline
// of an lstm-jump reader, are zero.
Snapshot snapshot_from_file(const ModelFile& file, const Weights& weights) {
  Snapshot snapshot;
  snapshot.folded = true;
  for (const std::string& name : weights.names())
    snapshot.weights[name].resize(static_cast<std::size_t>(weights.at(name).numel()));
  for (const TensorSpec& tensor : model_tensors(file.spec)) {
    if (tensor.name == "embedding.weight")
      snapshot.embeddings = to_floats(file, tensor.name);
    else if (tensor.name == "subword.weight")
      snapshot.subwords = to_floats(file, tensor.name);
    else
      snapshot.weights[tensor.name] = to_floats(file, tensor.name);
  }
  return snapshot;
}

const std::vector<float>& tensor_values(const Snapshot& snapshot, const std::string& name) {
  if (name == "embedding.weight") return snapshot.embeddings;
  return name == "subword.weight" ? snapshot.subwords : snapshot.weights.at(name);
}

}  // namespace

Result<std::vector<Probe>> replay(const ModelFile& file, const std::vector<Query>& queries,
                                  Policy policy) {
  if (file.spec.weight_type != WeightType::f32)
    return fail(
        Fault::argument,
        file.name +
            ": its weights are quantized, expected f32; compare the model before quantization");
  Weights weights(file.spec, {});
  const Snapshot snapshot = snapshot_from_file(file, weights);
  load_snapshot(snapshot, weights);
  Vocabulary vocabulary;
  vocabulary.words.assign(file.vocabulary.begin(), file.vocabulary.end());
  if (file.spec.subwords.enabled())
    vocabulary.subwords =
        std::make_shared<SubwordIndex>(file.spec.subwords, vocabulary.words, file.spec.tokenizer);
  std::vector<Probe> probes;
  for (const Query& query : queries) {
    Probe probe;
    probe.query = query;
    probe.policy = policy;
    if (!fill_expected_answer(file.spec, vocabulary, weights, snapshot, probe))
      return fail(Fault::argument, "an empty text with a question cannot be compared");
    sharpen_scores(probe.scores, 1 / file.calibration.temperature);
    probes.push_back(std::move(probe));
  }
  return probes;
}

std::vector<Probe> make_probes(const ModelSpec& spec, const Vocabulary& vocabulary,
                               const Snapshot& snapshot, std::uint64_t seed) {
  Weights weights(spec, {});
  load_snapshot(snapshot, weights);
  const std::vector<std::size_t> words = round_trip_words(vocabulary, spec.tokenizer);
  const CounterRng rng = CounterRng(seed).at(0x960BE);
  std::vector<Probe> probes;
  for (const std::size_t length : {1U, 5U, 20U, 60U, 200U}) {
    for (const float threshold : {0.5F, 0.2F}) {
      const CounterRng probe_rng = rng.at(probes.size());
      const auto text = [&](std::size_t count, std::uint64_t which) {
        return probe_text(vocabulary, words, count, which == 0 ? probe_rng : probe_rng.at(which));
      };
      Probe probe;
      probe.query.text = text(length, 0);
      if (spec.net != NetKind::classifier) probe.query.question = text(1 + length / 10, 1);
      for (std::uint64_t i = 0; spec.net == NetKind::cloze && i < 4; ++i)
        probe.query.choices.push_back(text(1 + i % 2, 2 + i));
      probe.policy.threshold = threshold;
      fill_expected_answer(spec, vocabulary, weights, snapshot, probe);
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

ModelDraft make_draft(const ModelSpec& spec, const Vocabulary& vocabulary, const Snapshot& trained,
                      const std::string& about, std::uint64_t seed) {
  const Snapshot snapshot = fold_subwords(trained, vocabulary);
  ModelDraft draft;
  draft.spec = spec;
  draft.about = about;
  draft.vocabulary = vocabulary.words;
  for (const TensorSpec& tensor : model_tensors(spec)) {
    draft.tensors.push_back({tensor.name, tensor_values(snapshot, tensor.name)});
  }
  draft.probes = make_probes(spec, vocabulary, snapshot, seed);
  return draft;
}

}  // namespace skim::train
