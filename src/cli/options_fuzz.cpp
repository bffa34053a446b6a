// Parses arbitrary arguments, one per line of the input, with options of every type. Accepted
// values must survive being given again; everything else is a usage error with a message.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/output.h"
#include "tests/support/fuzz.h"

namespace skim::cli {
namespace {

std::string printed, message;

}  // namespace

// Replace those of output.cpp.
int print(std::string_view text) {
  printed = text;
  return kSuccess;
}

void print_message(std::string_view /*verb*/, std::string_view text) { message = text; }

namespace {

using fuzz::require;

struct Values {
  std::string text, file, choice = "auto", argument;
  double number = 0.5;
  int count = 3, bounded = 7;
  std::uint64_t seed = 1;
  std::optional<double> budget;
  std::optional<std::string> question;
  std::vector<double> thresholds;
  std::vector<int> sizes;
  std::vector<std::string> models, words;
  bool flag = false;
  bool operator==(const Values&) const = default;
};

std::optional<int> parse(const std::vector<std::string>& arguments, Values& values) {
  Options options("fuzz", "Parses arguments.", "[TEXT] [options]");
  options.add("--text", values.text, "TEXT", "any text");
  options.add("--file", values.file, "FILE", "a file");
  options.add_choice("--choice", values.choice, {"auto", "always", "never"}, "a choice");
  options.add("--number", values.number, "X", "a number");
  options.add("--count", values.count, "N", "a whole number");
  options.add("--bounded", values.bounded, "N", "a whole number from 1 to 100");
  options.add_bounds("--bounded", 1, 100);
  options.add("--seed", values.seed, "N", "a whole number, not negative");
  options.add("--budget", values.budget, "X", "an optional number");
  options.add("--question", values.question, "TEXT", "an optional text");
  options.add("--thresholds", values.thresholds, "A,B,...", "numbers");
  options.add("--sizes", values.sizes, "A,B,...", "whole numbers");
  options.add("--model", values.models, "FILE", "files");
  options.add_flag("--flag", values.flag, "a flag");
  options.add_argument("ARGUMENT", values.argument, "one argument", Options::Need::optional);
  options.add_arguments("TEXT", values.words, "any number of arguments");
  options.add_exclusive({"--number", "--budget"});
  options.add_renamed("--small", "--sizes");
  options.add_renamed("--choice full", "--choice always");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return options.parse(pointers);
}

std::vector<std::string> split_lines(std::string_view input) {
  std::vector<std::string> lines;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    // Arguments end at a zero byte.
    lines.emplace_back(input.substr(0, std::min(end, input.find('\0'))));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return lines;
}

template <class T>
std::string to_digits(T value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

template <class T>
std::string to_list(const std::vector<T>& values) {
  std::string list;
  for (const T value : values) list += (list.empty() ? "" : ",") + to_digits(value);
  return list;
}

// Arguments that give these values.
std::vector<std::string> to_arguments(const Values& values) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* name, const std::string& value) {
    // "--name=" as an argument of its own is an option without a value.
    if (value.starts_with("--"))
      arguments.push_back(std::string(name) + "=" + value);
    else
      arguments.insert(arguments.end(), {name, value});
  };
  add("--text", values.text);
  if (!values.file.empty()) add("--file", values.file);
  add("--choice", values.choice);
  if (!values.budget) add("--number", to_digits(values.number));
  add("--count", to_digits(values.count));
  add("--bounded", to_digits(values.bounded));
  add("--seed", to_digits(values.seed));
  if (values.budget) add("--budget", to_digits(*values.budget));
  if (values.question) add("--question", *values.question);
  if (!values.thresholds.empty()) add("--thresholds", to_list(values.thresholds));
  if (!values.sizes.empty()) add("--sizes", to_list(values.sizes));
  for (const std::string& model : values.models) add("--model", model);
  if (values.flag) arguments.emplace_back("--flag");
  arguments.emplace_back("--");
  if (!values.argument.empty() || !values.words.empty()) arguments.push_back(values.argument);
  arguments.insert(arguments.end(), values.words.begin(), values.words.end());
  return arguments;
}

bool is_nan(double value) { return value != value; }

void check_round_trip(const Values& values) {
  if (is_nan(values.number) ||
      std::any_of(values.thresholds.begin(), values.thresholds.end(), is_nan))
    return;
  if (values.budget && is_nan(*values.budget)) return;
  Values again;
  require(!parse(to_arguments(values), again), "accepted values are accepted again");
  require(again == values, "accepted values parse to themselves");
}

// A number means what its decimal digits say.
template <class T>
void check_number(std::string_view argument, std::string_view option, T value) {
  if (!argument.starts_with(option)) return;
  argument.remove_prefix(option.size());
  T expected = 0;
  const char* end = argument.data() + argument.size();
  const auto parsed = std::from_chars(argument.data(), end, expected);
  require(parsed.ec == std::errc() && parsed.ptr == end && expected == value,
          "an accepted number has the value of its digits");
}

void check_error(int code) {
  require(code == kUsageError, "a parse error is a usage error");
  require(printed.empty() && message.ends_with("\nSee: skim help fuzz") &&
              message.size() > std::string_view("\nSee: skim help fuzz").size(),
          "a usage error has a message and names the help");
  require(std::count(message.begin(), message.end(), '\n') == 1,
          "arguments cannot add lines to the message");
  require(printable_lines(message) == message, "a message has no control characters");
}

void check(const std::vector<std::string>& arguments) {
  printed.clear();
  message.clear();
  Values values;
  const std::optional<int> code = parse(arguments, values);
  if (!code) {
    require(printed.empty() && message.empty(), "accepted arguments print nothing");
    if (arguments.size() == 1) {
      check_number(arguments[0], "--seed=", values.seed);
      check_number(arguments[0], "--count=", values.count);
      check_number(arguments[0], "--bounded=", values.bounded);
      if (!is_nan(values.number)) check_number(arguments[0], "--number=", values.number);
    }
    check_round_trip(values);
  } else if (*code == kSuccess) {
    require(printed.starts_with("skim fuzz ") && message.empty(), "--help prints the help");
  } else {
    check_error(*code);
  }
}

}  // namespace
}  // namespace skim::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  skim::cli::check(skim::cli::split_lines(skim::fuzz::as_text(data, size)));
  return 0;
}
