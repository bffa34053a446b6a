#include "nets/net.h"

#include <cmath>

#include "kernels/pool.h"
#include "nets/bidaf.h"
#include "nets/classifier.h"
#include "nets/cloze.h"
#include "nets/span.h"

namespace skim {

void begin_output(NetOutput out) {
  out.logits.clear();
  out.scores.clear();
}

void append_output(float* logits, std::size_t count, NetOutput out, float temperature) {
  out.logits.insert(out.logits.end(), logits, logits + count);
  logits_to_scores(logits, count, temperature);
  out.scores.insert(out.scores.end(), logits, logits + count);
}

void write_output(float* logits, std::size_t count, NetOutput out, float temperature) {
  begin_output(out);
  append_output(logits, count, out, temperature);
}

void logits_to_scores(float* logits, std::size_t count, float temperature) {
  if (temperature != 1) {
    for (std::size_t i = 0; i < count; ++i) logits[i] /= temperature;
  }
  softmax(logits, count);
}

void write_output(float* logits, std::size_t count, OutputActivation activation, NetOutput out,
                  float temperature) {
  if (activation == OutputActivation::softmax) return write_output(logits, count, out, temperature);
  begin_output(out);
  out.logits.insert(out.logits.end(), logits, logits + count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_linear = activation == OutputActivation::linear;
    out.scores.push_back(is_linear ? logits[i] : 1 / (1 + std::exp(-logits[i])));
  }
}

std::unique_ptr<Net> make_net(const NetParts& parts) {
  switch (parts.spec.net) {
    case NetKind::classifier:
      return make_classifier(parts);
    case NetKind::cloze:
      return make_cloze(parts);
    case NetKind::span:
      return make_span(parts);
    case NetKind::bidaf:
      break;
  }
  return make_bidaf(parts);
}

}  // namespace skim
