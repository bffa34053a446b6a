#include "cli/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <type_traits>

#include "cli/output.h"
#include "cli/suggest.h"

namespace skim::cli {

struct Options::Parser {
  CLI::App app;
  std::string verb;
  std::string usage;
  std::vector<std::vector<std::string>> exclusive;
  std::vector<std::string> examples;
  std::map<std::string, std::string, std::less<>>
      renamed;  // "--old" or "--option old-value" to its new form

  std::string help() const;
  std::string explain(const CLI::ParseError& error) const;
  std::string unknown_option(const std::string& given) const;
  std::optional<std::string> find_conflict() const;
  std::optional<std::string> find_renamed(Arguments arguments) const;
  std::optional<std::string> find_without_value(Arguments arguments) const;
};

namespace {

template <class T>
constexpr bool is_text =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::optional<std::string>> ||
    std::is_same_v<T, std::vector<std::string>>;

// The help has two columns; the second one is wrapped to stay in its column.
constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 96;

// Wraps `text`, which starts at column `used`, and indents further lines.
std::string wrap(const std::string& text, std::size_t used, std::size_t indent) {
  std::string lines;
  bool at_line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (!at_line_start && used + 1 + (end - at) > kHelpWidth) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
      at_line_start = true;
    }
    lines += (at_line_start ? "" : " ") + text.substr(at, end - at);
    used += (at_line_start ? 0 : 1) + (end - at);
    at_line_start = false;
    at = end + 1;
  }
  return lines + "\n";
}

std::string format_entry(const std::string& name, const std::string& help) {
  std::string text = "  " + name;
  text.resize(std::max(text.size() + 2, kHelpColumn), ' ');
  return text + wrap(help, text.size(), kHelpColumn);
}

// --help wins over any error in the arguments.
bool wants_help(Arguments arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

// Returns what is wrong with a number; empty when it is valid. CLI11 would take hexadecimal and
// octal digits and white space, and clamp whole numbers that do not fit. Writes whole numbers
// again, because it takes a leading zero for octal.
template <class Number>
std::string check_number(std::string& given) {
  Number number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (error == std::errc::result_out_of_range) return "'" + given + "' is out of range";
  constexpr bool is_whole = std::is_integral_v<Number>;
  if (error != std::errc() || end != given.data() + given.size())
    return "'" + given + "' is not a " + (is_whole ? "whole number" : "number");
  if constexpr (is_whole) given = std::to_string(number);
  return {};
}

template <class T>
std::string check_value(std::string& given) {
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::vector<int>>)
    return check_number<int>(given);
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return check_number<std::uint64_t>(given);
  else if constexpr (!is_text<T>)
    return check_number<double>(given);
  else
    return {};
}

std::string with_value(const CLI::Option& option) {
  const std::string& value = option.get_option_text();
  return option.get_name() + (value.empty() ? "" : " " + value);
}

}  // namespace

std::string Options::Parser::help() const {
  std::string text =
      "skim " + verb + " " + usage + "\n\n" + wrap(app.get_description(), 0, 0) + "\n";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      text += format_entry(with_value(*option), option->get_description());
  }
  if (text.find("\n  ") != std::string::npos) text += "\n";
  text += "options:\n";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional())
      text += format_entry(with_value(*option), option->get_description());
  }
  if (!examples.empty()) text += "\nexamples:\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

std::string Options::Parser::unknown_option(const std::string& given) const {
  std::vector<std::string_view> names;
  std::vector<std::string> owned;
  for (const CLI::Option* option : app.get_options()) owned.push_back(option->get_name());
  names.assign(owned.begin(), owned.end());
  const std::string name = given.substr(0, given.find('='));
  std::string text = "unknown option " + printable(name);
  if (const auto meant = closest(name, names))
    text += "; did you mean " + std::string(*meant) + "?";
  return text;
}

std::string Options::Parser::explain(const CLI::ParseError& error) const {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto rest = app.remaining();
    const auto option = std::find_if(rest.begin(), rest.end(), [](const std::string& argument) {
      return argument.starts_with('-') && argument.size() > 1;
    });
    if (option != rest.end()) return unknown_option(*option);
    return "unexpected argument: " + (rest.empty() ? "" : printable(rest.front()));
  }
  const std::string what = printable(error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return what.substr(0, what.find(':')) + " needs a value";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return "invalid value: " + what.substr(what.rfind(": ") + 2);
  }
  return what;
}

std::optional<std::string> Options::Parser::find_conflict() const {
  for (const auto& names : exclusive) {
    std::string first;
    for (const std::string& name : names) {
      if (app.get_option(name)->count() == 0) continue;
      if (!first.empty()) return first + " and " + name + " cannot be given together";
      first = name;
    }
  }
  return std::nullopt;
}

