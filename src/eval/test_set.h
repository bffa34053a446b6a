// A data set made ready to be asked: queries side by side, labels as the model numbers them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"

namespace skim {

struct TestSet {
  std::string name;
  std::vector<Query> queries;
  std::vector<int> truth;  // of each query, an index into ModelSpec::labels
};

// The error names the line whose label the model does not know.
Result<TestSet> make_test_set(Dataset data, const ModelSpec& spec);

// `count` of them at most, evenly spread: files are often sorted by label.
Dataset evenly(Dataset data, std::size_t count);
// Which ones that takes: `count` indices below `size`, rising; all of them if there are fewer.
std::vector<std::size_t> even_indices(std::size_t size, std::size_t count);

}  // namespace skim
