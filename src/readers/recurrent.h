// The dense and the skim reader (Seo et al. 2018). The dense reader is one without small cells and
// decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kernels/sequence.h"
#include "readers/folded_table.h"
#include "readers/input_projection.h"
#include "readers/reader.h"
#include "readers/weights.h"

namespace skim {

class RecurrentReader final : public Reader {
 public:
  RecurrentReader(const ReaderSpec& spec, const Tensors& tensors, WeightType type,
                  const EmbeddingTable* embeddings, std::size_t table_bytes);
  // Not copyable: the tables refer to weights_.
  RecurrentReader(const RecurrentReader&) = delete;
  RecurrentReader& operator=(const RecurrentReader&) = delete;

  const ReaderSpec& spec() const override { return weights_.spec; }
  void start(State& state) const override;
  void read(const Input& input, const Policy& policy, State& state, const Output& output,
            std::span<Step> steps, Scratch& scratch) const override;
  std::unique_ptr<GatheredReader> gather() const override;
  bool can_gather() const override;

  // The pieces of read(), which GatheredReader calls for each of its texts.

  // Scratch memory of a block.
  struct Memory {
    BlockScratch block;
    float* next = nullptr;
    float* thresholds = nullptr;
    float* read_logit = nullptr;
    std::uint16_t* widths = nullptr;
    float* suffix_sums = nullptr;
    float* gate_sums = nullptr;
    std::int16_t* quantized_hidden = nullptr;
  };
  Memory allocate(Scratch& scratch) const;
  const ReaderWeights& weights() const { return weights_; }
  // Whether a text of token ids is read through folded tables.
  bool has_tables() const { return big_table_.has_value(); }
  bool reads_ids(const Input& input) const { return has_tables() && !input.ids.empty(); }
  // Fills the folded tables for a text of token ids that is about to be read.
  void prepare(const Input& input, const Policy& policy, const Memory& memory) const noexcept;
  // What the callbacks of a block need. `block` and `memory` must outlive it.
  GateSource gate_source(const Block& block, const Memory& memory) const;
  // The arguments of sequence_forward for a block. Clears memory.next.
  SequenceArgs block_args(const Block& block, const Policy& policy, State& state,
                          const Output& output, const Memory& memory,
                          GateSource& source) const noexcept;
  // Copies the state at the end of a block, which may be in memory.next, to `state`.
  void finish_block(const SequenceResult& end, State& state) const noexcept;
  // Writes the steps of a block in text order and returns the sum of their widths. p_read is
  // adjusted where rounding in the last bit would make "p_read > threshold" contradict the
  // decision.
  std::size_t write_steps(const Block& block, const Policy& policy, const Memory& memory,
                          std::span<Step> steps) const noexcept;

 private:
  std::size_t state_floats() const;
  std::size_t suffix_floats() const;
  float likely_read_logit(const Policy& policy) const noexcept;
  void set_skim_args(const Block& block, const Policy& policy, const State& state,
                     const Memory& memory, bool from_ids, SkimArgs& skim) const noexcept;
  void set_thresholds(const Policy& policy, std::size_t count, const State& state,
                      float* thresholds, SkimArgs& skim) const noexcept;
  void set_outputs(const Block& block, const Output& output, SequenceArgs& args) const;

  ReaderWeights weights_;
  const EmbeddingTable* embeddings_;
  std::optional<FoldedTable> small_table_;
  std::optional<FoldedTable> big_table_;
};

}  // namespace skim
