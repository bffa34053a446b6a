#include "trainer/train_options.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "train/options_rules.h"
#include "train/options_table.h"
#include "train/pretrained.h"

namespace skim::cli {
namespace {

using train::OptionInfo;

std::string default_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

template <class T>
requires std::is_integral_v<T> std::string default_text(T value) { return std::to_string(value); }

std::string default_text(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string help_text(const OptionInfo& option, const std::string& default_value) {
  std::string text(option.help);
  return default_value.empty() ? text : text + " (default " + default_value + ")";
}

std::string range_error(const OptionInfo& option, const std::string& given, const char* expected) {
  const std::string range = option.range.text();
  return std::string(option.name) + " is '" + given + "', expected " + expected +
         (range.empty() ? "" : " (" + range + ")");
}

// Declares the options of the table and, after parsing, checks and stores what was given.
class OptionBinder {
 public:
  explicit OptionBinder(Options& options) : options_(options) {}

  void operator()(const OptionInfo& option, bool& field) {
    options_.add_flag(std::string(option.name), field, std::string(option.help));
  }
  void operator()(const OptionInfo& option, std::string& field) { add(option, field, ""); }
  void operator()(const OptionInfo& option, std::vector<std::string>& field) {
    add(option, field, "");
  }
  void operator()(const OptionInfo& option, std::vector<int>& field) {
    add_numbers(option, field, default_text(field));
  }
  template <class T>
  void operator()(const OptionInfo& option, std::optional<T>& field) {
    add_numbers(option, field, "");
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const OptionInfo& option, T& field) {
    add_numbers(option, field, default_text(field));
  }

  template <class T>
  requires std::is_enum_v<T>
  void operator()(const OptionInfo& option, T& field) {
    std::string& text = names_.emplace_back(train::option_value_name(field));
    std::vector<std::string> names;
    for (const auto& [value, name] : train::kOptionValues<T>) names.emplace_back(name);
    options_.add_choice(std::string(option.name), text, std::move(names), help_text(option, text));
    checks_.push_back([&text, &field]() -> std::optional<std::string> {
      for (const auto& [value, name] : train::kOptionValues<T>)
        if (name == text) field = value;
      return std::nullopt;
    });
  }

  // Stores the values; the first error, or nothing.
  std::optional<std::string> store() const {
    for (const auto& parse_value : checks_)
      if (auto error = parse_value()) return error;
    return std::nullopt;
  }

 private:
  template <class T>
  void add(const OptionInfo& option, T& into, const std::string& default_value) {
    options_.add(std::string(option.name), into, std::string(option.metavar),
                 help_text(option, default_value));
  }

  // Declares an option of one or several numbers. The field keeps its value when it is not given.
  template <class T>
  void add_numbers(const OptionInfo& option, T& field, const std::string& default_value) {
    std::optional<std::string>& text = texts_.emplace_back();
    add(option, text, default_value);
    checks_.push_back([option, &text, &field]() -> std::optional<std::string> {
      if (!text || parse(option, *text, field)) return std::nullopt;
      return range_error(option, *text, expected(field));
    });
  }

  static const char* expected(const std::vector<int>& /*field*/) {
    return "whole numbers, separated by commas";
  }
  template <class T>
  static const char* expected(const std::optional<T>& /*field*/) {
    return expected(T());
  }
  template <class T>
  static const char* expected(const T& /*field*/) {
    return std::is_integral_v<T> ? "a whole number" : "a finite number";
  }

  // Each returns false for text that is not a number in the range of the option.
  template <class T>
  static bool parse(const OptionInfo& option, std::string_view text, T& into) {
    T value{};
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end ||
        !option.range.contains(static_cast<double>(value)))
      return false;
    into = value;
    return true;
  }
  template <class T>
  static bool parse(const OptionInfo& option, std::string_view text, std::optional<T>& into) {
    return parse(option, text, into.emplace());
  }
  static bool parse(const OptionInfo& option, std::string_view text, std::vector<int>& into) {
    into.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (!parse(option, text.substr(begin, end - begin), into.emplace_back())) return false;
      begin = end + 1;
    }
    return true;
  }

