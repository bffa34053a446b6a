#include "interchange/torch_import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/result_macros.h"
#include "file/values.h"
#include "runtime/probes.h"
#include "spec/names.h"
#include "spec/params.h"
#include "text/normalize.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

constexpr std::array<std::string_view, 6> kUnknownSpellings = {"<unk>", "[unk]",     "<UNK>",
                                                               "[UNK]", "<unknown>", "UNK"};

using Floats = std::vector<float>;

// Returns the index of the entry for unknown words.
Result<std::size_t> find_unknown_word(const TorchImport& options) {
  const auto place = [&](std::string_view word) {
    return static_cast<std::size_t>(std::ranges::find(options.words, word) - options.words.begin());
  };
  if (!options.unknown.empty()) {
    const std::size_t found = place(options.unknown);
    if (found < options.words.size()) return found;
    return fail(Fault::argument, "'" + options.unknown + "' (--unknown) is not among the words");
  }
  std::vector<std::size_t> found;
  for (const std::string_view spelling : kUnknownSpellings) {
    if (place(spelling) < options.words.size()) found.push_back(place(spelling));
  }
  if (found.size() == 1) return found[0];
  return fail(Fault::argument,
              std::string(found.empty() ? "none" : "more than one") +
                  " of the words looks like the entry for unknown words (<unk>); choose "
                  "it with --unknown WORD");
}

Floats to_values(const TensorView* tensor, std::size_t count) {
  return tensor == nullptr ? Floats(count, 0.0F) : to_floats(*tensor, nullptr);
}

ModelSpec make_spec(const TorchState& state, const TorchImport& options) {
  ModelSpec spec;
  spec.tokenizer = options.tokenizer;
  spec.vocab_size = static_cast<int>(options.words.size());
  spec.embedding_size = static_cast<int>(state.embedding->shape[1]);
  spec.reader.kind = ReaderKind::dense;
  spec.reader.cell = state.cell;
  spec.reader.input_size = spec.embedding_size;
  spec.reader.hidden_size = static_cast<int>(state.hidden_size);
  spec.reader.skim_sizes = {};
  spec.num_layers = state.num_layers;
  spec.bidirectional = state.bidirectional;
  spec.pooling = options.pooling;
  spec.labels = options.labels;
  return spec;
}

// PyTorch has the same gate order. Its two biases are summed, except for the gate n of a GRU, whose
// second bias is multiplied by r.
void add_reader(const TorchLayer& layer, Cell cell, const std::string& prefix, ModelDraft& draft) {
  const std::size_t rows = layer.weight_ih->shape[0];
  Floats bias = to_values(layer.bias_ih, rows);
  const Floats second = to_values(layer.bias_hh, rows);
  const std::size_t added = cell == Cell::gru ? rows / 3 * 2 : rows;
  for (std::size_t i = 0; i < added; ++i) bias[i] += second[i];
  draft.tensors.push_back({prefix + "big.weight_ih", to_values(layer.weight_ih, 0)});
  draft.tensors.push_back({prefix + "big.weight_hh", to_values(layer.weight_hh, 0)});
  draft.tensors.push_back({prefix + "big.bias", std::move(bias)});
  if (cell == Cell::gru) {
    draft.tensors.push_back({prefix + "big.bias_hn",
                             {second.begin() + static_cast<std::ptrdiff_t>(added), second.end()}});
  }
}

// A head with one row gives the logit of the second label; that of the first is 0.
void add_head(const TorchState& state, std::size_t labels, ModelDraft& draft) {
  const std::size_t rows = state.head->shape[0];
  Floats matrix((labels - rows) * state.head->shape[1], 0.0F), bias(labels - rows, 0.0F);
  for (const float value : to_values(state.head, 0)) matrix.push_back(value);
  for (const float value : to_values(state.head_bias, rows)) bias.push_back(value);
  draft.tensors.push_back({"head.weight", std::move(matrix)});
  draft.tensors.push_back({"head.bias", std::move(bias)});
}

// Moves the unknown word to the front; the others keep their order.
void add_words(const TorchState& state, const TorchImport& options, std::size_t unknown,
               ModelDraft& draft) {
  Floats vectors = to_values(state.embedding, 0);
  draft.vocabulary = options.words;
  const auto row = [&](std::size_t word) {
    return vectors.begin() + static_cast<std::ptrdiff_t>(word * state.embedding->shape[1]);
  };
  std::rotate(row(0), row(unknown), row(unknown + 1));
  const auto words = draft.vocabulary.begin();
  const auto place = static_cast<std::ptrdiff_t>(unknown);
  std::rotate(words, words + place, words + place + 1);
  draft.tensors.push_back({"embedding.weight", std::move(vectors)});
}

bool is_reachable(const std::string& word, TokenizerKind tokenizer, std::vector<TokenSpan>& found) {
  tokenize(word, tokenizer, found);
  return found.size() == 1 && found[0] == TokenSpan{0, word.size()} &&
         normalize(word, tokenizer) == word;
}

// Short and long texts of reachable words.
std::vector<Query> probe_queries(const ModelDraft& draft) {
  std::vector<const std::string*> words;
  std::vector<TokenSpan> found;
  for (std::size_t i = 1; i < draft.vocabulary.size() && words.size() < 500; ++i) {
    if (is_reachable(draft.vocabulary[i], draft.spec.tokenizer, found))
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
  SKIM_ASSIGN_OR_RETURN(auto model, load_draft(draft, name));
  Session session(std::move(model));
  for (const Query& query : probe_queries(draft)) {
    SKIM_ASSIGN_OR_RETURN(auto probe, make_probe(session, query, Policy{}));
    draft.probes.push_back(std::move(probe));
  }
  return {};
}

}  // namespace

Result<ModelDraft> import_torch(std::span<const std::byte> file, const std::string& name,
                                const TorchImport& options) {
  SKIM_ASSIGN_OR_RETURN(const auto container, parse_container(file, name, HeaderChecksum::none));
  SKIM_ASSIGN_OR_RETURN(const auto state,
                        find_torch_state(container, options.names,
                                         {options.words.size(), options.labels.size()}, name));
  SKIM_ASSIGN_OR_RETURN(const auto unknown, find_unknown_word(options));
  ModelDraft draft;
  draft.spec = make_spec(state, options);
  draft.about = "imported from a PyTorch state, " + std::filesystem::path(name).filename().string();
  add_words(state, options, unknown, draft);
  auto layer = state.readers.begin();
  for (const PassSpec& pass : model_passes(draft.spec))
    add_reader(*layer++, state.cell, pass.prefix, draft);
  add_head(state, options.labels.size(), draft);
  SKIM_RETURN_IF_ERROR(add_probes(draft, name));
  return draft;
}

std::size_t count_unreachable_words(const ModelDraft& draft) {
  std::vector<TokenSpan> found;
  return static_cast<std::size_t>(std::count_if(
      draft.vocabulary.begin() + 1, draft.vocabulary.end(),
      [&](const auto& word) { return !is_reachable(word, draft.spec.tokenizer, found); }));
}

}  // namespace skim
