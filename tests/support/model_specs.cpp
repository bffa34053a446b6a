#include "tests/support/model_specs.h"

#include <cstdio>
#include <cstdlib>

#include "spec/names.h"

namespace skim {
namespace {

std::vector<ReaderSpec> all_reader_specs() {
  const std::vector<std::vector<int>> skim_sizes_list = {{}, {5}, {0}, {8, 3}, {6, 0}};
  std::vector<ReaderSpec> list;
  for (const auto& [cell, unused_name] : kNames<Cell>) {
    for (const std::vector<int>& skim_sizes : skim_sizes_list) {
      for (const auto& [small_input, unused_input] : kNames<SmallInput>) {
        for (const auto& [decision, unused_decision] : kNames<Decision>) {
          const bool dense = skim_sizes.empty();
          if (dense && (small_input != SmallInput::prefix || decision != Decision::linear))
            continue;
          if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
          ReaderSpec spec;
          spec.kind = dense ? ReaderKind::dense : ReaderKind::skim;
          spec.cell = cell;
          spec.hidden_size = 19;
          spec.skim_sizes = skim_sizes;
          spec.small_input = small_input;
          spec.decision = decision;
          list.push_back(spec);
        }
      }
    }
    for (const ReaderKind kind : {ReaderKind::lstm_jump, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
      ReaderSpec spec;
      spec.kind = kind;
      spec.cell = cell;
      spec.hidden_size = 19;
      spec.skim_sizes.clear();
      spec.jump = {.tokens_per_jump = 3, .max_jump = 4, .max_jumps = 3};
      list.push_back(spec);
    }
  }
  return list;
}

}  // namespace

std::vector<ModelSpec> all_model_specs() {
  std::vector<ModelSpec> list;
  for (const ReaderSpec& reader : all_reader_specs()) {
    for (const int layers : {1, 2}) {
      for (const bool bidirectional : {false, true}) {
        for (const auto& [pooling, unused_name] : kNames<Pooling>) {
          ModelSpec spec;
          spec.tokenizer = TokenizerKind::whitespace;
          spec.vocab_size = 40;
          spec.embedding_size = 11;
          spec.reader = reader;
          spec.reader.input_size = 11;
          spec.num_layers = layers;
          spec.bidirectional = bidirectional;
          spec.pooling = pooling;
          spec.labels = {"no", "maybe", "yes"};
          list.push_back(spec);
        }
      }
    }
  }
  return list;
}

std::vector<ModelSpec> sampled_model_specs(std::size_t nth) {
#ifdef SKIM_SANITIZED
  // Sanitizer builds are eight times slower and look for memory and threading errors, which
  // neighbouring specs share.
  nth *= 3;
#endif
  const std::vector<ModelSpec> all = all_model_specs();
  std::vector<ModelSpec> some;
  for (std::size_t i = 0; i < all.size(); i += nth) some.push_back(all[i]);
  return some;
}

std::string describe(const ModelSpec& spec) {
  std::string text = std::string(to_string(spec.reader.kind)) + " " +
                     std::string(to_string(spec.reader.cell)) + " small";
  for (const int width : spec.reader.skim_sizes) text += " " + std::to_string(width);
  return text + " small_input " + std::string(to_string(spec.reader.small_input)) + ", decision " +
         std::string(to_string(spec.reader.decision)) + ", " + std::to_string(spec.num_layers) +
         (spec.bidirectional ? " bidirectional layers, " : " layers, ") +
         std::string(to_string(spec.pooling)) + ", " + std::string(to_string(spec.weight_type));
}

Model load_model(const ModelDraft& draft, LoadOptions options) {
  auto model = to_bytes(draft).and_then([&](std::vector<std::byte> bytes) {
    return Model::from_bytes(std::move(bytes), "model", options);
  });
  if (model) return std::move(*model);
  std::fprintf(stderr, "invalid model draft: %s\n", model.error().message.c_str());
  std::abort();
}

}  // namespace skim
