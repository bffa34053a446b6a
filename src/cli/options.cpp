#include "cli/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
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

  std::string help() const;
  std::string explain(const CLI::ParseError& error) const;
  std::string unknown_option(const std::string& given) const;
  std::optional<std::string> broken_exclusion() const;
};

namespace {

// Two columns; the second one is wrapped so that it stays in its column on any terminal.
constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 96;

// The words of `text` from column `used` on, further lines indented.
std::string wrapped(const std::string& text, std::size_t used, std::size_t indent) {
  std::string lines;
  bool fresh = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (!fresh && used + 1 + (end - at) > kHelpWidth) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
      fresh = true;
    }
    lines += (fresh ? "" : " ") + text.substr(at, end - at);
    used += (fresh ? 0 : 1) + (end - at);
    fresh = false;
    at = end + 1;
  }
  return lines + "\n";
}

std::string entry(const std::string& name, const std::string& help) {
  std::string text = "  " + name;
  text.resize(std::max(text.size() + 2, kHelpColumn), ' ');
  return text + wrapped(help, text.size(), kHelpColumn);
}

// Help is given whatever else is wrong with the line.
bool wants_help(Arguments arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

std::string with_value(const CLI::Option& option) {
  const std::string value = option.get_option_text();
  return option.get_name() + (value.empty() ? "" : " " + value);
}

}  // namespace

std::string Options::Parser::help() const {
  std::string text =
      "skim " + verb + " " + usage + "\n\n" + wrapped(app.get_description(), 0, 0) + "\n";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) text += entry(with_value(*option), option->get_description());
  }
  if (text.find("\n  ") != std::string::npos) text += "\n";
  text += "options:\n";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) text += entry(with_value(*option), option->get_description());
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
  std::string text = "there is no option " + printable(name);
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
    return "one argument too many: " + (rest.empty() ? "" : printable(rest.front()));
  }
  const std::string what = printable(error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return what.substr(0, what.find(':')) + " needs a value";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return "cannot make sense of " + what.substr(what.rfind(": ") + 2);
  }
  return what;
}

std::optional<std::string> Options::Parser::broken_exclusion() const {
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

void Options::add_example(std::string command) { parser_->examples.push_back(std::move(command)); }

std::optional<int> Options::parse(Arguments arguments) {
  bool help = false;
  parser_->app.add_flag("--help", help, "show this help");
  if (wants_help(arguments)) return print(parser_->help());
  // The library wants them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return wrong_usage(parser_->verb, parser_->explain(error));
  }
  if (const auto broken = parser_->broken_exclusion()) return wrong_usage(parser_->verb, *broken);
  return std::nullopt;
}

int wrong_usage(std::string_view verb, std::string_view message) {
  complain(verb, std::string(message) + "\nSee: skim help " + std::string(verb));
  return kWrongUsage;
}

}  // namespace skim::cli
