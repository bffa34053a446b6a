// The options of one verb: declared, parsed, explained. The only part that knows the option
// library; a verb declares what it takes and gets plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skim::cli {

enum ExitCode : int { kDone = 0, kFailed = 1, kWrongUsage = 2 };

// What follows the verb on the command line.
using Arguments = std::span<const char* const>;

class Options {
 public:
  // `usage` stands behind the verb in the help: "[TEXT] [options]".
  Options(std::string verb, std::string about, std::string usage);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options();

  // An option with a value; `name` is "--threshold", `value` names the value in the help. `into`
  // keeps what it holds when the option is not given. T is one of: std::string, double, int,
  // std::uint64_t, std::optional<double>, std::optional<std::string>, std::vector<double>,
  // std::vector<int> (comma-separated), std::vector<std::string> (the option given again and
  // again).
  template <class T>
  void add(const std::string& name, T& into, const std::string& value, const std::string& help);
  // One of a few words.
  void add_choice(const std::string& name, std::string& into, std::vector<std::string> choices,
                  const std::string& help);
  void add_flag(const std::string& name, bool& into, const std::string& help);
  // Arguments without a name: one, or any number.
  enum class Need { required, optional };
  void add_argument(const std::string& name, std::string& into, const std::string& help,
                    Need need = Need::required);
  void add_arguments(const std::string& name, std::vector<std::string>& into,
                     const std::string& help);
  // At most one of these may be given.
  void add_exclusive(std::vector<std::string> names);
  // Shown at the end of the help.
  void add_example(std::string command);

  // Nothing when the verb can go on; else the exit code, after the help or a message was printed.
  std::optional<int> parse(Arguments arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// Prints "skim VERB: message" and where help is found; returns kWrongUsage.
int wrong_usage(std::string_view verb, std::string_view message);

}  // namespace skim::cli
