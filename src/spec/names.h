// The names of the enumerators of specs and policies, as spelled in files and options.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

// kNames<E> lists all values of E with their names.
template <class E>
inline constexpr std::array<std::pair<E, std::string_view>, 0> kNames{};
template <>
inline constexpr std::array kNames<NetKind> = {
    std::pair{NetKind::classifier, std::string_view("classifier")},
    std::pair{NetKind::cloze, std::string_view("cloze")},
    std::pair{NetKind::span, std::string_view("span")},
    std::pair{NetKind::bidaf, std::string_view("bidaf")},
};
template <>
inline constexpr std::array kNames<Cell> = {
    std::pair{Cell::lstm, std::string_view("lstm")},
    std::pair{Cell::gru, std::string_view("gru")},
    std::pair{Cell::rnn, std::string_view("rnn")},
};
template <>
inline constexpr std::array kNames<ReaderKind> = {
    std::pair{ReaderKind::dense, std::string_view("dense")},
    std::pair{ReaderKind::skim, std::string_view("skim")},
    std::pair{ReaderKind::lstm_jump, std::string_view("lstm-jump")},
    std::pair{ReaderKind::skip_rnn, std::string_view("skip-rnn")},
    std::pair{ReaderKind::vcrnn, std::string_view("vcrnn")},
};
template <>
inline constexpr std::array kNames<SmallInput> = {
    std::pair{SmallInput::prefix, std::string_view("prefix")},
    std::pair{SmallInput::full, std::string_view("full")},
};
template <>
inline constexpr std::array kNames<Decision> = {
    std::pair{Decision::linear, std::string_view("linear")},
    std::pair{Decision::linear_cell, std::string_view("linear_cell")},
    std::pair{Decision::dot, std::string_view("dot")},
};
template <>
inline constexpr std::array kNames<Pooling> = {
    std::pair{Pooling::last, std::string_view("last")},
    std::pair{Pooling::max, std::string_view("max")},
    std::pair{Pooling::mean, std::string_view("mean")},
    std::pair{Pooling::attention, std::string_view("attention")},
};
template <>
inline constexpr std::array kNames<OutputActivation> = {
    std::pair{OutputActivation::softmax, std::string_view("softmax")},
    std::pair{OutputActivation::sigmoid, std::string_view("sigmoid")},
    std::pair{OutputActivation::linear, std::string_view("linear")},
};
template <>
inline constexpr std::array kNames<WeightType> = {
    std::pair{WeightType::f32, std::string_view("f32")},
    std::pair{WeightType::bf16, std::string_view("bf16")},
    std::pair{WeightType::int8, std::string_view("int8")},
};
template <>
inline constexpr std::array kNames<TokenizerKind> = {
    std::pair{TokenizerKind::english, std::string_view("english")},
    std::pair{TokenizerKind::unicode, std::string_view("unicode")},
    std::pair{TokenizerKind::whitespace, std::string_view("whitespace")},
};
template <>
inline constexpr std::array kNames<Policy::Rule> = {
    std::pair{Policy::Rule::threshold, std::string_view("threshold")},
    std::pair{Policy::Rule::argmax, std::string_view("argmax")},
    std::pair{Policy::Rule::sample, std::string_view("sample")},
};

template <class E>
requires(std::is_enum_v<E> && !kNames<E>.empty()) constexpr std::string_view to_string(E value) {
  for (const auto& [each, name] : kNames<E>) {
    if (each == value) return name;
  }
  return {};
}

// All names of E: "lstm, gru, rnn".
template <class E>
std::string list_names() {
  std::string list;
  for (const auto& [each, name] : kNames<E>) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

// The enumerator called `name`. The error message calls the value `where`: "imdb.skim:
// spec.reader.cell", "--cell".
template <class E>
Result<E> enum_from_name(std::string_view name, std::string_view where) {
  for (const auto& [value, each] : kNames<E>) {
    if (each == name) return value;
  }
  return fail(Fault::format, std::string(where) + " is '" + std::string(name.substr(0, 80)) +
                                 "', it must be one of: " + list_names<E>());
}

}  // namespace skim
