#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/verbs.h"
#include "file/model_file.h"
#include "interchange/torch_import.h"
#include "spec/names.h"
#include "tasks/text_lines.h"

namespace skim::cli {
namespace {

struct ImportOptions {
  std::string state, words, labels, out;
  TorchImport torch;
  std::string pooling = "last", tokenizer = "english";
  bool json = false;
};

void declare(Options& options, ImportOptions& chosen) {
  options.add_argument("FILE", chosen.state,
                       "state dict of an embedding, an nn.LSTM, nn.GRU or nn.RNN (tanh) and a "
                       "linear layer, as safetensors");
  options.add("--words", chosen.words, "FILE",
              "the vocabulary, one word per line, in the order of the embedding's rows");
  options.add("--labels", chosen.labels, "A,B,...", "the labels, in the order of the head's rows");
  options.add("--out", chosen.out, "FILE", "the model to write");
  options.add_choice("--pooling", chosen.pooling, {"last", "max", "mean"},
                     "pooling of the hidden states (default last)");
  options.add_choice("--tokenizer", chosen.tokenizer, {"english", "unicode", "whitespace"},
                     "the tokenizer (default english)");
  options.add("--unknown", chosen.torch.unknown, "WORD",
              "the entry for unknown words (default: <unk> and similar)");
  options.add("--rnn-prefix", chosen.torch.names.rnn, "NAME",
              "prefix of the recurrent weights, such as lstm");
  options.add("--embedding", chosen.torch.names.embedding, "NAME", "the embedding's name");
  options.add("--head", chosen.torch.names.head, "NAME", "the linear layer's name, such as fc");
  options.add_flag("--json", chosen.json, "what was written, as JSON");
  options.add_example(
      "skim import state.safetensors --words words.txt --labels negative,positive --out "
      "model.skim");
}

Result<std::vector<std::string>> read_words(const std::string& path) {
  SKIM_ASSIGN_OR_RETURN(const auto text, read_text(path));
  std::vector<std::string> words;
  TextLines lines(text);
  while (const auto line = lines.next()) words.emplace_back(line->text);
  return words;
}

Result<ModelDraft> import_state(ImportOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(chosen.torch.words, read_words(chosen.words));
  chosen.torch.labels = split(chosen.labels, ',');
  chosen.torch.pooling = *enum_from_name<Pooling>(chosen.pooling, "--pooling");
  chosen.torch.tokenizer = *enum_from_name<TokenizerKind>(chosen.tokenizer, "--tokenizer");
  SKIM_ASSIGN_OR_RETURN(const auto file, MappedFile::open(chosen.state));
  SKIM_ASSIGN_OR_RETURN(auto draft, import_torch(file.bytes(), chosen.state, chosen.torch));
  SKIM_RETURN_IF_ERROR(write_model_file(draft, chosen.out));
  return draft;
}

std::string imported_text(const ModelDraft& draft, const ImportOptions& chosen) {
  const ModelSpec& spec = draft.spec;
  std::string text =
      printable(chosen.out) + ": dense " + std::string(to_string(spec.reader.cell)) + " of " +
      std::to_string(spec.reader.hidden_size) + " units, " + std::to_string(spec.num_layers) +
      (spec.num_layers == 1 ? " layer" : " layers") +
      (spec.bidirectional ? ", both directions" : "") + ", " + std::to_string(spec.vocab_size) +
      " words, " + std::to_string(spec.labels.size()) + " labels\n";
  if (const std::size_t unreachable = count_unreachable_words(draft); unreachable > 0) {
    text += std::to_string(unreachable) +
            " of the words are unreachable: words are looked up in lower case, and the " +
            chosen.tokenizer + " tokenizer does not produce them\n";
  }
  return text;
}

Json imported_json(const ModelDraft& draft, const ImportOptions& chosen) {
  const ModelSpec& spec = draft.spec;
  return {{"model", chosen.out},
          {"cell", to_string(spec.reader.cell)},
          {"hidden_size", spec.reader.hidden_size},
          {"num_layers", spec.num_layers},
          {"bidirectional", spec.bidirectional},
          {"vocab_size", spec.vocab_size},
          {"unreachable_words", count_unreachable_words(draft)},
          {"labels", spec.labels},
          {"probes", draft.probes.size()}};
}

}  // namespace

int import_verb(Arguments arguments) {
  ImportOptions chosen;
  Options options(
      "import",
      "Imports a dense classifier trained with PyTorch. Its reader reads every word; skim "
      "train --start-from can train it to skim.",
      "FILE --words FILE --labels A,B --out FILE [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (chosen.words.empty()) return usage_error("import", "--words FILE is required");
  if (chosen.labels.empty()) return usage_error("import", "--labels A,B is required");
  if (chosen.out.empty()) return usage_error("import", "--out FILE is required");
  if (const auto fault = validate_outputs({{"--out", chosen.out}},
                                          {{"FILE", chosen.state}, {"--words", chosen.words}});
      !fault.empty())
    return usage_error("import", fault);
  const auto draft = import_state(chosen);
  if (!draft) return failed("import", draft.error());
  return print(chosen.json ? to_text(imported_json(*draft, chosen)) + "\n"
                           : imported_text(*draft, chosen));
}

}  // namespace skim::cli