  Options& options_;
  std::deque<std::string> names_;                 // chosen values of enums
  std::deque<std::optional<std::string>> texts_;  // what was typed for numbers
  std::vector<std::function<std::optional<std::string>()>> checks_;
};

// Former names of options and of their values.
constexpr auto kRenamed = std::to_array<std::pair<const char*, const char*>>({
    {"--vectors", "--embeddings"},
    {"--hidden", "--hidden-size"},
    {"--small", "--skim-size"},
    {"--small-sees head", "--small-input prefix"},
    {"--small-sees all", "--small-input full"},
    {"--small-sees", "--small-input"},
    {"--layers", "--num-layers"},
    {"--word-width", "--embedding-size"},
    {"--words fixed", "--freeze-embeddings"},
    {"--words tuned", "the default"},
    {"--words", "--freeze-embeddings"},
    {"--word-rate", "--embedding-lr-scale"},
    {"--vocabulary", "--vocab-size"},
    {"--tuned-from", "--trainable-min-count"},
    {"--crops", "--random-crop"},
    {"--batch", "--batch-size"},
    {"--average", "--ema-decay"},
    {"--memory", "--chrono-init"},
    {"--read-bias", "--read-bias-init"},
    {"--temperature-fall", "--temperature-decay"},
    {"--teacher-softness", "--distillation-temperature"},
    {"--teacher-weight", "--distillation-weight"},
    {"--teacher-pieces", "--distillation-crops"},
    {"--reader full", "--reader dense"},
    {"--reader jump", "--reader lstm-jump"},
    {"--reader skip", "--reader skip-rnn"},
    {"--reader vary", "--reader vcrnn"},
});

void declare(Options& options, TrainOptions& chosen, OptionBinder& binder) {
  options.add("--out", chosen.out, "FILE", "the model to write");
  options.add("--test", chosen.test, "FILE",
              "labelled text to report on, evaluated once at the end");
  train::visit_options(chosen.job, binder);
  options.add_flag("--no-temperature", chosen.no_temperature,
                   "do not fit the temperature of the scores on dev");
  options.add_flag("--json", chosen.json, "print the result as JSON");
  options.add_flag("--quiet", chosen.quiet, "show no progress");
  options.add_exclusive({"--gamma", "--target-rate"});
  options.add_exclusive({"--pretrain-steps", "--pretrain-fully"});
  for (const auto& [old_name, new_name] : kRenamed) options.add_renamed(old_name, new_name);
  options.add_example(
      "skim train --train train.tsv --dev dev.tsv --embeddings glove.txt --out m.skim");
  options.add_example("skim train --train train.tsv --out m.skim --target-rate 0.8 --resume");
}

// The file that --embeddings names, directly or as the built-in model.
std::string embedding_file(const train::Job& job) {
  if (job.embeddings == train::kDefaultEmbeddings) return job.built_in_model;
  return train::names_embedding_file(job.embeddings) ? job.embeddings : "";
}

// Finds the model whose embeddings are the default. Only --embeddings default must have it.
Result<void> find_built_in_model(train::Job& job) {
  const bool required = job.embeddings == train::kDefaultEmbeddings;
  if (!required && job.embeddings != train::kAutomaticEmbeddings) return {};
  const auto path = built_in_model_path(ModelChoice().built_in);
  if (path) job.built_in_model = path->string();
  if (path || !required) return {};
  return fail(Fault::argument, "--embeddings default: " + path.error().message +
                                   "; give a FILE, or --embeddings none");
}

std::optional<std::string> check_output_files(const TrainOptions& chosen) {
  if (chosen.out.empty()) return "--out is missing: the model to write";
  if (!chosen.test.empty() && !std::filesystem::exists(chosen.test))
    return "--test: there is no file " + chosen.test;
  const train::Job& job = chosen.job;
  std::vector<NamedFile> inputs = {{"--dev", job.dev},
                                   {"--test", chosen.test},
                                   {"--embeddings", embedding_file(job)},
                                   {"--start-from", job.start_from}};
  for (const std::string& file : job.train) inputs.push_back({"--train", file});
  for (const std::string& file : job.teachers) inputs.push_back({"--teacher", file});
  const std::string fault = validate_outputs(
      {{"--out", chosen.out}, {"--log", job.log}, {"--checkpoint", job.checkpoint}}, inputs);
  if (!fault.empty()) return fault;
  return std::nullopt;
}

}  // namespace

std::optional<int> parse_train_options(Arguments arguments, TrainOptions& chosen) {
  Options options("train", "Trains a model on labelled text.", "--train FILE --out FILE [options]");
  OptionBinder binder(options);
  declare(options, chosen, binder);
  if (const auto code = options.parse(arguments)) return *code;
  if (const auto error = binder.store()) return usage_error("train", *error);
  train::apply_task(chosen.job);
  if (const auto error = train::check_options(chosen.job)) return usage_error("train", *error);
  if (const auto found = find_built_in_model(chosen.job); !found)
    return failed("train", found.error());
  if (const auto error = check_output_files(chosen)) return usage_error("train", *error);
  train::resolve_options(chosen.job);
  chosen.job.out = chosen.out;
  if (chosen.job.checkpoint.empty()) chosen.job.checkpoint = chosen.out + ".checkpoint";
  return std::nullopt;
}

}  // namespace skim::cli