// "--option=" from an unset variable; CLI11 would take the next argument as its value.
std::optional<std::string> Options::Parser::find_without_value(Arguments arguments) const {
  for (const std::string_view argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    const std::string name(argument.substr(0, argument.size() - 1));
    if (app.get_option_no_throw(name) != nullptr) return name + "= has no value";
  }
  return std::nullopt;
}

std::optional<std::string> Options::Parser::find_renamed(Arguments arguments) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--") break;
    const std::size_t equals = argument.find('=');
    const std::string name(argument.substr(0, equals));
    std::string with_value = name + " ";
    if (equals != std::string_view::npos)
      with_value += argument.substr(equals + 1);
    else if (i + 1 < arguments.size())
      with_value += arguments[i + 1];
    for (const std::string& old : {with_value, name}) {
      const auto found = renamed.find(old);
      if (found != renamed.end()) return found->first + " is now " + found->second;
    }
  }
  return std::nullopt;
}

Options::Options(std::string verb, std::string about, std::string usage)
    : parser_(std::make_unique<Parser>()) {
  parser_->app.description(std::move(about));
  parser_->app.set_help_flag();
  parser_->verb = std::move(verb);
  parser_->usage = std::move(usage);
}

Options::~Options() = default;

template <class T>
void Options::add(const std::string& name, T& into, const std::string& value,
                  const std::string& help) {
  CLI::Option* option = parser_->app.add_option(name, into, help)->option_text(value);
  if constexpr (std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<int>>) {
    option->delimiter(',')->allow_extra_args(false);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    option->allow_extra_args(false);
  } else {
    option->take_last();
  }
  const bool is_path = value.ends_with("FILE") || value.ends_with("DIR");
  if (is_text<T> && !is_path) return;
  const auto check = [value](std::string& given) {
    return given.empty() ? "the value is empty, expected " + value : check_value<T>(given);
  };
  option->transform(CLI::Validator(check, ""));
}

void Options::add_bounds(const std::string& name, int min, int max) {
  parser_->app.get_option(name)->check([min, max](const std::string& given) {
    int number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const bool valid = error == std::errc() && end == given.data() + given.size() &&
                       number >= min && number <= max;
    return valid ? std::string{}
                 : "'" + given + "' is not a whole number from " + std::to_string(min) + " to " +
                       std::to_string(max);
  });
}

template void Options::add(const std::string&, std::string&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, double&, const std::string&, const std::string&);
template void Options::add(const std::string&, int&, const std::string&, const std::string&);
template void Options::add(const std::string&, std::uint64_t&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::optional<double>&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::optional<std::string>&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::vector<double>&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::vector<int>&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::vector<std::string>&, const std::string&,
                           const std::string&);

void Options::add_choice(const std::string& name, std::string& into,
                         std::vector<std::string> choices, const std::string& help) {
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : "|") + choice;
  const auto check = [choices = std::move(choices), list](const std::string& given) {
    const bool known = std::find(choices.begin(), choices.end(), given) != choices.end();
    return known ? std::string{} : "'" + given + "' is not one of " + list;
  };
  parser_->app.add_option(name, into, help)->check(check)->option_text(list)->take_last();
}

void Options::add_flag(const std::string& name, bool& into, const std::string& help) {
  parser_->app.add_flag(name, into, help);
}

void Options::add_argument(const std::string& name, std::string& into, const std::string& help,
                           Need need) {
  CLI::Option* option = parser_->app.add_option(name, into, help)->option_text(" ");
  option->required(need == Need::required);
}

void Options::add_arguments(const std::string& name, std::vector<std::string>& into,
                            const std::string& help) {
  parser_->app.add_option(name, into, help)->option_text(" ");
}

void Options::add_exclusive(std::vector<std::string> names) {
  parser_->exclusive.push_back(std::move(names));
}

void Options::add_renamed(std::string old_name, std::string new_name) {
  parser_->renamed.emplace(std::move(old_name), std::move(new_name));
}

void Options::add_example(std::string command) { parser_->examples.push_back(std::move(command)); }

std::optional<int> Options::parse(Arguments arguments) {
  bool help = false;
  parser_->app.add_flag("--help", help, "show this help");
  if (wants_help(arguments)) return print(parser_->help());
  if (const auto message = parser_->find_renamed(arguments)) {
    return usage_error(parser_->verb, *message);
  }
  if (const auto message = parser_->find_without_value(arguments)) {
    return usage_error(parser_->verb, *message);
  }
  // CLI11 expects the arguments in reverse order.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return usage_error(parser_->verb, parser_->explain(error));
  }
  if (const auto conflict = parser_->find_conflict()) return usage_error(parser_->verb, *conflict);
  return std::nullopt;
}

int usage_error(std::string_view verb, std::string_view message) {
  print_message(verb, std::string(message) + "\nSee: skim help " + std::string(verb));
  return kUsageError;
}

}  // namespace skim::cli
