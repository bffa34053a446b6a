#include "eval/machine.h"

#include <fstream>
#include <iterator>
#include <thread>

#include "runtime/simd.h"

namespace skim {

std::string cpu_name(std::string_view cpuinfo) {
  constexpr std::string_view kField = "model name";
  const std::size_t field = cpuinfo.find(kField);
  if (field == std::string_view::npos) return {};
  std::string_view line = cpuinfo.substr(field + kField.size());
  line = line.substr(0, line.find('\n'));
  const std::size_t begin = line.find_first_not_of(" \t:");
  return begin == std::string_view::npos ? std::string{} : std::string(line.substr(begin));
}

Machine this_machine() {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo((std::istreambuf_iterator<char>(file)), {});
  Machine machine;
  machine.cpu = cpu_name(cpuinfo);
  machine.simd = simd_target();
  machine.cores = static_cast<int>(std::thread::hardware_concurrency());
  return machine;
}

Json to_json(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"simd", machine.simd}};
}

std::string to_string(const Machine& machine) {
  std::string text = machine.cpu.empty() ? "unknown processor" : machine.cpu;
  text += ", " + std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores");
  if (!machine.simd.empty()) text += ", " + machine.simd;
  return text;
}

}  // namespace skim
