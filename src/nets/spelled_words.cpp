#include "nets/spelled_words.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "file/model_file.h"
#include "spec/letters.h"
#include "text/normal_form.h"

namespace skim {
namespace {

constexpr std::size_t kRowPad = kCacheLine / sizeof(float);

std::size_t whole(int value) { return static_cast<std::size_t>(value); }

}  // namespace

SpelledWords::SpelledWords(const NetParts& parts)
    : words_(parts.words),
      spec_(parts.spec.letters),
      width_(whole(parts.spec.input_width())),
      letters_(to_floats(parts.file, "letters.vectors")),
      patterns_(parts, "letters", whole(spec_.window) * whole(spec_.width)),
      change_{Linear(parts, "highway.0", width_), Linear(parts, "highway.1", width_)},
      gate_{Linear(parts, "highway.0.gate", width_), Linear(parts, "highway.1.gate", width_)} {}

std::size_t SpelledWords::stride() const { return round_up(width_, kRowPad); }

Rows SpelledWords::rows_of(std::span<const std::uint32_t> ids, const Asked::Spelling& spelling,
                           NetMemory& memory, Buffer<float>& into) const {
  into.grow(ids.size() * stride());
  add_vectors(ids, into);
  add_patterns(spelling, memory, into);
  const MutableRows rows{into.data(), ids.size(), width_, stride()};
  for (std::size_t layer = 0; layer < change_.size(); ++layer) let_through(layer, rows, memory);
  return {into.data(), ids.size(), width_, stride()};
}

void SpelledWords::add_vectors(std::span<const std::uint32_t> ids, Buffer<float>& into) const {
  for (std::size_t i = 0; i < ids.size(); ++i) words_.vector(ids[i], into.data() + i * stride());
}

// One window a letter, with the letter in its middle; of each pattern the best match.
void SpelledWords::add_patterns(const Asked::Spelling& spelling, NetMemory& memory,
                                Buffer<float>& into) const {
  const std::size_t window = whole(spec_.window), width = whole(spec_.width);
  const std::size_t before = (window - 1) / 2, row = window * width;
  const std::size_t filters = patterns_.outputs();
  for (std::size_t i = 0; i < spelling.words.size(); ++i) {
    const auto [begin, end] = spelling.words[i];
    const std::string spelled = letters_of(normal_form(spelling.bytes.substr(begin, end - begin)));
    memory.windows.grow(spelled.size() * row);
    std::fill_n(memory.windows.data(), spelled.size() * row, 0.0F);
    for (std::size_t at = 0; at < spelled.size(); ++at) {
      for (std::size_t j = 0; j < window; ++j) {
        if (at + j < before || at + j - before >= spelled.size()) continue;
        const auto letter = static_cast<unsigned char>(spelled[at + j - before]);
        std::copy_n(letters_.data() + letter * width, width,
                    memory.windows.data() + at * row + j * width);
      }
    }
    patterns_.apply({memory.windows.data(), spelled.size(), row, row}, memory.matches);
    float* best = into.data() + i * stride() + words_.width();
    std::fill_n(best, filters, 0.0F);  // a pattern that matches nowhere counts nothing
    for (std::size_t at = 0; at < spelled.size(); ++at) {
      const float* matches = memory.matches.data() + at * patterns_.stride();
      for (std::size_t f = 0; f < filters; ++f) best[f] = std::max(best[f], matches[f]);
    }
  }
}

void SpelledWords::let_through(std::size_t layer, const MutableRows& rows,
                               NetMemory& memory) const {
  const Rows in{rows.data, rows.count, rows.width, rows.stride};
  change_[layer].apply(in, memory.matches);
  gate_[layer].apply(in, memory.gates);
  for (std::size_t t = 0; t < rows.count; ++t) {
    float* row = rows.row(t);
    const float* change = memory.matches.data() + t * change_[layer].stride();
    const float* gate = memory.gates.data() + t * gate_[layer].stride();
    for (std::size_t i = 0; i < rows.width; ++i) {
      const float share = 1.0F / (1.0F + std::exp(-gate[i]));
      row[i] += share * (std::max(change[i], 0.0F) - row[i]);
    }
  }
}

}  // namespace skim
