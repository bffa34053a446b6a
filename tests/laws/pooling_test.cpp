// Compares the classifier with a reference that pools dense rows in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "readers/reader.h"
#include "runtime/model_impl.h"
#include "skim/session.h"
#include "spec/params.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using Row = std::vector<float>;

Row embedding_row(const Model& model, std::uint32_t word) {
  Row row(static_cast<std::size_t>(model.spec().embedding_size));
  model_impl(model).resources->embeddings.lookup(word, row.data());
  return row;
}

// The hidden states of one reader over rows; final_state gets the last one.
std::vector<Row> read(const Model& model, int layer, bool backward, const std::vector<Row>& in,
                      Row& final_state) {
  const ReaderSpec spec = model.spec().layer_reader(layer);
  const std::vector<TensorSpec> names = reader_tensors(spec);
  std::vector<std::vector<float>> values;
  Tensors tensors;
  for (const TensorSpec& tensor : names) {
    values.push_back(
        to_floats(model_impl(model).resources->file, reader_prefix(layer, backward) + tensor.name));
    tensors.push_back({tensor.name, values.back()});
  }
  const auto reader = make_reader(spec, tensors, model.spec().weight_type);
  const auto input = static_cast<std::size_t>(spec.input_size);
  const auto hidden = static_cast<std::size_t>(spec.hidden_size);
  std::vector<float> flat;
  for (const Row& row : in) flat.insert(flat.end(), row.begin(), row.end());
  flat.resize(flat.size() + 64);
  std::vector<float> out(in.size() * hidden);
  std::vector<Step> steps(in.size());
  State state;
  reader->start(state);
  Scratch scratch;
  Input rows;
  rows.rows = {flat.data(), in.size(), input, input};
  rows.backward = backward;
  Output output;
  output.rows = {out.data(), in.size(), hidden, hidden};
  reader->read(rows, {}, state, output, steps, scratch);
  final_state.assign(state.hidden.data(), state.hidden.data() + hidden);
  std::vector<Row> list;
  for (std::size_t t = 0; t < in.size(); ++t) {
    const float* row = out.data() + t * hidden;
    list.emplace_back(row, row + hidden);
  }
  return list;
}

std::vector<double> attention_weights(const std::vector<Row>& rows, const std::vector<float>& w) {
  std::vector<double> weights;
  double sum = 0;
  for (const Row& row : rows) {
    double score = 0;
    for (std::size_t i = 0; i < row.size(); ++i) score += static_cast<double>(w[i]) * row[i];
    weights.push_back(std::exp(score));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> pool(const Model& model, const std::vector<Row>& rows, const Row& last) {
  const Pooling pooling = model.spec().pooling;
  if (pooling == Pooling::last) return {last.begin(), last.end()};
  std::vector<double> out(last.size(), pooling == Pooling::max ? -2.0 : 0.0);
  std::vector<double> weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
  if (pooling == Pooling::attention) {
    weights =
        attention_weights(rows, to_floats(model_impl(model).resources->file, "pooling.weight"));
  }
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double value = rows[t][i];
      out[i] = pooling == Pooling::max ? std::max(out[i], value) : out[i] + weights[t] * value;
    }
  }
  return out;
}

std::vector<double> label_scores(const Model& model, const std::vector<double>& row) {
  const std::vector<float> w = to_floats(model_impl(model).resources->file, "head.weight");
  const std::vector<float> b = to_floats(model_impl(model).resources->file, "head.bias");
  std::vector<double> scores;
  double sum = 0;
  for (std::size_t label = 0; label < b.size(); ++label) {
    double logit = b[label];
    for (std::size_t i = 0; i < row.size(); ++i) logit += w[label * row.size() + i] * row[i];
    scores.push_back(std::exp(logit));
    sum += scores.back();
  }
  for (double& score : scores) score /= sum;
  return scores;
}

std::vector<double> reference_scores(const Model& model, const std::vector<std::uint32_t>& words) {
  std::vector<Row> rows;
  for (const std::uint32_t word : words) rows.push_back(embedding_row(model, word));
  Row last;
  for (int layer = 0; layer < model.spec().num_layers; ++layer) {
    Row end;
    std::vector<Row> out = read(model, layer, false, rows, last);
    if (model.spec().bidirectional) {
      const std::vector<Row> other = read(model, layer, true, rows, end);
      for (std::size_t t = 0; t < out.size(); ++t) {
        out[t].insert(out[t].end(), other[t].begin(), other[t].end());
      }
      last.insert(last.end(), end.begin(), end.end());
    }
    rows = std::move(out);
  }
  return label_scores(model, pool(model, rows, last));
}

TEST(PoolingLaws, ClassifierEqualsTheDenseReference) {
  for (const ModelSpec& spec : sampled_model_specs(1)) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 21));
    std::vector<TokenSpan> words;
    std::vector<WordId> ids;
    const std::string text = random_text(spec, 33, 21);
    encode(text, spec.tokenizer, model_impl(model).resources->vocab, words, ids);
    Session session(model);
    const Result<Reading> reading = session.read({text, {}, {}});
    ASSERT_TRUE(reading.has_value());
    const std::vector<double> expected = reference_scores(model, ids);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Folded tables and dense rows are summed in another order: f32 rounding over 33 steps.
      ASSERT_NEAR(expected[i], reading->scores[i], 1e-5);
    }
  }
}

}  // namespace
}  // namespace skim
