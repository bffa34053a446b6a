#include "runtime/text_gatherer.h"

#include <new>
#include <utility>

#include "base/result_macros.h"
#include "runtime/checks.h"
#include "runtime/model_impl.h"
#include "runtime/reading_result.h"

namespace skim {

std::unique_ptr<TextGatherer> TextGatherer::create(const Model& model) {
  if (model_impl(model).net->gathering_net() == nullptr) return nullptr;
  return std::unique_ptr<TextGatherer>(new TextGatherer(model));
}

TextGatherer::TextGatherer(const Model& model)
    : model_(model),
      composer_(WordComposer::create(model_impl(model).resources->file)),
      net_(model_impl(model).net->gathering_net()),
      reader_(net_->gather()) {}

void TextGatherer::read(QuerySource& source, std::size_t max_in_flight) noexcept {
  source_ = &source;
  vacancies_ = max_in_flight;
  reader_->read(*this);
}

bool TextGatherer::next(std::size_t index, TextChunk& chunk) noexcept {
  Slot& slot = slots_[index];
  for (;;) {
    if (slot.busy) {
      bool more = false;
      const bool good = attempt(slot, [&]() -> Result<void> {
        more = net_->next_chunk(slot.ids, slot.task.policy, slot.memory, chunk);
        return {};
      });
      if (good && more) return true;
      if (good) attempt(slot, [&] { return finish(slot); });
      slot.busy = false;
      ++vacancies_;
    }
    if (!take_query(slot)) return false;
    chunk = {};
  }
}

// Starts the next query that does not fail at once.
bool TextGatherer::take_query(Slot& slot) noexcept {
  if (vacancies_ == 0) return false;
  while (source_->next(slot.task)) {
    slot.busy = attempt(slot, [&] { return start(slot); });
    if (!slot.busy) continue;
    --vacancies_;
    return true;
  }
  return false;
}

Result<void> TextGatherer::start(Slot& slot) {
  const ModelImpl& impl = model_impl(model_);
  SKIM_RETURN_IF_ERROR(check(slot.task.policy));
  SKIM_RETURN_IF_ERROR(check_confident(slot.task.policy, impl));
  SKIM_RETURN_IF_ERROR(check(*slot.task.query, impl.spec));
  if (!*slot.task.reading) *slot.task.reading = Reading{};
  Reading& reading = **slot.task.reading;
  reading.question_words.clear();
  if (slot.task.detail == Detail::answer) clear_details(reading);
  std::vector<TokenSpan>& words = slot.task.detail == Detail::answer ? slot.words : reading.words;
  encode(slot.task.query->text, impl.spec.tokenizer, impl.resources->vocab, words, slot.ids);
  if (composer_) {
    composer_->start_text(slot.memory.composed);
    composer_->compose(slot.task.query->text, words, slot.ids, slot.memory.composed);
  }
  net_->start(slot.memory);
  return {};
}

Result<void> TextGatherer::finish(Slot& slot) {
  const ModelImpl& impl = model_impl(model_);
  Reading& reading = **slot.task.reading;
  net_->predict(slot.memory, {reading.logits, reading.scores});
  set_classification(impl, reading);
  if (slot.task.detail == Detail::full) set_trace(impl, slot.memory, reading);
  return check_finite(model_.name(), reading.logits, slot.memory.passes);
}

// The messages fit the small-string buffer, so they need no memory.
template <class Step>
bool TextGatherer::attempt(Slot& slot, const Step& step) noexcept {
  try {
    Result<void> done = step();
    if (done) return true;
    *slot.task.reading = tl::make_unexpected(std::move(done.error()));
  } catch (const std::bad_alloc&) {
    *slot.task.reading = fail(Fault::io, "out of memory");
  } catch (...) {
    *slot.task.reading = fail(Fault::io, "text too long");
  }
  return false;
}

}  // namespace skim
