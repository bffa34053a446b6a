// One maker for each kind of reader; make_reader chooses. Arguments are make_reader's.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace skim {

// Plain and skimming.
std::unique_ptr<Reader> make_recurrent_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const WordSource* words,
                                              std::size_t table_bytes);
std::unique_ptr<Reader> make_jump_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         WeightType weights, const WordSource* words,
                                         std::size_t table_bytes);
std::unique_ptr<Reader> make_skip_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         WeightType weights, const WordSource* words,
                                         std::size_t table_bytes);
// Its weights are used as f32, whatever type the file has them in.
std::unique_ptr<Reader> make_vary_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         const WordSource* words);

}  // namespace skim
