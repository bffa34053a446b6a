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

// Leaves the last column free: some terminals wrap when it is written.
std::size_t line_width() { return terminal_width(STDERR_FILENO) - 1; }

}  // namespace

std::string format_cells(double fraction, std::size_t cells) {
  const auto filled =
      static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(cells));
  return "[" + std::string(filled, '#') + std::string(cells - filled, '.') + "]";
}

std::string format_progress_bar(const std::string& title, double fraction, double seconds,
                                std::size_t width) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const std::string percent = std::to_string(static_cast<int>(fraction * 100)) + "%";
  const std::string figures = " " + std::string(4 - percent.size(), ' ') + percent;
  const std::string left = time_left(fraction, seconds);
  const std::size_t fixed = title.size() + 3 + figures.size() + 14;
  const std::size_t cells = std::min<std::size_t>(width > fixed ? width - fixed : 0, 40);
  std::string text = title;
  if (cells >= 5) text += " " + format_cells(fraction, cells);
  text += figures;
  if (!left.empty()) text += "  " + left;
  return text.substr(0, width);
}

ProgressBar::ProgressBar(std::string title, Mode mode)
    : title_(std::move(title)), active_(mode == Mode::shown && is_terminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() { clear(); }

Progress ProgressBar::callback() {
  if (!active_) return {};
  return [this](double fraction) { update(fraction); };
}

void ProgressBar::update(double fraction) {
  if (!is_due()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  draw(format_progress_bar(title_, fraction, seconds, line_width()));
}

void ProgressBar::update_line(const std::string& line) {
  if (is_due()) draw(line.substr(0, line_width()));
}

void ProgressBar::clear() {
  if (drawn_) static_cast<void>(write_all(STDERR_FILENO, "\r\x1b[K"));
  drawn_ = false;
}

bool ProgressBar::is_due() const {
  return active_ && (!drawn_ || Clock::now() - last_ >= kRefresh);
}

void ProgressBar::draw(const std::string& line) {
  static_cast<void>(write_all(STDERR_FILENO, "\r" + line + "\x1b[K"));
  drawn_ = true;
  last_ = Clock::now();
}

}  // namespace skim::cli
