#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/output.h"
#include "cli/terminal.h"

namespace skim::cli {
namespace {

constexpr std::chrono::milliseconds kRefresh{80};

std::string time_left(double fraction, double seconds) {
  // Too early for an estimate.
  if (fraction <= 0.02 || seconds < 1) return {};
  const double left = std::ceil(seconds * (1 - fraction) / fraction);
  if (left < 90) return std::to_string(static_cast<int>(left)) + " s left";
  return std::to_string(static_cast<int>(std::ceil(left / 60))) + " min left";
}

}  // namespace

std::string format_progress_bar(const std::string& title, double fraction, double seconds,
                                std::size_t width) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const std::string percent = std::to_string(static_cast<int>(fraction * 100)) + "%";
  const std::string figures = " " + std::string(4 - percent.size(), ' ') + percent;
  const std::string left = time_left(fraction, seconds);
  const std::size_t fixed = title.size() + 3 + figures.size() + 14;
  const std::size_t cells = std::min<std::size_t>(width > fixed ? width - fixed : 0, 40);
  std::string text = title;
  if (cells >= 5) {
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(cells));
    text += " [" + std::string(filled, '#') + std::string(cells - filled, '.') + "]";
  }
  text += figures;
  if (!left.empty()) text += "  " + left;
  return text.substr(0, width);
}

ProgressBar::ProgressBar(std::string title, Mode mode)
    : title_(std::move(title)), active_(mode == Mode::shown && is_terminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) static_cast<void>(write_all(STDERR_FILENO, "\r\x1b[K"));
}

Progress ProgressBar::callback() {
  if (!active_) return {};
  return [this](double fraction) { update(fraction); };
}

void ProgressBar::update(double fraction) {
  const Clock::time_point now = Clock::now();
  if (!active_ || (drawn_ && now - last_ < kRefresh)) return;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  // Leaves the last column free: some terminals wrap when it is written.
  const std::size_t width = terminal_width(STDERR_FILENO) - 1;
  static_cast<void>(write_all(
      STDERR_FILENO, "\r" + format_progress_bar(title_, fraction, seconds, width) + "\x1b[K"));
  drawn_ = true;
  last_ = now;
}

}  // namespace skim::cli
