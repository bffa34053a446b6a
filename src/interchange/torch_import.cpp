#include "interchange/torch_import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "file/values.h"
#include "runtime/probing.h"
#include "spec/names.h"
#include "spec/params.h"
#include "text/normal_form.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

constexpr std::array<std::string_view, 6> kUnknownSpellings = {"<unk>", "[unk]",     "<UNK>",
                                                               "[UNK]", "<unknown>", "UNK"};

using Floats = std::vector<float>;

// Which of the words stands for those that are not among them.
Result<std::size_t> unknown_word(const TorchImport& wanted) {
  const auto place = [&](std::string_view word) {
    return static_cast<std::size_t>(std::ranges::find(wanted.words, word) - wanted.words.begin());
  };
  if (!wanted.unknown.empty()) {
    const std::size_t found = place(wanted.unknown);
    if (found < wanted.words.size()) return found;
    return fail(Fault::argument, "'" + wanted.unknown + "' (--unknown) is not among the words");
  }
  std::vector<std::size_t> found;
  for (const std::string_view spelling : kUnknownSpellings) {
    if (place(spelling) < wanted.words.size()) found.push_back(place(spelling));
  }
  if (found.size() == 1) return found[0];
  return fail(Fault::argument,
              std::string(found.empty() ? "none" : "more than one") +
                  " of the words looks like the one that stands for unknown words (<unk>); say "
                  "which one does with --unknown WORD");
}

Floats values_of(const TensorView* tensor, std::size_t count) {
  return tensor == nullptr ? Floats(count, 0.0F) : floats_of(*tensor, nullptr);
}

ModelSpec spec_of(const TorchState& state, const TorchImport& wanted) {
  ModelSpec spec;
  spec.tokenizer = wanted.tokenizer;
  spec.vocabulary = static_cast<int>(wanted.words.size());
  spec.word_width = static_cast<int>(state.embedding->shape[1]);
  spec.reader.kind = ReaderKind::full;
  spec.reader.cell = state.cell;
  spec.reader.input = spec.word_width;
  spec.reader.hidden = static_cast<int>(state.hidden);
  spec.reader.small = {};
  spec.layers = state.layers;
  spec.bidirectional = state.bidirectional;
  spec.pooling = wanted.pooling;
  spec.labels = wanted.labels;
  return spec;
}

// PyTorch's gates have our order. Its two biases are one of ours, but for a GRU's gate n, whose
// second one is inside the product with r.
void add_reader(const TorchLayer& layer, Cell cell, const std::string& prefix, ModelDraft& draft) {
  const std::size_t rows = layer.input->shape[0];
  Floats bias = values_of(layer.input_bias, rows);
  const Floats second = values_of(layer.state_bias, rows);
  const std::size_t added = cell == Cell::gru ? rows / 3 * 2 : rows;
  for (std::size_t i = 0; i < added; ++i) bias[i] += second[i];
  draft.tensors.push_back({prefix + "big.w", values_of(layer.input, 0)});
  draft.tensors.push_back({prefix + "big.u", values_of(layer.state, 0)});
  draft.tensors.push_back({prefix + "big.b", std::move(bias)});
  if (cell == Cell::gru) {
    draft.tensors.push_back(
        {prefix + "big.bn", {second.begin() + static_cast<std::ptrdiff_t>(added), second.end()}});
  }
}

// A head of one row gives the second label's logit; the first's is 0.
void add_head(const TorchState& state, std::size_t labels, ModelDraft& draft) {
  const std::size_t rows = state.head->shape[0];
  Floats matrix((labels - rows) * state.head->shape[1], 0.0F), bias(labels - rows, 0.0F);
  for (const float value : values_of(state.head, 0)) matrix.push_back(value);
  for (const float value : values_of(state.head_bias, rows)) bias.push_back(value);
  draft.tensors.push_back({"head.w", std::move(matrix)});
  draft.tensors.push_back({"head.b", std::move(bias)});
}

// The unknown word comes first, the others keep their order.
void add_words(const TorchState& state, const TorchImport& wanted, std::size_t unknown,
               ModelDraft& draft) {
  Floats vectors = values_of(state.embedding, 0);
  draft.vocabulary = wanted.words;
  const auto row = [&](std::size_t word) {
    return vectors.begin() + static_cast<std::ptrdiff_t>(word * state.embedding->shape[1]);
  };
  std::rotate(row(0), row(unknown), row(unknown + 1));
  const auto words = draft.vocabulary.begin();
  const auto place = static_cast<std::ptrdiff_t>(unknown);
  std::rotate(words, words + place, words + place + 1);
  draft.tensors.push_back({"words", std::move(vectors)});
}

bool within_reach(const std::string& word, Tokenizer tokenizer, std::vector<Word>& found) {
  tokenize(word, tokenizer, found);
  return found.size() == 1 && found[0] == Word{0, word.size()} && normal_form(word) == word;
}

// Texts of the model's own words, short and long, spread over all of them.
std::vector<Query> probe_queries(const ModelDraft& draft) {
  std::vector<const std::string*> words;
  std::vector<Word> found;
  for (std::size_t i = 1; i < draft.vocabulary.size() && words.size() < 500; ++i) {
    if (within_reach(draft.vocabulary[i], draft.spec.tokenizer, found))
      words.push_back(&draft.vocabulary[i]);
  }
  std::vector<Query> queries;
  std::size_t next = 0;
  for (const std::size_t length : {1U, 5U, 20U, 60U, 200U}) {
    Query query;
    for (std::size_t i = 0; i < length; ++i, next += 7) {
      query.text += i == 0 ? "" : " ";
      query.text += words.empty() ? "word" : *words[next % words.size()];
    }
    queries.push_back(std::move(query));
  }
  return queries;
}

Result<void> add_probes(ModelDraft& draft, const std::string& name) {
  auto model = loaded(draft, name);
  if (!model) return tl::make_unexpected(model.error());
  Session session(std::move(*model));
  for (const Query& query : probe_queries(draft)) {
    auto probe = asked(session, query, Policy{});
    if (!probe) return tl::make_unexpected(probe.error());
    draft.probes.push_back(std::move(*probe));
  }
  return {};
}

}  // namespace

Result<ModelDraft> import_torch(std::span<const std::byte> file, const std::string& name,
                                const TorchImport& wanted) {
  const auto container = parse_container(file, name, Seal::none);
  if (!container) return tl::make_unexpected(container.error());
  const auto state =
      find_torch_state(*container, wanted.names, {wanted.words.size(), wanted.labels.size()}, name);
  if (!state) return tl::make_unexpected(state.error());
  const auto unknown = unknown_word(wanted);
  if (!unknown) return tl::make_unexpected(unknown.error());
  ModelDraft draft;
  draft.spec = spec_of(*state, wanted);
  draft.about = "imported from a PyTorch state, " + std::filesystem::path(name).filename().string();
  add_words(*state, wanted, *unknown, draft);
  auto layer = state->readers.begin();
  for (const PassSpec& pass : passes_of(draft.spec))
    add_reader(*layer++, state->cell, pass.prefix, draft);
  add_head(*state, wanted.labels.size(), draft);
  if (auto added = add_probes(draft, name); !added) return tl::make_unexpected(added.error());
  return draft;
}

std::size_t words_out_of_reach(const ModelDraft& draft) {
  std::vector<Word> found;
  return static_cast<std::size_t>(std::count_if(
      draft.vocabulary.begin() + 1, draft.vocabulary.end(),
      [&](const auto& word) { return !within_reach(word, draft.spec.tokenizer, found); }));
}

}  // namespace skim
