// Serializes readings as JSON, for `skim read --json`, `skim run --json` and the server.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/spec.h"

namespace skim {

// A reading with its query, model and policy. Borrows everything.
struct ReadingView {
  std::string_view text;
  const Reading& reading;
  const ModelSpec& spec;
  std::string_view model;  // path, or the name under which it is served
  Policy policy;
  double microseconds = 0;  // of this reading, from text to answer
  std::string_view question = {};
  std::span<const std::string> choices = {};
  // The median of further readings, if they were made (docs/performance.md#times).
  std::optional<double> warm_microseconds = {};
  // Whether and below which confidence to abstain.
  std::optional<double> abstain = {};
};

// Whether the score of the answer is below view.abstain.
bool is_abstained(const ReadingView& view);

// The optional fields of the object. Words and steps are most of its size.
struct ReadingFields {
  bool model = false;
  bool words = false;
  bool passes = false;
};

// The share of the words of the text that were never looked at (Policy::confident).
double unseen_share(const Reading& reading);

// Appends one JSON object with the fields of docs/cli.md.
void append_reading(std::string& out, const ReadingView& view, ReadingFields fields);

// The labels of a multi-label reading, separated by commas.
std::string label_list(const Reading& reading, const ModelSpec& spec);

// The number of words of the text that the first pass read.
std::size_t count_words_read(const Reading& reading);

}  // namespace skim
