// The dense LSTM of this engine: skim_worker WEIGHTS INPUTS PROBLEM D WORDS
// WEIGHTS is f32, bf16 or int8; INPUTS is `words` (folded embedding table, as when a model reads
// text) or `rows` (input projections computed from the embeddings).
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

#include "bench/peers/worker.h"
#include "readers/reader.h"
#include "skim/version.h"

namespace {

class ProblemEmbeddings : public skim::EmbeddingTable {
 public:
  explicit ProblemEmbeddings(const peers::Problem& problem) : problem_(problem) {}
  std::size_t num_embeddings() const override { return problem_.words; }
  std::size_t embedding_size() const override { return problem_.d; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    std::memcpy(out, problem_.x.data() + id * problem_.d, problem_.d * sizeof(float));
  }

 private:
  const peers::Problem& problem_;
};

skim::WeightType weight_type(const std::string& name) {
  if (name == "int8") return skim::WeightType::int8;
  return name == "bf16" ? skim::WeightType::bf16 : skim::WeightType::f32;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const bool from_ids = std::string(argv[2]) == "words";
  const auto d = static_cast<std::size_t>(std::atol(argv[4]));
  const auto words = static_cast<std::size_t>(std::atol(argv[5]));
  const peers::Problem problem = peers::load_problem(argv[3], d, words);

  skim::ReaderSpec spec;
  spec.kind = skim::ReaderKind::dense;
  spec.input_size = spec.hidden_size = static_cast<int>(d);
  spec.skim_sizes = {};
  const skim::Tensors tensors = {{"big.weight_ih", problem.weight_ih},
                                 {"big.weight_hh", problem.weight_hh},
                                 {"big.bias", problem.bias}};
  const ProblemEmbeddings embeddings(problem);
  constexpr std::size_t kTableBytes = std::size_t{64} << 20;
  const auto reader = skim::make_reader(spec, tensors, weight_type(argv[1]),
                                        from_ids ? &embeddings : nullptr, kTableBytes);

  std::vector<std::uint32_t> ids(words);
  std::iota(ids.begin(), ids.end(), 0U);
  skim::Input input;
  if (from_ids) {
    input.ids = ids;
  } else {
    input.rows = {problem.x.data(), words, d, d};
  }
  // Outputs all hidden states, as the peers do.
  std::vector<float> states(words * d);
  skim::Output output;
  output.rows = {states.data(), words, d, d};
  std::vector<skim::Step> steps(words);
  skim::State state;
  skim::Scratch scratch;
  return peers::serve(SKIM_VERSION, d, [&] {
    reader->start(state);
    reader->read(input, skim::Policy{}, state, output, steps, scratch);
    return states.data() + (words - 1) * d;
  });
}
