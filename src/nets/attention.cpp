#include "nets/attention.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/attend.h"

namespace skim {

Attention::Attention(const NetParts& parts, const char* w, const char* both)
    : w_(to_floats(parts.file, w)), both_(to_floats(parts.file, both)) {}

std::size_t Attention::stride() const { return round_up(w_.size(), kAttendPad); }

void Attention::attend_to(const Buffer<float>& question, std::size_t questions,
                          const Buffer<float>& text, std::size_t texts, NetMemory& memory,
                          float* largest) const {
  const std::size_t width = w_.size();
  memory.keys.grow(questions * stride());
  memory.bias.grow(round_up(questions, kAttendPad));
  for (std::size_t i = 0; i < questions; ++i) {
    const float* row = question.data() + i * stride();
    float* key = memory.keys.data() + i * stride();
    float bias = 0;
    for (std::size_t j = 0; j < width; ++j) {
      key[j] = both_[j] * row[j];
      bias += w_[j] * row[j];
    }
    std::fill(key + width, key + stride(), 0.0F);
    memory.bias[i] = bias;
  }
  memory.attended.grow(texts * stride());
  memory.work.grow(round_up(questions, kAttendPad));
  const auto rows = [&](const Buffer<float>& from, std::size_t count) {
    return Rows{from.data(), count, stride(), stride()};
  };
  attend({rows(memory.keys, questions), memory.bias.data(), rows(question, questions)},
         rows(text, texts), {memory.attended.data(), texts, stride(), stride()}, memory.work.data(),
         largest);
}

}  // namespace skim
