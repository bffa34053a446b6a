#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/output.h"
#include "cli/terminal.h"

namespace skim::cli {
namespace {

// Often enough to look alive, seldom enough to cost nothing.
constexpr std::chrono::milliseconds kRefresh{80};

std::string time_left(double share, double seconds) {
  // The first moments say little about the rest.
  if (share <= 0.02 || seconds < 1) return {};
  const double left = std::ceil(seconds * (1 - share) / share);
  if (left < 90) return std::to_string(static_cast<int>(left)) + " s left";
  return std::to_string(static_cast<int>(std::ceil(left / 60))) + " min left";
}

}  // namespace

std::string bar_text(const std::string& what, double share, double seconds, std::size_t width) {
  share = std::clamp(share, 0.0, 1.0);
  const std::string percent = std::to_string(static_cast<int>(share * 100)) + "%";
  const std::string figures = " " + std::string(4 - percent.size(), ' ') + percent;
  const std::string left = time_left(share, seconds);
  const std::size_t fixed = what.size() + 3 + figures.size() + 14;
  const std::size_t cells = std::min<std::size_t>(width > fixed ? width - fixed : 0, 40);
  std::string text = what;
  if (cells >= 5) {
    const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
    text += " [" + std::string(full, '#') + std::string(cells - full, '.') + "]";
  }
  text += figures;
  if (!left.empty()) text += "  " + left;
  return text.substr(0, width);
}

ProgressBar::ProgressBar(std::string what, Mode mode)
    : what_(std::move(what)), active_(mode == Mode::shown && is_terminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) static_cast<void>(write_all(STDERR_FILENO, "\r\x1b[K"));
}

Progress ProgressBar::listener() {
  if (!active_) return {};
  return [this](double share) { show(share); };
}

void ProgressBar::show(double share) {
  const Clock::time_point now = Clock::now();
  if (!active_ || (drawn_ && now - last_ < kRefresh)) return;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  // The last column stays free: some terminals wrap when it is written.
  const std::size_t width = terminal_width(STDERR_FILENO) - 1;
  static_cast<void>(
      write_all(STDERR_FILENO, "\r" + bar_text(what_, share, seconds, width) + "\x1b[K"));
  drawn_ = true;
  last_ = now;
}

}  // namespace skim::cli
