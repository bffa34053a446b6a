#include "file/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "file/sample_model.h"

namespace skim {
namespace {

using ::testing::HasSubstr;

ModelDraft complete_draft(WeightType weight_type) {
  ModelSpec spec = sample_spec();
  spec.weight_type = weight_type;
  ModelDraft draft = sample_draft(spec);
  draft.about = "trained on \"nothing\"\nin two lines, größer";
  draft.vocabulary[3] = "größer";
  draft.calibration = {.data = "dev.tsv", .points = {{0, 1.01}, {0.5, 0.3}}};
  draft.probes = {{.query = {"a \"good\" film\n", "", {}},
                   .policy = {.threshold = 0.3F, .rule = Policy::Rule::sample, .seed = 1U << 31U},
                   .index = 1,
                   .scores = {0.1F, 0.9F},
                   .trace = {{.reader = "0.forward",
                              .hidden_size = 6,
                              .steps = {{6, 0.7F}, {2, 0.1F / 3}, {0, 0}}}}},
                  {.query = {"", "", {}}, .policy = {}, .scores = {0.5F, 0.5F}, .trace = {}}};
  return draft;
}

Result<ModelFile> round_trip(const ModelDraft& draft) {
  SKIM_ASSIGN_OR_RETURN(auto bytes, to_bytes(draft));
  return open_model_bytes(std::move(bytes), "m.skim");
}

std::string store_error(const ModelDraft& draft) {
  const auto bytes = to_bytes(draft);
  return bytes ? "(no error)" : bytes.error().message;
}

class ModelFileTest : public ::testing::TestWithParam<WeightType> {};
INSTANTIATE_TEST_SUITE_P(AllWeights, ModelFileTest,
                         ::testing::Values(WeightType::f32, WeightType::bf16, WeightType::int8));

TEST_P(ModelFileTest, RoundTripKeepsEverything) {
  const ModelDraft draft = complete_draft(GetParam());
  const auto file = round_trip(draft);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->name, "m.skim");
  EXPECT_EQ(file->spec, draft.spec);
  EXPECT_EQ(file->about, draft.about);
  EXPECT_EQ(file->calibration, draft.calibration);
  EXPECT_EQ(std::vector<std::string>(file->vocabulary.begin(), file->vocabulary.end()),
            draft.vocabulary);
  ASSERT_EQ(file->probes.size(), 2U);
  const Probe& probe = file->probes[0];
  EXPECT_EQ(probe.query.text, draft.probes[0].query.text);
  EXPECT_EQ(probe.policy, draft.probes[0].policy);
  EXPECT_EQ(probe.index, 1);
  EXPECT_EQ(probe.scores, draft.probes[0].scores);
  ASSERT_EQ(probe.trace.size(), 1U);
  EXPECT_EQ(probe.trace[0].reader, "0.forward");
  EXPECT_EQ(probe.trace[0].hidden_size, 6);
  EXPECT_EQ(probe.trace[0].steps, draft.probes[0].trace[0].steps);
}

TEST_P(ModelFileTest, WritingALoadedFileGivesTheSameBytes) {
  const auto bytes = to_bytes(complete_draft(GetParam()));
  ASSERT_TRUE(bytes);
  const auto file = open_model_bytes(*bytes, "m");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*to_bytes(to_draft(*file)), *bytes);
}

TEST_P(ModelFileTest, WeightsAreRoundedToTheirType) {
  const ModelDraft draft = complete_draft(GetParam());
  const auto file = round_trip(draft);
  ASSERT_TRUE(file);
  // Weights are within 0.5: half a step of 0.5/127 for int8, 2^-9 of the value for bf16.
  const float tolerance = GetParam() == WeightType::f32    ? 0
                          : GetParam() == WeightType::bf16 ? 0.5F / 512
                                                           : 0.5001F * 0.5F / 127;
  for (const TensorSpec& spec : model_tensors(draft.spec)) {
    const auto given = std::find_if(draft.tensors.begin(), draft.tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == spec.name; });
    const auto back = to_floats(*file, spec.name);
    ASSERT_EQ(back.size(), given->values.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_NEAR(back[i], given->values[i], spec.quantized ? tolerance : 0) << spec.name;
    }
  }
}

