// Entry point of `skim VERB ...`: dispatches to the verb. Only the chosen verb builds its options,
// to keep start-up fast.
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/verbs.h"
#include "skim/version.h"

namespace skim::cli {
namespace {

struct Verb {
  std::string_view name;
  std::string_view about;
  int (*run)(Arguments);
};

constexpr std::array kVerbs = {
    Verb{"read", "read one text and show which words were read", read_verb},
    Verb{"run", "read many texts, one per line", run_verb},
    Verb{"eval", "accuracy, skim rate, work saved and speed on a data set", eval_verb},
    Verb{"sweep", "accuracy against work, one row per threshold", sweep_verb},
    Verb{"tune", "calibrate a model for --budget", tune_verb},
    Verb{"bench", "speed of skimming against the dense LSTM on this machine", bench_verb},
    Verb{"serve", "HTTP server with a demo page", serve_verb},
    Verb{"info", "show the contents of a model file", info_verb},
    Verb{"verify", "replay the probes stored in a model file", verify_verb},
    Verb{"quantize", "convert the weights of a model to f32, bf16 or int8", quantize_verb},
    Verb{"export", "export a classifier to ONNX", export_verb},
    Verb{"import", "import a dense network trained with PyTorch", import_verb},
    Verb{"upgrade", "rewrite a model file in the current format version", upgrade_verb},
    Verb{"train", "train a model (starts skim-train)", train_verb},
};

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

std::string help() {
  std::string text =
      "skim: Skim-RNN inference and training\n\n"
      "usage: skim VERB [options]\n\n"
      "verbs:\n";
  for (const Verb& verb : kVerbs) {
    std::string line = "  " + std::string(verb.name);
    line.resize(13, ' ');
    text += line + std::string(verb.about) + "\n";
  }
  text +=
      "\nskim help VERB (or skim VERB --help) shows a verb's options; skim --version the version.\n"
      "Exit codes: 0 success, 1 failure, 2 wrong usage.\n";
  return text;
}

// Verbs of 0.1, with their successors.
constexpr std::array kRemovedVerbs = {
    std::pair{std::string_view("experiment"), "reproduction/run and reproduction/report"},
    std::pair{std::string_view("data"), "make_data, which a build makes beside skim"}};

int unknown_verb(std::string_view name) {
  for (const auto& [removed, successor] : kRemovedVerbs) {
    if (name != removed) continue;
    print_message("", "'skim " + std::string(removed) + "' is now " + successor);
    return kUsageError;
  }
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  std::string message = "unknown verb '" + printable(name) + "'";
  if (const auto meant = closest(name, names)) {
    message += "; did you mean '" + std::string(*meant) + "'?";
  }
  print_message("", message + "\nSee: skim help");
  return kUsageError;
}

int print_help(Arguments arguments) {
  if (arguments.empty()) return print(help());
  const Verb* verb = find_verb(arguments[0]);
  if (verb == nullptr) return unknown_verb(arguments[0]);
  // The rest may name a subcommand: skim help train compare.
  std::vector<const char*> verb_arguments(arguments.begin() + 1, arguments.end());
  verb_arguments.push_back("--help");
  return verb->run(verb_arguments);
}

int dispatch(Arguments arguments) {
  if (arguments.empty()) {
    static_cast<void>(write_all(2, help()));
    return kUsageError;
  }
  const std::string_view name = arguments[0];
  if (name == "--version" || name == "version") return print("skim " SKIM_VERSION "\n");
  if (name == "help" || name == "--help" || name == "-h") return print_help(arguments.subspan(1));
  const Verb* verb = find_verb(name);
  if (verb == nullptr) return unknown_verb(name);
  return verb->run(arguments.subspan(1));
}

// Prints a message without allocating memory, of which there may be none.
int failed_with(std::string_view what) {
  for (const std::string_view part : {std::string_view("skim: "), what, std::string_view("\n")}) {
    static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
  }
  return kFailure;
}

std::atomic<bool> ran_out_of_memory{false};

// The handler of std::terminate. CLI11 and simdjson have functions that allocate memory and may not
// throw; they run before any file is written.
[[noreturn]] void report_and_exit() {
  if (ran_out_of_memory) ::_exit(failed_with("out of memory"));
  std::abort();
}

// The boundary for exceptions of the standard library: no memory, no thread, a size beyond all
// limits. Everything else is a Result.
int dispatch_or_report(int argc, char** argv) {
  std::set_new_handler([] {
    ran_out_of_memory = true;
    throw std::bad_alloc();
  });
  std::set_terminate(report_and_exit);
  try {
    const std::vector<const char*> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return dispatch(arguments);
  } catch (const std::bad_alloc&) {
    return failed_with("out of memory");
  } catch (const std::exception& error) {
    return failed_with(error.what());
  }
}

}  // namespace
}  // namespace skim::cli

int main(int argc, char** argv) {
  // Makes a closed pipe an error of write instead of terminating the process.
  std::signal(SIGPIPE, SIG_IGN);
  return skim::cli::dispatch_or_report(argc, argv);
}
