// What a user may choose about a training, on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "train/options.h"

namespace skim::cli {

struct Choices {
  train::Job job;
  std::string out, test;
  std::string task = "classify", reader = "skim", cell = "lstm", pooling = "last",
              small_sees = "head", decision = "linear", tokenizer = "english", estimator = "gumbel",
              words = "tuned", jump_over = "words";
  std::vector<std::string> teachers;
  int teacher_pieces = 0;
  std::vector<int> small = {10}, jump = {20, 40, 5}, jump_in_training;
  std::optional<double> target_rate;
  double word_rate = 0.2;
  std::uint64_t seed = 1;
  int batch = 32, max_steps = 0, patience = 3000, eval_steps = 0, pretrain = 0, most_words = 400,
      vocabulary = 60'000, fewest = 2, tuned_from = 1, most_texts = 0, memory = 0;
  bool json = false, quiet = false, crops = false;
};

void declare(Options& options, Choices& chosen);

// Turns what was typed into the job; what is wrong with it, if anything is.
std::optional<std::string> settle(Choices& chosen);

}  // namespace skim::cli
