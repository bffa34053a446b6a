// Damaged files: each must give an error that names the file, none may crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "base/json.h"
#include "file/edit_header.h"
#include "file/sample_model.h"

namespace skim {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

Bytes sample_bytes(WeightType weight_type = WeightType::f32) {
  ModelSpec spec = sample_spec();
  spec.weight_type = weight_type;
  return *to_bytes(sample_draft(spec));
}

std::string open_error(Bytes bytes) {
  const auto file = open_model_bytes(std::move(bytes), "m.skim");
  return file ? "(no error)" : file.error().message;
}

// The error of the sample after `change(header)`. The checksum is made valid again, so that the
// change itself must be detected.
template <class Change>
std::string error_with(Change change) {
  return open_error(with_changed_header(sample_bytes(), change));
}

// The same for the JSON inside a metadata entry.
template <class Change>
std::string error_with_metadata(const char* key, Change change) {
  return error_with([&](Json& header) { change_metadata(header, key, change); });
}

TEST(DamagedFile, TruncatedAtEveryLength) {
  const Bytes bytes = sample_bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string error =
        open_error({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    EXPECT_THAT(error, HasSubstr("m.skim: ")) << length;
  }
  EXPECT_EQ(open_error(bytes), "(no error)");
}

TEST(DamagedFile, TrailingBytes) {
  Bytes bytes = sample_bytes();
  bytes.push_back({});
  EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: 1 bytes follow the last tensor"));
}

TEST(DamagedFile, AnyFlippedBitOfTheHeader) {
  Bytes bytes = sample_bytes();
  for (std::size_t at = 0; at < header_size(sample_bytes()); ++at) {
    const std::byte original = bytes[at];
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[at] = original ^ static_cast<std::byte>(1U << bit);
      EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: ")) << at << " bit " << bit;
    }
    for (const char other : {'\0', ' ', '0', '"', 'A'}) {
      bytes[at] = static_cast<std::byte>(other);
      if (bytes[at] == original) continue;
      EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: ")) << at << other;
    }
    bytes[at] = original;
  }
}

TEST(DamagedFile, EveryByteOfTheDataChangesItsChecksum) {
  for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    Bytes bytes = sample_bytes(weights);
    const std::size_t head = header_size(bytes);
    const auto stored = open_model_bytes(bytes, "m.skim")->data_checksum;
    for (std::size_t at = head; at < bytes.size(); ++at) {
      bytes[at] ^= std::byte{0x10};
      EXPECT_NE(compute_checksum(std::span(bytes).subspan(head)), stored) << at;
      bytes[at] ^= std::byte{0x10};
    }
  }
}

TEST(DamagedFile, NanOrInfinityInAnyTensor) {
  for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    const Bytes valid = sample_bytes(weights);
    const auto file = open_model_bytes(valid, "m.skim");
    ASSERT_TRUE(file);
    for (const TensorView& tensor : file->tensors) {
      Bytes bytes = valid;
      const std::size_t size = tensor.bytes.size() / tensor.count();
      const std::size_t index = tensor.count() - 1;
      const auto offset =
          header_size(valid) + static_cast<std::size_t>(tensor.bytes.data() - file->data.data());
      // The high bytes of an infinity; -128 for int8.
      const std::array<std::uint8_t, 4> f32 = {0, 0, 0x80, 0xFF};
      const std::uint8_t* value = f32.data() + (4 - size);
      if (size == 1) value = f32.data() + 2;
      std::memcpy(bytes.data() + offset + index * size, value, size);
      EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: tensor '" + tensor.name + "' holds "));
      EXPECT_THAT(open_error(bytes), HasSubstr("at index " + std::to_string(index)));
    }
  }
}

TEST(DamagedFile, ScalesOutOfRange) {
  for (const float scale : {-1.0F, 1e37F}) {
    Bytes bytes = sample_bytes(WeightType::int8);
    const auto file = open_model_bytes(bytes, "m.skim");
    const auto* at = file->find("embedding.weight.scale")->bytes.data();
    std::memcpy(bytes.data() + header_size(bytes) + (at - file->data.data()), &scale, sizeof scale);
    EXPECT_THAT(open_error(bytes), HasSubstr("tensor 'embedding.weight.scale' holds"));
  }
}

TEST(DamagedFile, InvalidHeaderLengths) {
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63U, UINT64_MAX, UINT64_MAX - 7}) {
    Bytes bytes = sample_bytes();
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: ")) << length;
  }
}

