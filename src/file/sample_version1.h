// Model files of format version 1 made from files of version 2, for tests and fuzzers.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "file/edit_header.h"
#include "skim/spec.h"

namespace skim {

// The names of version 1 by those of version 2, written down independently of the translation.
using TensorNamePattern = std::pair<const char*, const char*>;
inline constexpr TensorNamePattern kOldTensorNames[] = {
    {R"(embedding\.weight(\.scale)?)", "words$1"},
    {R"((.*ward\.(?:big|small\.\d)\.)weight_ih(\.scale)?)", "$1w$2"},
    {R"((.*ward\.(?:big|small\.\d)\.)weight_hh(\.scale)?)", "$1u$2"},
    {R"((.*ward\.(?:big|small\.\d)\.)bias)", "$1b"},
    {R"((.*ward\.(?:big|small\.\d)\.)bias_hn)", "$1bn"},
    {R"((.*ward\.decision\.)weight_ih)", "$1w"},
    {R"((.*ward\.decision\.)weight_hh)", "$1u"},
    {R"((.*ward\.decision\.)weight_ch)", "$1c"},
    {R"((.*ward\.decision\.)bias)", "$1b"},
    {R"((.*ward\.(?:jump|update)\.)weight)", "$1w"},
    {R"((.*ward\.(?:jump|update)\.)bias)", "$1b"},
    {R"((.*ward\.)scheduler\.weight_ih)", "$1extent.w"},
    {R"((.*ward\.)scheduler\.weight_hh)", "$1extent.u"},
    {R"((.*ward\.)scheduler\.bias)", "$1extent.b"},
    {R"(pooling\.weight)", "pool.w"},
    {R"((head|choice)\.weight)", "$1.w"},
    {R"((head|choice)\.bias)", "$1.b"},
    {R"((highway\.[01](?:\.gate)?)\.weight)", "$1.w"},
    {R"((highway\.[01](?:\.gate)?)\.bias)", "$1.b"},
    {R"(char_cnn\.embedding)", "letters.vectors"},
    {R"(char_cnn\.weight)", "letters.w"},
    {R"(char_cnn\.bias)", "letters.b"},
    {R"(start\.weight)", "first.w"},
    {R"(end\.weight)", "last.w"},
};
inline const std::map<std::string, std::string> kOldSpanTensors = {
    {"attention.query", "question.w"}, {"attention.product", "question.both"}};
inline const std::map<std::string, std::string> kOldBidafTensors = {
    {"attention.context", "meeting.text"},
    {"attention.query", "meeting.question"},
    {"attention.product", "meeting.both"}};
inline const std::map<std::string, std::string> kOldKinds = {{"dense", "full"},
                                                             {"skim", "skim"},
                                                             {"lstm-jump", "jump"},
                                                             {"skip-rnn", "skip"},
                                                             {"vcrnn", "vary"}};

inline std::string old_tensor_name(const std::string& name, NetKind net) {
  const auto& attention = net == NetKind::span ? kOldSpanTensors : kOldBidafTensors;
  if (const auto found = attention.find(name); found != attention.end()) return found->second;
  // Compiling an expression takes far longer than matching it.
  static const std::vector<std::pair<std::regex, const char*>> expressions(
      std::begin(kOldTensorNames), std::end(kOldTensorNames));
  for (const auto& [expression, replacement] : expressions) {
    if (std::regex_match(name, expression))
      return std::regex_replace(name, expression, replacement);
  }
  return name;
}

inline void rename_key(Json& object, const char* name, const char* old_name) {
  if (!object.contains(name)) return;
  Json value = object[name];
  object.erase(name);
  object[old_name] = std::move(value);
}

inline void to_old_spec(Json& spec) {
  rename_key(spec, "vocab_size", "vocabulary");
  rename_key(spec, "embedding_size", "word_width");
  rename_key(spec, "num_layers", "layers");
  rename_key(spec, "weight_type", "weights");
  if (spec.contains("char_cnn")) {
    rename_key(spec["char_cnn"], "embedding_size", "width");
    rename_key(spec["char_cnn"], "num_filters", "filters");
    rename_key(spec["char_cnn"], "kernel_size", "window");
    rename_key(spec, "char_cnn", "letters");
  }
  Json& reader = spec["reader"];
  reader["kind"] = kOldKinds.at(reader["kind"].get<std::string>());
  reader["small_input"] = reader["small_input"] == "full" ? "all" : "head";
  rename_key(reader, "small_input", "small_sees");
  rename_key(reader, "input_size", "input");
  rename_key(reader, "hidden_size", "hidden");
  rename_key(reader, "skim_sizes", "small");
  if (!reader.contains("jump")) return;
  rename_key(reader["jump"], "tokens_per_jump", "run");
  rename_key(reader["jump"], "max_jump", "reach");
  rename_key(reader["jump"], "max_jumps", "most");
  rename_key(reader["jump"], "sentence_end_ids", "ends");
}

inline void to_old_probes(Json& probes) {
  for (Json& probe : probes) {
    rename_key(probe["policy"], "threshold", "read_above");
    for (Json& pass : probe["trace"]) rename_key(pass, "hidden_size", "hidden");
  }
}

// The same model as a file of version 1.
inline std::vector<std::byte> to_version1(const std::vector<std::byte>& bytes, NetKind net) {
  return with_changed_header(bytes, [net](Json& header) {
    Json old = Json::object();
    for (const auto& [name, tensor] : header.items()) old[old_tensor_name(name, net)] = tensor;
    old["__metadata__"]["format_version"] = "1";
    change_metadata(old, "spec", to_old_spec);
    change_metadata(old, "probes", to_old_probes);
    header = std::move(old);
  });
}

}  // namespace skim
