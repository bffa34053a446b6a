#include "experiment/quiet.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include "base/file.h"

namespace skim {
namespace {

Result<ProcessorTime> processor_time_now() {
  const auto text = read_text("/proc/stat");
  if (!text) return tl::make_unexpected(text.error());
  return processor_time(*text);
}

}  // namespace

Result<ProcessorTime> processor_time(std::string_view stat) {
  std::istringstream line{std::string(stat.substr(0, stat.find('\n')))};
  std::string name;
  line >> name;
  if (name != "cpu")
    return fail(Fault::format, "/proc/stat: its first line is not that of all processors");
  ProcessorTime time;
  double ticks = 0;
  // user nice system idle iowait irq softirq steal; guests are within user. A stolen tick is
  // somebody else's work.
  for (int field = 0; field < 8 && line >> ticks; ++field) {
    time.all += ticks;
    if (field != 3 && field != 4) time.busy += ticks;
  }
  if (time.all <= 0) return fail(Fault::format, "/proc/stat: no times in its first line");
  return time;
}

Result<double> busy_processors(double seconds) {
  const auto before = processor_time_now();
  if (!before) return tl::make_unexpected(before.error());
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto after = processor_time_now();
  if (!after) return tl::make_unexpected(after.error());
  const double all = after->all - before->all;
  const double share = all > 0 ? (after->busy - before->busy) / all : 0;
  return share * std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace skim
