#include "file/version1.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result_macros.h"
#include "file/format.h"

namespace skim {
namespace {

struct Renamed {
  std::string_view old_name;
  std::string_view new_name;
};
using Names = std::span<const Renamed>;

constexpr std::array kModelTensors = {
    Renamed{"vocab.text", "vocab.text"},
    Renamed{"vocab.ends", "vocab.ends"},
    Renamed{"words", "embedding.weight"},
    Renamed{"pool.w", "pooling.weight"},
    Renamed{"head.w", "head.weight"},
    Renamed{"head.b", "head.bias"},
    Renamed{"choice.w", "choice.weight"},
    Renamed{"choice.b", "choice.bias"},
    Renamed{"question.w", "attention.query"},
    Renamed{"question.both", "attention.product"},
    Renamed{"letters.vectors", "char_cnn.embedding"},
    Renamed{"letters.w", "char_cnn.weight"},
    Renamed{"letters.b", "char_cnn.bias"},
    Renamed{"highway.0.w", "highway.0.weight"},
    Renamed{"highway.0.b", "highway.0.bias"},
    Renamed{"highway.0.gate.w", "highway.0.gate.weight"},
    Renamed{"highway.0.gate.b", "highway.0.gate.bias"},
    Renamed{"highway.1.w", "highway.1.weight"},
    Renamed{"highway.1.b", "highway.1.bias"},
    Renamed{"highway.1.gate.w", "highway.1.gate.weight"},
    Renamed{"highway.1.gate.b", "highway.1.gate.bias"},
    Renamed{"meeting.text", "attention.context"},
    Renamed{"meeting.question", "attention.query"},
    Renamed{"meeting.both", "attention.product"},
    Renamed{"first.w", "start.weight"},
    Renamed{"last.w", "end.weight"},
};
// Behind the prefix of a reader; the tensors of cells are in kCellTensors.
constexpr std::array kReaderTensors = {
    Renamed{"decision.w", "decision.weight_ih"},
    Renamed{"decision.u", "decision.weight_hh"},
    Renamed{"decision.c", "decision.weight_ch"},
    Renamed{"decision.b", "decision.bias"},
    Renamed{"decision.scale", "decision.scale"},
    Renamed{"jump.w", "jump.weight"},
    Renamed{"jump.b", "jump.bias"},
    Renamed{"update.w", "update.weight"},
    Renamed{"update.b", "update.bias"},
    Renamed{"extent.w", "scheduler.weight_ih"},
    Renamed{"extent.u", "scheduler.weight_hh"},
    Renamed{"extent.b", "scheduler.bias"},
};
// Behind "big." or "small.K.".
constexpr std::array kCellTensors = {
    Renamed{"w", "weight_ih"},
    Renamed{"u", "weight_hh"},
    Renamed{"b", "bias"},
    Renamed{"bn", "bias_hn"},
};

constexpr std::array kSpecFields = {
    Renamed{"vocabulary", "vocab_size"}, Renamed{"word_width", "embedding_size"},
    Renamed{"layers", "num_layers"},     Renamed{"weights", "weight_type"},
    Renamed{"letters", "char_cnn"},
};
constexpr std::array kCharCnnFields = {
    Renamed{"width", "embedding_size"},
    Renamed{"filters", "num_filters"},
    Renamed{"window", "kernel_size"},
};
constexpr std::array kReaderFields = {
    Renamed{"input", "input_size"},
    Renamed{"hidden", "hidden_size"},
    Renamed{"small", "skim_sizes"},
    Renamed{"small_sees", "small_input"},
};
constexpr std::array kJumpFields = {
    Renamed{"run", "tokens_per_jump"},
    Renamed{"reach", "max_jump"},
    Renamed{"most", "max_jumps"},
    Renamed{"ends", "sentence_end_ids"},
};
constexpr std::array kReaderKinds = {
    Renamed{"full", "dense"},
    Renamed{"jump", "lstm-jump"},
    Renamed{"skip", "skip-rnn"},
    Renamed{"vary", "vcrnn"},
};
constexpr std::array kSmallInputs = {
    Renamed{"head", "prefix"},
    Renamed{"all", "full"},
};
constexpr std::array kPolicyFields = {Renamed{"read_above", "threshold"}};
constexpr std::array kPassFields = {Renamed{"hidden", "hidden_size"}};

std::optional<std::string_view> new_name(Names names, std::string_view old_name) {
  for (const Renamed& each : names) {
    if (each.old_name == old_name) return each.new_name;
  }
  return std::nullopt;
}

bool is_new_name(Names names, std::string_view name) {
  for (const Renamed& each : names) {
    if (each.new_name == name) return true;
  }
  return false;
}

// Replaces what follows the first `kept` characters of `name` by its new name.
std::optional<std::string> rename_tail(Names names, std::string_view name, std::size_t kept) {
  const auto tail = new_name(names, name.substr(kept));
  if (!tail) return std::nullopt;
  return std::string(name.substr(0, kept)) + std::string(*tail);
}

// The new name of a tensor with a reader's prefix, such as "reader.0.forward.small.1.w".
std::optional<std::string> reader_tensor_name(std::string_view name) {
  for (const std::string_view direction : {".forward.", ".backward."}) {
    const std::size_t found = name.find(direction);
    if (found == std::string_view::npos) continue;
    const std::size_t prefix = found + direction.size();
    const std::string_view local = name.substr(prefix);
    const bool of_cell = local.starts_with("big.") || local.starts_with("small.");
    return of_cell ? rename_tail(kCellTensors, name, name.rfind('.') + 1)
                   : rename_tail(kReaderTensors, name, prefix);
  }
  return std::nullopt;
}

std::optional<std::string> tensor_name(std::string_view name) {
  constexpr std::string_view kScale = ".scale";  // of a quantized tensor
  const bool scaled = name.ends_with(kScale) && !name.ends_with("decision.scale");
  const std::string_view suffix = scaled ? kScale : std::string_view();
  name.remove_suffix(suffix.size());
  auto found = rename_tail(kModelTensors, name, 0);
  if (!found) found = reader_tensor_name(name);
  if (found) found->append(suffix);
  return found;
}

Result<void> rename_tensors(Container& container, const std::string& file) {
  decltype(container.tensors) renamed;
  for (auto& [old_name, tensor] : container.tensors) {
    auto name = tensor_name(old_name);
    if (name) tensor.name = *name;
    if (!name || !renamed.emplace(*name, std::move(tensor)).second) {
      return fail(Fault::mismatch,
                  file + ": tensor '" + old_name + "' is not part of the model its spec describes");
    }
  }
  container.tensors = std::move(renamed);
  return {};
}

// Renames the fields of an object. Drops fields that version 1 ignored and version 2 would read.
void rename_fields(Json& object, Names names) {
  if (!object.is_object()) return;
  Json renamed = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (const auto found = new_name(names, key)) {
      renamed[std::string(*found)] = value;
    } else if (!is_new_name(names, key)) {
      renamed[key] = value;
    }
  }
  object = std::move(renamed);
}

void rename_value(Json& object, const std::string& key, Names names) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return;
  const auto found = new_name(names, object[key].get<std::string>());
  if (found) object[key] = std::string(*found);
}

