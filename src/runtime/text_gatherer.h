// Reads the texts of many queries at once on one thread (readers/gathered_reader.h).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "nets/net.h"
#include "readers/gathered_reader.h"
#include "runtime/query_source.h"
#include "runtime/word_composer.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "text/vocab.h"

namespace skim {

// Holds the working memory of one thread. Not thread-safe.
class TextGatherer final : private TextSource {
 public:
  // Null when the model's texts can only be read one at a time.
  static std::unique_ptr<TextGatherer> create(const Model& model);

  // Reads all queries of `source`, at most `max_in_flight` at once. Every reading equals that of
  // Session::read.
  void read(QuerySource& source, std::size_t max_in_flight) noexcept;

 private:
  // A text in flight.
  struct Slot {
    QueryTask task;
    std::vector<TokenSpan> words;  // unless the reading holds them
    std::vector<WordId> ids;
    NetMemory memory;
    bool busy = false;
  };

  explicit TextGatherer(const Model& model);
  bool next(std::size_t slot, TextChunk& chunk) noexcept override;
  bool take_query(Slot& slot) noexcept;
  Result<void> start(Slot& slot);
  Result<void> finish(Slot& slot);
  // Runs a step of a text; a failure ends the text with an error as its reading.
  template <class Step>
  bool attempt(Slot& slot, const Step& step) noexcept;

  Model model_;
  std::optional<WordComposer> composer_;  // of models with subwords
  const GatheringNet* net_;
  std::unique_ptr<GatheredReader> reader_;
  std::array<Slot, GatheredReader::kSlots> slots_;
  QuerySource* source_ = nullptr;
  std::size_t vacancies_ = 0;  // texts that may still be put in flight
};

}  // namespace skim
