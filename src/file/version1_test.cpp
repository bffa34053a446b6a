// Files of format version 1 load like the files of version 2 that they correspond to.
#include "file/version1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "file/edit_header.h"
#include "file/sample_model.h"
#include "file/sample_version1.h"

namespace skim {
namespace {

using ::testing::HasSubstr;

ModelSpec classifier_spec(ReaderKind kind, Cell cell) {
  ModelSpec spec = sample_spec();
  spec.reader.kind = kind;
  spec.reader.cell = cell;
  if (kind != ReaderKind::skim) spec.reader.skim_sizes = {};
  spec.reader.jump = {.tokens_per_jump = 3, .max_jump = 4, .max_jumps = 2};
  if (kind != ReaderKind::lstm_jump) spec.reader.jump = {};
  return spec;
}

ModelSpec question_spec(NetKind net) {
  ModelSpec spec = sample_spec();
  spec.net = net;
  spec.labels = {};
  spec.num_layers = 2;
  spec.bidirectional = true;
  if (net == NetKind::bidaf) {
    spec.char_cnn = {.embedding_size = 3, .num_filters = 4, .kernel_size = 5};
  }
  spec.reader.input_size = spec.input_size();
  return spec;
}

// One spec for each part of the format that has another name in version 1.
std::vector<ModelSpec> all_specs() {
  std::vector<ModelSpec> specs;
  for (const ReaderKind kind : {ReaderKind::dense, ReaderKind::skim, ReaderKind::lstm_jump,
                                ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
      specs.push_back(classifier_spec(kind, cell));
    }
  }
  for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
    specs.push_back(classifier_spec(ReaderKind::skim, Cell::lstm));
    specs.back().reader.decision = decision;
    specs.back().reader.skim_sizes = {4, 2, 0};
    specs.back().reader.small_input = SmallInput::full;
    specs.back().pooling = Pooling::attention;
  }
  for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
    specs.push_back(classifier_spec(ReaderKind::skim, Cell::gru));
    specs.back().weight_type = type;
    specs.back().num_layers = 2;
    specs.back().bidirectional = true;
  }
  specs.push_back(classifier_spec(ReaderKind::lstm_jump, Cell::lstm));
  specs.back().reader.jump.sentence_end_ids = {2, 5};
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    specs.push_back(question_spec(net));
  }
  return specs;
}

void expect_equal(const ModelFile& one, const ModelFile& other) {
  EXPECT_EQ(one.spec, other.spec);
  EXPECT_EQ(one.calibration, other.calibration);
  EXPECT_EQ(one.about, other.about);
  EXPECT_EQ(one.vocabulary, other.vocabulary);
  EXPECT_EQ(one.data_checksum, other.data_checksum);
  ASSERT_EQ(one.tensors.size(), other.tensors.size());
  for (std::size_t i = 0; i < one.tensors.size(); ++i) {
    EXPECT_EQ(one.tensors[i].name, other.tensors[i].name);
    EXPECT_EQ(one.tensors[i].type, other.tensors[i].type);
    EXPECT_EQ(one.tensors[i].shape, other.tensors[i].shape);
    EXPECT_TRUE(std::ranges::equal(one.tensors[i].bytes, other.tensors[i].bytes));
  }
  ASSERT_EQ(one.probes.size(), other.probes.size());
  for (std::size_t i = 0; i < one.probes.size(); ++i) {
    const Probe& left = one.probes[i];
    const Probe& right = other.probes[i];
    EXPECT_EQ(left.query.text, right.query.text);
    EXPECT_EQ(left.query.question, right.query.question);
    EXPECT_EQ(left.query.choices, right.query.choices);
    EXPECT_EQ(left.policy, right.policy);
    EXPECT_EQ(left.index, right.index);
    EXPECT_EQ(left.begin, right.begin);
    EXPECT_EQ(left.end, right.end);
    EXPECT_EQ(left.scores, right.scores);
    ASSERT_EQ(left.trace.size(), right.trace.size());
    EXPECT_EQ(left.trace[0].reader, right.trace[0].reader);
    EXPECT_EQ(left.trace[0].hidden_size, right.trace[0].hidden_size);
    EXPECT_EQ(left.trace[0].steps, right.trace[0].steps);
  }
}

TEST(Version1, EveryKindOfModelLoadsAsItsVersion2) {
  for (const ModelSpec& spec : all_specs()) {
    const auto bytes = to_bytes(sample_draft_with_probe(spec));
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto file = open_model_bytes(*bytes, "new.skim");
    ASSERT_TRUE(file) << file.error().message;
    const auto old = open_model_bytes(to_version1(*bytes, spec.net), "old.skim");
    ASSERT_TRUE(old) << old.error().message;
    expect_equal(*old, *file);
    EXPECT_EQ(*to_bytes(to_draft(*old)), *bytes) << "writing it again gives version 2";
  }
}

TEST(Version1, OldFileHasNoNameOfVersion2) {
  for (const ModelSpec& spec : all_specs()) {
    const auto bytes = to_version1(*to_bytes(sample_draft_with_probe(spec)), spec.net);
    const std::string header(reinterpret_cast<const char*>(bytes.data()), header_size(bytes));
    for (const char* name :
         {".weight", ".bias", "attention.", "scheduler", "char_cnn", "_size", "num_layers",
          "weight_type", "dense", "sentence_end", "small_input", "max_jump"}) {
      EXPECT_EQ(header.find(name), std::string::npos) << name;
    }
  }
}

TEST(Version1, NamesOfVersion2AreNotPartOfIt) {
  const auto bytes = *to_bytes(sample_draft(sample_spec()));
  const auto mixed = [&](auto change) {
    const auto file = open_model_bytes(
        with_changed_header(to_version1(bytes, NetKind::classifier), change), "old.skim");
    return file ? "(no error)" : file.error().message;
  };
  EXPECT_EQ(mixed([](Json&) {}), "(no error)");
  EXPECT_THAT(mixed([](Json& header) { rename_key(header, "words", "embedding.weight"); }),
              HasSubstr("old.skim: tensor 'embedding.weight' is not part of the model"));
  EXPECT_THAT(mixed([](Json& header) {
                change_metadata(header, "spec",
                                [](Json& spec) { rename_key(spec, "vocabulary", "vocab_size"); });
              }),
              HasSubstr("old.skim: spec.vocab_size is missing"));
  EXPECT_THAT(mixed([](Json& header) { header["__metadata__"]["spec"] = "{"; }),
              HasSubstr("old.skim: spec: not valid JSON"));
  for (const char* malformed : {"[]", "3", R"({"reader":3})", R"({"reader":{"jump":[]}})"}) {
    EXPECT_THAT(mixed([&](Json& header) { header["__metadata__"]["spec"] = malformed; }),
                HasSubstr("old.skim: spec"));
  }
}

}  // namespace
}  // namespace skim