TEST_P(ModelFileTest, RowsEqualTheWholeTensor) {
  const auto file = round_trip(complete_draft(GetParam()));
  ASSERT_TRUE(file);
  const TensorView* embedding = file->find("embedding.weight");
  const auto whole = to_floats(*file, "embedding.weight");
  std::vector<float> row(5);
  for (std::size_t id = 0; id < 7; ++id) {
    row_to_floats(*embedding, file->find("embedding.weight.scale"), id, row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), whole.data() + id * 5));
  }
}

TEST_P(ModelFileTest, StoredChecksumMatchesTheData) {
  const auto file = round_trip(complete_draft(GetParam()));
  ASSERT_TRUE(file);
  EXPECT_EQ(compute_checksum(file->data), file->data_checksum);
}

// Checks the requirements of safetensors without using our own reader.
TEST_P(ModelFileTest, IsAValidSafetensorsFileWithAlignedTensors) {
  const auto bytes = to_bytes(complete_draft(GetParam()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes->data(), sizeof length);
  EXPECT_EQ((8 + length) % 64, 0U);
  const std::string header(reinterpret_cast<const char*>(bytes->data()) + 8, length);
  EXPECT_EQ(header[0], '{');
  const auto json = parse_json(header, "header");
  ASSERT_TRUE(json);
  std::size_t end = 0;
  for (const auto& [name, tensor] : json->items()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : tensor.items()) EXPECT_TRUE(value.is_string()) << key;
      continue;
    }
    const std::string type = tensor["dtype"];
    const std::size_t size = type == "BF16" ? 2 : type == "I8" || type == "U8" ? 1 : 4;
    std::size_t wanted = size;
    for (const std::size_t extent : tensor["shape"]) wanted *= extent;
    EXPECT_EQ(tensor["data_offsets"][0], end) << name;
    EXPECT_EQ(end % size, 0U) << name;
    end = tensor["data_offsets"][1];
    EXPECT_EQ(end - tensor["data_offsets"][0].get<std::size_t>(), wanted) << name;
  }
  EXPECT_EQ(8 + length + end, bytes->size());
}

TEST(ModelFile, EveryKindOfReaderCanBeStored) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
      for (const std::vector<int>& small : {std::vector{2}, {0}, {4, 2, 0}, {}}) {
        if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
        ModelSpec spec = sample_spec();
        spec.reader.kind = small.empty() ? ReaderKind::dense : ReaderKind::skim;
        spec.reader.cell = cell;
        spec.reader.decision = decision;
        spec.reader.skim_sizes = small;
        spec.reader.small_input = SmallInput::full;
        spec.num_layers = 2;
        spec.bidirectional = true;
        spec.pooling = Pooling::attention;
        spec.weight_type = WeightType::int8;
        const auto file = round_trip(sample_draft(spec));
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ(file->spec, spec);
      }
    }
  }
}

std::filesystem::path temporary_path() {
  return std::filesystem::temp_directory_path() /
         ("skim-model-test-" + std::to_string(::getpid()) + ".skim");
}

// In earlier versions the file was mapped: the values changed with it, and truncating it killed the
// process with SIGBUS.
TEST(ModelFile, OverwritingAnOpenFileInPlaceChangesNothing) {
  const auto path = temporary_path();
  const ModelDraft draft = complete_draft(WeightType::f32);
  ASSERT_TRUE(write_model_file(draft, path));
  const auto file = open_model_file(path);
  ASSERT_TRUE(file) << file.error().message;
  std::fstream(path, std::ios::in | std::ios::out)
      << std::string(std::filesystem::file_size(path), 'x');
  EXPECT_TRUE(check_data_checksum(*file));
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(*to_bytes(to_draft(*file)), *to_bytes(draft));
  std::filesystem::remove(path);
}

TEST(ModelFile, AMappedFileEqualsACopy) {
  const auto path = temporary_path();
  ASSERT_TRUE(write_model_file(complete_draft(WeightType::int8), path));
  const auto copied = open_model_file(path);
  const auto mapped = open_model_file(path, FileAccess::map);
  std::filesystem::remove(path);
  ASSERT_TRUE(copied && mapped);
  EXPECT_EQ(*to_bytes(to_draft(*copied)), *to_bytes(to_draft(*mapped)));
  EXPECT_EQ(copied->checksum, mapped->checksum);
}