TEST(DamagedFile, MalformedHeaders) {
  const std::string checksum = R"({"__metadata__":{"checksum":"0000000000000000"}})";
  EXPECT_THAT(open_error(with_header("not json", {})), HasSubstr("not a model"));
  EXPECT_THAT(open_error(with_header("{}", {})), HasSubstr("holds no checksum"));
  EXPECT_THAT(open_error(with_header(checksum, {})), HasSubstr("not a skim model"));
  EXPECT_THAT(open_error(with_header(checksum + "x", {})), HasSubstr("m.skim: header: not valid"));
  EXPECT_THAT(open_error(with_header("{" + checksum, {})), HasSubstr("m.skim: header: not valid"));
  EXPECT_THAT(open_error(with_header(std::string("{\"checksum\":\"000"), {})), HasSubstr("m.skim"));
  EXPECT_THAT(error_with([](Json& h) { h["__metadata__"]["extra"] = 3; }),
              HasSubstr("__metadata__.extra must be a string"));
  EXPECT_EQ(error_with([](Json& h) { h["__metadata__"]["extra"] = "3"; }), "(no error)");
}

TEST(DamagedFile, MissingOrMalformedTensorFields) {
  for (const char* field : {"dtype", "shape", "data_offsets"}) {
    EXPECT_THAT(
        error_with([&](Json& h) { h["embedding.weight"].erase(field); }),
        HasSubstr("m.skim: tensor 'embedding.weight'." + std::string(field) + " is missing"));
    for (const char* malformed : {"null", "-1", "\"x\"", "[1]", "[-1,2]", "[1,2,3]", "{}",
                                  "[0.5,1]", "[18446744073709551615,18446744073709551615]"}) {
      EXPECT_THAT(
          error_with([&](Json& h) { h["embedding.weight"][field] = *parse_json(malformed, ""); }),
          HasSubstr("m.skim: tensor 'embedding.weight'"))
          << field << malformed;
    }
  }
  EXPECT_THAT(error_with([](Json& h) { h["embedding.weight"] = 3; }),
              HasSubstr("tensor 'embedding.weight'"));
}

TEST(DamagedFile, ShapesAndOffsetsBeyondTheFile) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const auto with = [](Json shape, Json offsets) {
    return error_with([&](Json& h) {
      h["embedding.weight"]["shape"] = shape;
      h["embedding.weight"]["data_offsets"] = offsets;
    });
  };
  EXPECT_THAT(with({kHuge, kHuge}, {0, 140}), HasSubstr("shape is too large"));
  EXPECT_THAT(with({kHuge}, {0, 140}), HasSubstr("shape is too large"));
  EXPECT_THAT(with({std::int64_t{1} << 32, std::int64_t{1} << 30}, {0, 140}),
              HasSubstr("shape is too large"));
  EXPECT_THAT(with({1 << 20, 1 << 20}, {0, std::int64_t{1} << 42}), HasSubstr("there are only"));
  EXPECT_THAT(with({7, 5}, {140, 0}), HasSubstr("a start and a later end"));
  EXPECT_THAT(with({7, 5}, {4, 144}), HasSubstr("starts at byte 4"));
  EXPECT_THAT(with({7, 4}, {0, 140}), HasSubstr("needs 112 bytes"));
  EXPECT_THAT(with({5, 7}, {0, 140}),
              HasSubstr("tensor 'embedding.weight' has shape [5, 7], expected [7, 5]"));
  EXPECT_THAT(with({0}, {0, 0}), HasSubstr("starts at byte 140"));
}

