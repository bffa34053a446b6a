// A progress bar on standard error, when that is a terminal.
#pragma once

#include <chrono>
#include <string>

#include "eval/progress.h"

namespace skim::cli {

// Draws nothing unless standard error is a terminal, and wipes its line when it goes.
class ProgressBar {
 public:
  enum class Mode { shown, hidden };
  ProgressBar(std::string what, Mode mode);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  // For the library's long work; the bar must outlive it.
  Progress listener();
  void show(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool active_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_ = {};
};

// The bar as text of at most `width` columns: "sweep [#####.....] 50%  12 s left".
std::string bar_text(const std::string& what, double share, double seconds, std::size_t width);

}  // namespace skim::cli