TEST(ModelFile, TheChecksumDiffersWhenMetadataOrWeightsDiffer) {
  const auto checksum = [](const ModelDraft& draft) { return round_trip(draft)->checksum; };
  const ModelDraft draft = complete_draft(WeightType::f32);
  EXPECT_EQ(checksum(draft).size(), 16U);
  EXPECT_EQ(checksum(draft), checksum(draft));
  ModelDraft other = draft;
  other.about += ".";
  EXPECT_NE(checksum(other), checksum(draft));
  other = draft;
  other.tensors[0].values[0] += 1;
  EXPECT_NE(checksum(other), checksum(draft));
}

TEST(ModelFile, OpensFromDiskAndOutlivesItsReplacement) {
  const auto path = temporary_path();
  const ModelDraft draft = complete_draft(WeightType::f32);
  ASSERT_TRUE(write_model_file(draft, path));
  const auto file = open_model_file(path);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(write_model_file(sample_draft(sample_spec(), 2), path));
  std::filesystem::remove(path);
  EXPECT_EQ(file->name, path.string());
  EXPECT_EQ(compute_checksum(file->data), file->data_checksum);
  EXPECT_EQ(*to_bytes(to_draft(*file)), *to_bytes(draft));
}

TEST(ModelFile, MissingFileIsNamed) {
  const auto file = open_model_file("/no/such/model.skim");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().fault, Fault::io);
  EXPECT_THAT(file.error().message, HasSubstr("/no/such/model.skim"));
}

TEST(ModelDraft, RejectsWhatTheLoaderWouldReject) {
  const auto error_with = [](auto change) {
    ModelDraft draft = complete_draft(WeightType::f32);
    change(draft);
    return store_error(draft);
  };
  using Draft = ModelDraft;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_with([](Draft&) {}), "(no error)");
  EXPECT_THAT(error_with([](Draft& d) { d.spec.num_layers = 0; }), HasSubstr("num_layers is 0"));
  EXPECT_THAT(error_with([](Draft& d) { d.vocabulary.pop_back(); }), HasSubstr("has 6 words"));
  EXPECT_THAT(error_with([](Draft& d) { d.vocabulary[2] = ""; }), HasSubstr("word 2 is empty"));
  EXPECT_THAT(error_with([](Draft& d) { d.vocabulary[2] = "\xff"; }), HasSubstr("word 2 is not"));
  EXPECT_THAT(error_with([](Draft& d) { d.about = "\xff"; }), HasSubstr("'about'"));
  EXPECT_THAT(error_with([](Draft& d) { d.spec.labels[0] = "\xff"; }), HasSubstr("label"));
  EXPECT_THAT(error_with([](Draft& d) { d.probes[0].query.text = "\xff"; }), HasSubstr("probe"));
  EXPECT_THAT(error_with([](Draft& d) { d.probes[1].scores[0] = kNan; }),
              HasSubstr("probes[1].scores[0]"));
  EXPECT_THAT(error_with([](Draft& d) { d.probes[0].index = 2; }), HasSubstr("probes[0].index"));
  EXPECT_THAT(error_with([](Draft& d) { d.calibration.points[1].threshold = 0; }),
              HasSubstr("calibration"));
  EXPECT_THAT(error_with([](Draft& d) { d.tensors[0].values[3] = kNan; }),
              HasSubstr("'embedding.weight' holds NaN or infinity at index 3"));
  EXPECT_THAT(error_with([](Draft& d) { d.tensors[0].values.pop_back(); }),
              HasSubstr("'embedding.weight' has 34 values, expected 35"));
  EXPECT_THAT(error_with([](Draft& d) { d.tensors.pop_back(); }),
              HasSubstr("'head.bias' is missing"));
  EXPECT_THAT(error_with([](Draft& d) {
                d.tensors.push_back({"spare", {}});
              }),
              HasSubstr("'spare' is not in the spec"));
  EXPECT_THAT(error_with([](Draft& d) { d.tensors.push_back(d.tensors[0]); }),
              HasSubstr("'embedding.weight' is duplicated"));
}

}  // namespace
}  // namespace skim
