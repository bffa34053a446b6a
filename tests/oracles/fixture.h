// The models, queries and expected results that tools/make_oracle_fixtures.py writes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result_macros.h"
#include "file/model_file.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/trace.h"
#include "spec/spec_json.h"

namespace skim::oracle {

// The fixture files of models, one per family of models.
inline std::vector<std::filesystem::path> fixture_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SKIM_ORACLES)) {
    if (entry.path().extension() == ".json" && entry.path().stem() != "adam")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// All models of a file, each with its queries.
inline Json load_fixture(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  Result<Json> json = parse_json(text.str(), file.string());
  EXPECT_TRUE(json.has_value()) << json.error().message;
  return json ? *std::move(json) : Json();
}

// A draft of a model. Its tensors are whole multiples of 1/unit.
inline Result<ModelDraft> make_draft(const Json& model) {
  ModelDraft draft;
  SKIM_ASSIGN_OR_RETURN(draft.spec, parse_model_spec(model["spec"], "spec"));
  draft.about = "an oracle's model";
  draft.vocabulary = model["vocabulary"].get<std::vector<std::string>>();
  const auto unit = model["unit"].get<float>();
  for (const Json& tensor : model["tensors"]) {
    ModelDraft::Tensor made{tensor["name"], tensor["values"].get<std::vector<float>>()};
    for (float& value : made.values) value /= unit;
    draft.tensors.push_back(std::move(made));
  }
  return draft;
}

inline Query to_query(const Json& json) {
  return {json["text"], json.value("question", ""),
          json.value("choices", std::vector<std::string>())};
}

inline Policy to_policy(const Json& json) {
  Policy policy;
  policy.threshold = json["threshold"].get<float>();
  if (json["rule"] == "argmax") policy.rule = Policy::Rule::argmax;
  return policy;
}

// Numbers with the tolerance of the caller.
inline void expect_same_numbers(const std::vector<float>& values, const Json& expected,
                                double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i].get<double>(), tolerance) << "number " << i;
}

// Widths exactly, p_read with a tolerance.
inline void expect_same_trace(const Trace& trace, const Json& expected, double tolerance) {
  ASSERT_EQ(trace.size(), expected.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    SCOPED_TRACE(trace[i].reader);
    EXPECT_EQ(trace[i].reader, expected[i]["reader"].get<std::string>());
    std::vector<int> widths;
    std::vector<float> p_read;
    for (const Step& step : trace[i].steps) {
      widths.push_back(step.width);
      p_read.push_back(step.p_read);
    }
    EXPECT_EQ(widths, expected[i]["widths"].get<std::vector<int>>());
    expect_same_numbers(p_read, expected[i]["p_read"], tolerance);
  }
}

}  // namespace skim::oracle
