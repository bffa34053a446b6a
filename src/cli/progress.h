// Progress bar on standard error.
#pragma once

#include <chrono>
#include <string>

#include "eval/progress.h"

namespace skim::cli {

// Draws only when standard error is a terminal; the destructor clears the line.
class ProgressBar {
 public:
  enum class Mode { shown, hidden };
  ProgressBar(std::string title, Mode mode);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  // Returns a callback that updates the bar; the bar must outlive it.
  Progress callback();
  // Redraws the bar at most every 80 ms; `fraction` is 0 to 1.
  void update(double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool active_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_ = {};
};

// Formats the bar in at most `width` columns: "sweep [#####.....] 50%  12 s left".
std::string format_progress_bar(const std::string& title, double fraction, double seconds,
                                std::size_t width);

}  // namespace skim::cli
