// The input and the output of inference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "skim/token_span.h"
#include "skim/trace.h"

namespace skim {

struct Query {
  std::string text;
  std::string question;              // question-answering models only
  std::vector<std::string> choices;  // cloze models only
};

struct Answer {
  std::string text;       // the label, the choice or the span of the text
  int index = -1;         // of the label or choice; -1 when the answer is a span of the text
  float score = 0;        // its probability
  std::size_t begin = 0;  // the span in bytes [begin, end) of the text; 0, 0 for labels and choices
  std::size_t end = 0;
};

// How much of a Reading is computed.
enum class Detail : std::uint8_t {
  answer,  // the answer, scores and logits; words, trace and costs are empty
  full,
};

struct Reading {
  Answer answer;
  // One probability per label or choice; they sum to 1. When the answer is a span of the text: the
  // probability of each word to start it, then the probability of each word to end it.
  std::vector<float> scores;
  std::vector<float> logits;              // before the softmax, in the order of `scores`
  std::vector<TokenSpan> words;           // of the text
  std::vector<TokenSpan> question_words;  // of the question
  Trace trace;  // words after an early answer (Policy::confident) have no steps
  Costs costs;  // against a dense reader of all words

  // The number of words of the text that were never looked at; 0 without a trace.
  std::size_t unseen_words() const {
    const std::size_t seen = trace.empty() ? words.size() : trace.front().steps.size();
    return words.size() - std::min(seen, words.size());
  }
};

}  // namespace skim
