// sequence_forward of each cell. Each has its own file, because compiling one for every target
// takes half a minute.
#pragma once

#include "kernels/sequence.h"

namespace skim {

SequenceResult lstm_forward(const SequenceArgs& args) noexcept;
SequenceResult gru_forward(const SequenceArgs& args) noexcept;
SequenceResult rnn_forward(const SequenceArgs& args) noexcept;

}  // namespace skim
