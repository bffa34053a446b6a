#include "readers/kinds.h"

namespace skim {

std::unique_ptr<Reader> make_reader(const ReaderSpec& spec, const Tensors& tensors,
                                    WeightType weights, const WordSource* words,
                                    std::size_t table_bytes) {
  switch (spec.kind) {
    case ReaderKind::full:
    case ReaderKind::skim:
      break;
    case ReaderKind::jump:
      return make_jump_reader(spec, tensors, weights, words, table_bytes);
    case ReaderKind::skip:
      return make_skip_reader(spec, tensors, weights, words, table_bytes);
    case ReaderKind::vary:
      return make_vary_reader(spec, tensors, words);
  }
  return make_recurrent_reader(spec, tensors, weights, words, table_bytes);
}

}  // namespace skim
