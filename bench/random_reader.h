// Readers with random weights whose decisions the benchmark controls, fed through the same path as
// any other reader.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/speed.h"
#include "readers/reader.h"

namespace skim {

// Vectors of made-up words. Every word exists twice: as `2 n` it is read, as `2 n + 1` it is
// skimmed, by the sign of its first entry, which is all that the decision looks at (its other
// weights are small but not zero, so the work is done).
class RandomWords final : public WordSource {
 public:
  RandomWords(std::size_t words, std::size_t width, std::uint64_t seed);
  std::size_t count() const override { return values_.size() / width_; }
  std::size_t width() const override { return width_; }
  void vector(std::uint32_t id, float* out) const noexcept override;
  const float* row(std::uint32_t id) const { return values_.data() + id * width_; }

 private:
  std::size_t width_;
  std::vector<float> values_;
};

// A text of `words` words with Zipf frequencies, a share `rate` of them skimmed.
std::vector<std::uint32_t> random_text(std::size_t words, std::size_t vocabulary, double rate,
                                       std::uint64_t seed);

struct RandomReader {
  std::vector<std::string> names;
  std::vector<std::vector<float>> values;
  std::unique_ptr<Reader> reader;
};

// `words` is null for a reader of rows.
RandomReader make_random_reader(const ReaderSpec& spec, WeightType type, const WordSource* words,
                                std::uint64_t seed);

}  // namespace skim
