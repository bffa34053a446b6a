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
  // The label, the choice, the span of the text, or the number in decimal.
  std::string text;
  int index = -1;         // of the label or choice; -1 for a span or a number
  float score = 0;        // its probability; 0 for a number
  std::size_t begin = 0;  // the span in bytes [begin, end) of the text; 0, 0 for labels and choices
  std::size_t end = 0;
  float value = 0;  // the number, of regression models only
};

// How much of a Reading is computed.
enum class Detail : std::uint8_t {
  answer,  // the answer, scores and logits; words, trace and costs are empty
  full,
};

struct Reading {
  Answer answer;  // of multi-label models: the label with the highest score
  // One probability per label or choice; they sum to 1 unless the model is multi-label. When the
  // answer is a span of the text: the probability of each word to start it, then the probability of
  // each word to end it. Of regression models: the number.
  std::vector<float> scores;
  std::vector<float> logits;  // before softmax or sigmoid, in the order of `scores`
  // Of multi-label models: the indices of the labels whose scores are above their thresholds, in
  // increasing order.
  std::vector<int> labels;
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
