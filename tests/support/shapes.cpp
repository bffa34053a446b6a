#include "tests/support/shapes.h"

#include <cstdio>
#include <cstdlib>

#include "spec/names.h"

namespace skim {
namespace {

std::vector<ReaderSpec> every_reader() {
  const std::vector<std::vector<int>> smalls = {{}, {5}, {0}, {8, 3}, {6, 0}};
  std::vector<ReaderSpec> list;
  for (const auto& [cell, unused_name] : kNames<Cell>) {
    for (const std::vector<int>& small : smalls) {
      for (const auto& [sees, unused_sees] : kNames<SmallSees>) {
        for (const auto& [decision, unused_decision] : kNames<Decision>) {
          const bool plain = small.empty();
          if (plain && (sees != SmallSees::head || decision != Decision::linear)) continue;
          if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
          ReaderSpec spec;
          spec.kind = plain ? ReaderKind::full : ReaderKind::skim;
          spec.cell = cell;
          spec.hidden = 19;
          spec.small = small;
          spec.small_sees = sees;
          spec.decision = decision;
          list.push_back(spec);
        }
      }
    }
    for (const ReaderKind kind : {ReaderKind::jump, ReaderKind::skip, ReaderKind::vary}) {
      ReaderSpec spec;
      spec.kind = kind;
      spec.cell = cell;
      spec.hidden = 19;
      spec.small.clear();
      spec.jump = {.run = 3, .reach = 4, .most = 3};
      list.push_back(spec);
    }
  }
  return list;
}

}  // namespace

std::vector<ModelSpec> every_shape() {
  std::vector<ModelSpec> list;
  for (const ReaderSpec& reader : every_reader()) {
    for (const int layers : {1, 2}) {
      for (const bool bidirectional : {false, true}) {
        for (const auto& [pooling, unused_name] : kNames<Pooling>) {
          ModelSpec spec;
          spec.tokenizer = Tokenizer::whitespace;
          spec.vocabulary = 40;
          spec.word_width = 11;
          spec.reader = reader;
          spec.reader.input = 11;
          spec.layers = layers;
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

std::vector<ModelSpec> shapes(std::size_t nth) {
#ifdef SKIM_SANITIZED
  // Those builds are eight times slower and look for faults of memory and threads, which neighbours
  // share; the laws themselves are held for all by the release build.
  nth *= 3;
#endif
  const std::vector<ModelSpec> all = every_shape();
  std::vector<ModelSpec> some;
  for (std::size_t i = 0; i < all.size(); i += nth) some.push_back(all[i]);
  return some;
}

std::string describe(const ModelSpec& spec) {
  std::string text = std::string(name_of(spec.reader.kind)) + " " +
                     std::string(name_of(spec.reader.cell)) + " small";
  for (const int width : spec.reader.small) text += " " + std::to_string(width);
  return text + " sees " + std::string(name_of(spec.reader.small_sees)) + ", decision " +
         std::string(name_of(spec.reader.decision)) + ", " + std::to_string(spec.layers) +
         (spec.bidirectional ? " layers both ways, " : " layers, ") +
         std::string(name_of(spec.pooling)) + ", " + std::string(name_of(spec.weights));
}

Model model_of(const ModelDraft& draft, LoadOptions options) {
  Result<std::vector<std::byte>> bytes = to_bytes(draft);
  Result<Model> model = bytes ? Model::from_bytes(std::move(*bytes), "model", options)
                              : Result<Model>(tl::make_unexpected(bytes.error()));
  if (model) return std::move(*model);
  std::fprintf(stderr, "a draft of a test is unsound: %s\n", model.error().message.c_str());
  std::abort();
}

}  // namespace skim
