// Command-line options of one verb: declaration, parsing, help. The only user of CLI11; a verb
// declares its options and gets plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skim::cli {

enum ExitCode : int { kSuccess = 0, kFailure = 1, kUsageError = 2 };

// The command-line arguments after the verb.
using Arguments = std::span<const char* const>;

class Options {
 public:
  // `usage` follows the verb in the help: "[TEXT] [options]".
  Options(std::string verb, std::string about, std::string usage);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options();

  // Adds an option with a value; `name` is "--threshold", `value` names the value in the help.
  // `into` keeps its value when the option is absent. Empty numbers, files and directories (by
  // `value`) are rejected: they usually come from an unset variable. T is one of: std::string,
  // double, int, std::uint64_t, std::optional<double>, std::optional<std::string>,
  // std::vector<double> and std::vector<int> (comma-separated), std::vector<std::string> (repeated
  // option).
  template <class T>
  void add(const std::string& name, T& into, const std::string& value, const std::string& help);
  // Restricts the value of an option that has been added to `min` to `max`.
  void add_bounds(const std::string& name, int min, int max);
  // Adds an option whose value is one of `choices`.
  void add_choice(const std::string& name, std::string& into, std::vector<std::string> choices,
                  const std::string& help);
  void add_flag(const std::string& name, bool& into, const std::string& help);
  // Adds positional arguments: one, or any number.
  enum class Need { required, optional };
  void add_argument(const std::string& name, std::string& into, const std::string& help,
                    Need need = Need::required);
  void add_arguments(const std::string& name, std::vector<std::string>& into,
                     const std::string& help);
  // Allows at most one of these options.
  void add_exclusive(std::vector<std::string> names);
  // Rejects `old_name` with the message "OLD is now NEW". `old_name` is an option ("--small") or an
  // option with one of its values ("--reader full").
  void add_renamed(std::string old_name, std::string new_name);
  // Appends an example command to the end of the help.
  void add_example(std::string command);

  // Parses the arguments. Returns nothing on success, else the exit code after printing the help or
  // an error.
  std::optional<int> parse(Arguments arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// Prints "skim VERB: message" and how to get help; returns kUsageError.
int usage_error(std::string_view verb, std::string_view message);

}  // namespace skim::cli