// Calls `change` with the field of an object, if there is one.
template <class Change>
void change_field(Json& object, const std::string& key, Change change) {
  if (object.is_object() && object.contains(key)) change(object[key]);
}

void translate_spec(Json& spec) {
  rename_fields(spec, kSpecFields);
  change_field(spec, "char_cnn", [](Json& char_cnn) { rename_fields(char_cnn, kCharCnnFields); });
  change_field(spec, "reader", [](Json& reader) {
    rename_fields(reader, kReaderFields);
    rename_value(reader, "kind", kReaderKinds);
    rename_value(reader, "small_input", kSmallInputs);
    change_field(reader, "jump", [](Json& jump) { rename_fields(jump, kJumpFields); });
  });
}

void translate_probes(Json& probes) {
  if (!probes.is_array()) return;
  for (Json& probe : probes) {
    change_field(probe, "policy", [](Json& policy) { rename_fields(policy, kPolicyFields); });
    change_field(probe, "trace", [](Json& trace) {
      if (!trace.is_array()) return;
      for (Json& pass : trace) rename_fields(pass, kPassFields);
    });
  }
}

// Rewrites a metadata entry that holds JSON. A missing entry is left to the loader.
template <class Translate>
Result<void> rewrite(Container& container, std::string_view key, const std::string& file,
                     Translate translate) {
  const auto entry = container.metadata.find(key);
  if (entry == container.metadata.end()) return {};
  SKIM_ASSIGN_OR_RETURN(auto json, parse_json(entry->second, file + ": " + std::string(key)));
  translate(json);
  entry->second = to_text(json);
  return {};
}

}  // namespace

Result<void> translate_version1(Container& container, const std::string& name) {
  SKIM_RETURN_IF_ERROR(rename_tensors(container, name));
  SKIM_RETURN_IF_ERROR(rewrite(container, kSpecKey, name, translate_spec));
  return rewrite(container, kProbesKey, name, translate_probes);
}

}  // namespace skim
