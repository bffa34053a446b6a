// Files of format version 1 load like the files of version 2 that they correspond to.
#include "file/version1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "file/edit_header.h"
#include "file/sample_model.h"

namespace skim {
namespace {

using ::testing::HasSubstr;

// The names of version 1 by those of version 2, written down independently of the translation.
using Pattern = std::pair<const char*, const char*>;
constexpr Pattern kOldTensorNames[] = {
    {R"(embedding\.weight(\.scale)?)", "words$1"},
    {R"((.*ward\.(?:big|small\.\d)\.)weight_ih(\.scale)?)", "$1w$2"},
    {R"((.*ward\.(?:big|small\.\d)\.)weight_hh(\.scale)?)", "$1u$2"},
    {R"((.*ward\.(?:big|small\.\d)\.)bias)", "$1b"},
    {R"((.*ward\.(?:big|small\.\d)\.)bias_hn)", "$1bn"},
    {R"((.*ward\.decision\.)weight_ih)", "$1w"},
    {R"((.*ward\.decision\.)weight_hh)", "$1u"},
    {R"((.*ward\.decision\.)weight_ch)", "$1c"},
    {R"((.*ward\.decision\.)bias)", "$1b"},
    {R"((.*ward\.(?:jump|update)\.)weight)", "$1w"},
    {R"((.*ward\.(?:jump|update)\.)bias)", "$1b"},
    {R"((.*ward\.)scheduler\.weight_ih)", "$1extent.w"},
    {R"((.*ward\.)scheduler\.weight_hh)", "$1extent.u"},
    {R"((.*ward\.)scheduler\.bias)", "$1extent.b"},
    {R"(pooling\.weight)", "pool.w"},
    {R"((head|choice)\.weight)", "$1.w"},
    {R"((head|choice)\.bias)", "$1.b"},
    {R"((highway\.[01](?:\.gate)?)\.weight)", "$1.w"},
    {R"((highway\.[01](?:\.gate)?)\.bias)", "$1.b"},
    {R"(char_cnn\.embedding)", "letters.vectors"},
    {R"(char_cnn\.weight)", "letters.w"},
    {R"(char_cnn\.bias)", "letters.b"},
    {R"(start\.weight)", "first.w"},
    {R"(end\.weight)", "last.w"},
};
const std::map<std::string, std::string> kOldSpanTensors = {{"attention.query", "question.w"},
                                                            {"attention.product", "question.both"}};
const std::map<std::string, std::string> kOldBidafTensors = {
    {"attention.context", "meeting.text"},
    {"attention.query", "meeting.question"},
    {"attention.product", "meeting.both"}};
const std::map<std::string, std::string> kOldKinds = {{"dense", "full"},
                                                      {"skim", "skim"},
                                                      {"lstm-jump", "jump"},
                                                      {"skip-rnn", "skip"},
                                                      {"vcrnn", "vary"}};

std::string old_tensor_name(const std::string& name, NetKind net) {
  const auto& attention = net == NetKind::span ? kOldSpanTensors : kOldBidafTensors;
  if (const auto found = attention.find(name); found != attention.end()) return found->second;
  for (const auto& [pattern, replacement] : kOldTensorNames) {
    const std::regex expression(pattern);
    if (std::regex_match(name, expression))
      return std::regex_replace(name, expression, replacement);
  }
  return name;
}

void rename_key(Json& object, const char* name, const char* old_name) {
  if (!object.contains(name)) return;
  Json value = object[name];
  object.erase(name);
  object[old_name] = std::move(value);
}

void to_old_spec(Json& spec) {
  rename_key(spec, "vocab_size", "vocabulary");
  rename_key(spec, "embedding_size", "word_width");
  rename_key(spec, "num_layers", "layers");
  rename_key(spec, "weight_type", "weights");
  if (spec.contains("char_cnn")) {
    rename_key(spec["char_cnn"], "embedding_size", "width");
    rename_key(spec["char_cnn"], "num_filters", "filters");
    rename_key(spec["char_cnn"], "kernel_size", "window");
    rename_key(spec, "char_cnn", "letters");
  }
  Json& reader = spec["reader"];
  reader["kind"] = kOldKinds.at(reader["kind"].get<std::string>());
  reader["small_input"] = reader["small_input"] == "full" ? "all" : "head";
  rename_key(reader, "small_input", "small_sees");
  rename_key(reader, "input_size", "input");
  rename_key(reader, "hidden_size", "hidden");
  rename_key(reader, "skim_sizes", "small");
  if (!reader.contains("jump")) return;
  rename_key(reader["jump"], "tokens_per_jump", "run");
  rename_key(reader["jump"], "max_jump", "reach");
  rename_key(reader["jump"], "max_jumps", "most");
  rename_key(reader["jump"], "sentence_end_ids", "ends");
}

void to_old_probes(Json& probes) {
  for (Json& probe : probes) {
    rename_key(probe["policy"], "threshold", "read_above");
    for (Json& pass : probe["trace"]) rename_key(pass, "hidden_size", "hidden");
  }
}

// The same model as a file of version 1.
std::vector<std::byte> to_version1(const std::vector<std::byte>& bytes, NetKind net) {
  return with_changed_header(bytes, [net](Json& header) {
    Json old = Json::object();
    for (const auto& [name, tensor] : header.items()) old[old_tensor_name(name, net)] = tensor;
    old["__metadata__"]["format_version"] = "1";
    change_metadata(old, "spec", to_old_spec);
    change_metadata(old, "probes", to_old_probes);
    header = std::move(old);
  });
}

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

ModelDraft draft_with_probe(const ModelSpec& spec) {
  ModelDraft draft = sample_draft(spec);
  draft.calibration = {.data = "dev.tsv", .points = {{0, 1.01}, {0.5, 0.3}}};
  Probe probe;
  probe.query = {"word1 word2", "", {}};
  probe.policy = {.threshold = 0.3F, .rule = Policy::Rule::sample, .seed = 7};
  if (spec.net == NetKind::classifier) {
    probe.index = 1;
    probe.scores = {0.1F, 0.9F};
  } else if (spec.net == NetKind::cloze) {
    probe.query.question = "word3";
    probe.query.choices = {"word4", "word5"};
    probe.index = 0;
    probe.scores = {0.7F, 0.3F};
  } else {
    probe.query.question = "word3";
    probe.end = 5;
    probe.scores = {0.6F, 0.4F, 0.8F, 0.2F};
  }
  probe.trace = {{.reader = "0.forward", .hidden_size = 6, .steps = {{6, 0.7F}, {2, 0.1F / 3}}}};
  draft.probes = {probe};
  return draft;
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
    const auto bytes = to_bytes(draft_with_probe(spec));
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
    const auto bytes = to_version1(*to_bytes(draft_with_probe(spec)), spec.net);
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
