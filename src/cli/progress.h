// Progress bar on standard error.
#pragma once

#include <chrono>
#include <string>

#include "base/progress.h"

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
  // Draws the bar; `fraction` is 0 to 1. Calls within 80 ms of the last drawing do nothing.
  void update(double fraction);
  // Draws `line`, cut to the width of the terminal, instead of title, percentage and time left.
  void update_line(const std::string& line);
  // Clears the line, for a message in its place; the next update draws it again.
  void clear();

 private:
  bool is_due() const;
  void draw(const std::string& line);

  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool active_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_ = {};
};

// "[#####.....]" with `cells` characters between the brackets.
std::string format_cells(double fraction, std::size_t cells);

// Formats the bar in at most `width` columns: "sweep [#####.....] 50%  12 s left".
std::string format_progress_bar(const std::string& title, double fraction, double seconds,
                                std::size_t width);

}  // namespace skim::cli
