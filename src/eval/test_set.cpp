#include "eval/test_set.h"

#include <algorithm>
#include <utility>

#include "tasks/labels.h"

namespace skim {

Result<TestSet> make_test_set(Dataset data, const ModelSpec& spec) {
  auto truth = label_indices(data, spec.labels);
  if (!truth) return tl::make_unexpected(truth.error());
  TestSet set{std::move(data.name), {}, std::move(*truth)};
  set.queries.reserve(data.examples.size());
  for (Example& example : data.examples) set.queries.push_back(std::move(example.query));
  return set;
}

std::vector<std::size_t> even_indices(std::size_t size, std::size_t count) {
  count = std::min(size, count);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i * size / count;
  return indices;
}

Dataset evenly(Dataset data, std::size_t count) {
  if (count >= data.examples.size()) return data;
  Dataset some{std::move(data.name), {}};
  for (const std::size_t i : even_indices(data.examples.size(), count)) {
    some.examples.push_back(std::move(data.examples[i]));
  }
  return some;
}

}  // namespace skim
