// A sample model and texts in its vocabulary, for the tests of this directory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "file/sample_model.h"
#include "skim/model.h"
#include "tasks/example.h"

namespace skim {

inline Model make_model(const ModelDraft& draft) {
  auto bytes = to_bytes(draft);
  EXPECT_TRUE(bytes) << bytes.error().message;
  auto model = Model::from_bytes(std::move(*bytes), "sample");
  EXPECT_TRUE(model) << model.error().message;
  return std::move(*model);
}

inline Model sample_model() { return make_model(sample_draft(sample_spec())); }

// Texts of 1, 2, ... words with alternating labels.
inline Dataset sample_data(std::size_t count) {
  Dataset data{"made up", {}};
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = "word1";
    for (std::size_t j = 0; j < i; ++j) text += " word" + std::to_string((i * j + j / 3) % 7);
    data.examples.push_back({{std::move(text), {}, {}}, i % 2 == 0 ? "good" : "bad", i + 1});
  }
  return data;
}

inline std::vector<Query> sample_queries(std::size_t count) {
  std::vector<Query> queries;
  Dataset data = sample_data(count);
  for (Example& example : data.examples) queries.push_back(std::move(example.query));
  return queries;
}

inline Policy threshold_policy(float threshold) {
  Policy policy;
  policy.threshold = threshold;
  return policy;
}

}  // namespace skim
