// The functions of kernels/gathered.h for each cell. Each has its own file, because compiling one
// for every target takes long.
#pragma once

#include "kernels/gathered.h"

namespace skim {

void lstm_begin_block(GatheredSequence& sequence) noexcept;
std::size_t lstm_skim_ahead(GatheredSequence** sequences, std::size_t count,
                            std::size_t enough) noexcept;
void lstm_read_together(GatheredSequence* const* sequences, std::size_t count) noexcept;

void gru_begin_block(GatheredSequence& sequence) noexcept;
std::size_t gru_skim_ahead(GatheredSequence** sequences, std::size_t count,
                           std::size_t enough) noexcept;
void gru_read_together(GatheredSequence* const* sequences, std::size_t count) noexcept;

}  // namespace skim
