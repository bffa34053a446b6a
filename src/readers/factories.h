// Factory functions of the reader kinds, with the arguments of make_reader.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace skim {

// Dense and skim readers.
std::unique_ptr<Reader> make_recurrent_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const EmbeddingTable* embeddings,
                                              std::size_t table_bytes);
std::unique_ptr<Reader> make_lstm_jump_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const EmbeddingTable* embeddings,
                                              std::size_t table_bytes);
std::unique_ptr<Reader> make_skip_rnn_reader(const ReaderSpec& spec, const Tensors& tensors,
                                             WeightType weights, const EmbeddingTable* embeddings,
                                             std::size_t table_bytes);
// Uses f32 weights, whatever their type in the file.
std::unique_ptr<Reader> make_vcrnn_reader(const ReaderSpec& spec, const Tensors& tensors,
                                          const EmbeddingTable* embeddings);

}  // namespace skim
