#include "readers/factories.h"
#include "readers/gathered_reader.h"

namespace skim {

std::unique_ptr<GatheredReader> Reader::gather() const { return nullptr; }

std::unique_ptr<Reader> make_reader(const ReaderSpec& spec, const Tensors& tensors,
                                    WeightType weights, const EmbeddingTable* embeddings,
                                    std::size_t table_bytes) {
  switch (spec.kind) {
    case ReaderKind::dense:
    case ReaderKind::skim:
      break;
    case ReaderKind::lstm_jump:
      return make_lstm_jump_reader(spec, tensors, weights, embeddings, table_bytes);
    case ReaderKind::skip_rnn:
      return make_skip_rnn_reader(spec, tensors, weights, embeddings, table_bytes);
    case ReaderKind::vcrnn:
      return make_vcrnn_reader(spec, tensors, embeddings);
  }
  return make_recurrent_reader(spec, tensors, weights, embeddings, table_bytes);
}

}  // namespace skim
