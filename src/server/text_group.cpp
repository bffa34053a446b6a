#include "server/text_group.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <span>
#include <utility>

namespace skim::server {
namespace {

constexpr std::size_t kMaxRetainedWords = std::size_t{64} << 10U;  // of 24 bytes

}  // namespace

void TextGroup::clear() {
  queries_.clear();
  policies_.clear();
  microseconds_.clear();
  num_read_ = 0;
}

std::size_t TextGroup::add(Query query, Policy policy) {
  assert(queries_.size() < kMaxTexts);
  // Memory first: an exception must not leave vectors of different lengths.
  queries_.reserve(kMaxTexts);
  policies_.reserve(kMaxTexts);
  microseconds_.reserve(kMaxTexts);
  if (readings_.size() == queries_.size()) readings_.emplace_back();
  queries_.push_back(std::move(query));
  policies_.push_back(policy);
  microseconds_.push_back(0);
  return queries_.size() - 1;
}

void TextGroup::read(Session& session) {
  using SteadyClock = std::chrono::steady_clock;
  const std::size_t count = queries_.size() - num_read_;
  if (count == 0) return;
  const auto start = SteadyClock::now();
  session.read(std::span(queries_).last(count), std::span(policies_).last(count),
               std::span(readings_).subspan(num_read_, count));
  const double time = std::chrono::duration<double, std::micro>(SteadyClock::now() - start).count();
  std::fill(microseconds_.begin() + static_cast<std::ptrdiff_t>(num_read_), microseconds_.end(),
            time / static_cast<double>(count));
  num_read_ = queries_.size();
}

const Reading* TextGroup::reading(std::size_t index) const {
  if (index >= num_read_ || !readings_[index]) return nullptr;
  return &*readings_[index];
}

bool TextGroup::is_large() const {
  std::size_t words = 0;
  for (const Result<Reading>& each : readings_) words += each ? each->words.capacity() : 0;
  return words > kMaxRetainedWords;
}

}  // namespace skim::server
