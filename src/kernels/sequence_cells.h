// read_sequence for each cell. One file each: compiled for every target, they take the compiler
// half a minute.
#pragma once

#include "kernels/sequence.h"

namespace skim {

SequenceEnd read_lstm(const SequenceArgs& args) noexcept;
SequenceEnd read_gru(const SequenceArgs& args) noexcept;
SequenceEnd read_rnn(const SequenceArgs& args) noexcept;

}  // namespace skim
