// A reading as JSON: the object that `skim read --json`, `skim run --json` and the server answer
// with.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/spec.h"

namespace skim {

// A reading with all that is shown beside it. Borrows everything.
struct ReadingView {
  std::string_view text;
  const Reading& reading;
  const ModelSpec& spec;
  std::string_view model;  // its file, or the name it is served under
  Policy policy;
  double microseconds = 0;
  std::string_view question = {};
  std::span<const std::string> choices = {};
};

// What is in the object besides the answer and its figures. Words and steps are most of it.
struct Shown {
  bool model = false;
  bool words = false;
  bool passes = false;
};

// Appends the fields that docs/cli.md promises.
void append_reading(std::string& out, const ReadingView& view, Shown shown);

// How many words of the text the first pass read in full.
std::size_t words_read(const Reading& reading);

}  // namespace skim