TEST(DamagedFile, TensorsMissingUnexpectedOrOfAnotherType) {
  EXPECT_THAT(error_with([](Json& h) {
                h["spare"] = h["embedding.weight"];
                h.erase("embedding.weight");
              }),
              HasSubstr("tensor 'embedding.weight' is missing"));
  EXPECT_THAT(error_with([](Json& h) {
                h["spare"] = {{"dtype", "U8"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
              }),
              HasSubstr("tensor 'spare' is not part of the model"));
  EXPECT_THAT(error_with([](Json& h) { h["embedding.weight"]["dtype"] = "U32"; }),
              HasSubstr("tensor 'embedding.weight' has type U32, expected F32"));
  EXPECT_THAT(error_with([](Json& h) { h["vocab.ends"]["dtype"] = "F32"; }),
              HasSubstr("tensor 'vocab.ends' must be one-dimensional of type U32"));
}

TEST(DamagedFile, TemperatureOutsideItsRange) {
  const auto error_with_temperature = [](const Json& temperature) {
    return error_with_metadata(
        "calibration", [&](Json& calibration) { calibration["temperature"] = temperature; });
  };
  EXPECT_THAT(error_with_temperature(0), HasSubstr("temperature is 0.000000, expected 0.05 to 20"));
  EXPECT_THAT(error_with_temperature("hot"), HasSubstr("m.skim: calibration.temperature"));
  EXPECT_EQ(error_with_temperature(1.5), "(no error)");
}

TEST(DamagedFile, TemperatureOfANetThatHasNone) {
  ModelSpec spec = sample_spec();
  spec.net = NetKind::cloze;
  spec.labels.clear();
  ModelDraft draft = sample_draft(spec);
  EXPECT_THAT(open_error(with_changed_header(*to_bytes(draft),
                                             [](Json& header) {
                                               change_metadata(header, "calibration", [](Json& c) {
                                                 c["temperature"] = 2;
                                               });
                                             })),
              HasSubstr("only the scores of a classifier"));
  draft.calibration.temperature = 2;
  const auto bytes = to_bytes(draft);
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("only the scores of a classifier"));
}

TEST(DamagedFile, MetadataMissingOrMalformed) {
  for (const char* key : {"format", "format_version", "spec", "calibration", "probes", "about",
                          "data_checksum", "checksum"}) {
    EXPECT_THAT(error_with([&](Json& h) { h["__metadata__"].erase(key); }), HasSubstr("m.skim: "))
        << key;
    if (std::string_view(key) == "about") continue;
    EXPECT_THAT(error_with([&](Json& h) { h["__metadata__"][key] = "{"; }), HasSubstr("m.skim: "))
        << key;
  }
  EXPECT_THAT(error_with_metadata("spec", [](Json& spec) { spec["vocab_size"] = 8; }),
              HasSubstr("'vocab.ends' has 7 words, expected 8"));
  EXPECT_THAT(error_with_metadata("spec", [](Json& spec) { spec["weight_type"] = "int8"; }),
              HasSubstr("'embedding.weight' has type F32, expected I8"));
  EXPECT_THAT(error_with_metadata("spec", [](Json& spec) { spec["reader"]["cell"] = "x"; }),
              HasSubstr("m.skim: spec.reader.cell is 'x'"));
  EXPECT_THAT(error_with_metadata("probes", [](Json& probes) { probes.push_back(Json::object()); }),
              HasSubstr("m.skim: probes[0].query is missing"));
}

TEST(DamagedFile, FileOfANewerVersionIsRejected) {
  const Bytes bytes = with_changed_header(
      sample_bytes(), [](Json& h) { h["__metadata__"]["format_version"] = "3"; });
  const auto file = open_model_bytes(bytes, "m.skim");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().fault, Fault::version);
  EXPECT_THAT(file.error().message, HasSubstr("m.skim: made by a newer skim"));
}

TEST(DamagedFile, InconsistentVocabulary) {
  const Bytes valid = sample_bytes();
  // "<unk>" "word1" ... "word6": seven words of five bytes, their ends before them.
  const std::size_t text = valid.size() - 35;
  const std::size_t ends = text - 7 * 4;
  const auto error_with_end = [&](std::size_t word, std::uint32_t end) {
    Bytes bytes = valid;
    std::memcpy(bytes.data() + ends + word * 4, &end, sizeof end);
    return open_error(bytes);
  };
  EXPECT_EQ(error_with_end(0, 5), "(no error)");
  EXPECT_EQ(error_with_end(0, 0), "(no error)");
  EXPECT_THAT(error_with_end(2, 9), HasSubstr("m.skim: word 2 ends before it starts"));
  EXPECT_THAT(error_with_end(2, 10), HasSubstr("m.skim: word 2 is empty"));
  EXPECT_THAT(error_with_end(6, 36), HasSubstr("word 6 ends before it starts or after"));
  EXPECT_THAT(error_with_end(6, UINT32_MAX), HasSubstr("word 6"));
  EXPECT_THAT(error_with_end(6, 34), HasSubstr("has bytes after the last word"));
  Bytes bytes = valid;
  bytes[text + 7] = std::byte{0xFF};
  EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: 'vocab.text' is not valid UTF-8"));
  bytes[text + 4] = std::byte{0xC3};  // a character that spans the first two words
  bytes[text + 5] = std::byte{0xA4};
  bytes[text + 7] = std::byte{'o'};
  EXPECT_THAT(open_error(bytes), HasSubstr("m.skim: word 0 splits a UTF-8 character"));
}

}  // namespace
}  // namespace skim
