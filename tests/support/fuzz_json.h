// Structure-aware mutations of JSON documents. Mutations of single bytes rarely keep a document
// valid, and almost never change a document inside a string of another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tests/support/fuzz.h"

namespace skim::fuzz {

void mutate_json(Json& document, MutationRng& random);

// A value at the edge of what parsers accept.
inline Json edge_value(MutationRng& random) {
  static const Json kValues = Json::array({nullptr,
                                           true,
                                           false,
                                           0,
                                           1,
                                           -1,
                                           2,
                                           7,
                                           255,
                                           4096,
                                           4097,
                                           65536,
                                           2147483647,
                                           2147483648U,
                                           4294967296U,
                                           9007199254740993,
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::uint64_t>::max(),
                                           0.5,
                                           -0.0,
                                           1.0,
                                           1e-300,
                                           1e300,
                                           3.5e38,
                                           "",
                                           "a",
                                           "\u00e9",
                                           "1",
                                           Json::array(),
                                           Json::object()});
  return kValues[random() % kValues.size()];
}

inline void collect_nodes(Json& node, std::vector<Json*>& nodes) {
  nodes.push_back(&node);
  if (!node.is_structured()) return;
  for (Json& child : node) collect_nodes(child, nodes);
}

inline void mutate_string(std::string& text, MutationRng& random) {
  if (text.starts_with('{') || text.starts_with('[')) {
    if (Result<Json> inner = parse_json(text, "inner"); inner && random() % 8 != 0) {
      mutate_json(*inner, random);
      text = to_text(*inner);
      return;
    }
  }
  mutate_text(text);
}

inline void mutate_number(Json& number, MutationRng& random) {
  const auto small_change = static_cast<std::int64_t>(random() % 5) - 2;
  if (number.is_number_float()) {
    const double value = number.get<double>();
    number = random() % 2 == 0 ? value * 2 : value + static_cast<double>(small_change) / 8;
  } else {
    // Wraps around instead of overflowing.
    const auto value = number.get<std::uint64_t>() + static_cast<std::uint64_t>(small_change);
    number = static_cast<std::int64_t>(random() % 4 == 0 ? value * 2 : value);
  }
}

// Removes, repeats, swaps or adds a child.
inline void mutate_children(Json& container, MutationRng& random) {
  const std::size_t size = container.size();
  if (size == 0) {
    if (container.is_array()) container.push_back(edge_value(random));
    return;
  }
  const auto draw = [&] {
    return std::next(container.begin(), static_cast<std::ptrdiff_t>(random() % size));
  };
  const auto child = draw(), other = draw();
  switch (random() % 4) {
    case 0:
      container.erase(child);
      break;
    case 1:
      std::swap(*child, *other);
      break;
    case 2:
      *child = Json(*other);
      break;
    default:
      if (container.is_array()) {
        container.push_back(Json(*child));
      } else {
        std::string key = child.key();
        Json value = *child;
        mutate_text(key);
        container[key] = std::move(value);
      }
  }
}

// Changes one node of the document, drawn uniformly.
inline void mutate_json(Json& document, MutationRng& random) {
  std::vector<Json*> nodes;
  collect_nodes(document, nodes);
  Json& node = *nodes[random() % nodes.size()];
  if (random() % 8 == 0) {
    node = edge_value(random);
  } else if (random() % 16 == 0) {
    node = Json(*nodes[random() % nodes.size()]);
  } else if (node.is_structured()) {
    mutate_children(node, random);
  } else if (node.is_string()) {
    mutate_string(node.get_ref<std::string&>(), random);
  } else if (node.is_number()) {
    mutate_number(node, random);
  } else {
    node = edge_value(random);
  }
}

// A custom mutator for inputs that are one JSON document. Falls back to bytes for other inputs, and
// for one of four documents.
inline std::size_t mutate_json_text(std::uint8_t* data, std::size_t size, std::size_t max,
                                    MutationRng& random) {
  Result<Json> document = parse_json(as_text(data, size), "input");
  if (!document || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max);
  mutate_json(*document, random);
  const std::string text = to_text(*document);
  if (text.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace skim::fuzz
