// skim VERB ...: finds the verb and hands over. Only the chosen verb builds its options, so that
// the program starts in a moment.
#include <array>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/verbs.h"

namespace skim::cli {
namespace {

struct Verb {
  std::string_view name;
  std::string_view about;
  int (*run)(Arguments);
};

constexpr std::array kVerbs = {
    Verb{"read", "read one text and show which words were read", read_verb},
    Verb{"run", "answer many texts, one a line", run_verb},
    Verb{"eval", "accuracy, skim rate, work saved and speed on a data set", eval_verb},
    Verb{"sweep", "accuracy against work, one row a threshold", sweep_verb},
    Verb{"tune", "calibrate a model, so that --budget can be used", tune_verb},
    Verb{"bench", "speed of skimming against plain reading on this machine", bench_verb},
    Verb{"serve", "answer over HTTP, with a page to try it", serve_verb},
    Verb{"info", "what is in a model file", info_verb},
    Verb{"verify", "replay the questions stored in a model file", verify_verb},
    Verb{"quantize", "store a model with other weights: f32, bf16 or int8", quantize_verb},
    Verb{"export", "write a classifier as ONNX, for other programs to run", export_verb},
    Verb{"import", "make a model of a plain network that PyTorch has trained", import_verb},
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
      "skim: speed reading for text models\n\n"
      "usage: skim VERB [options]\n\n"
      "verbs:\n";
  for (const Verb& verb : kVerbs) {
    std::string line = "  " + std::string(verb.name);
    line.resize(13, ' ');
    text += line + std::string(verb.about) + "\n";
  }
  text +=
      "\nskim help VERB (or skim VERB --help) shows a verb's options; skim --version the version.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.\n";
  return text;
}

int unknown_verb(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  std::string message = "there is no verb '" + printable(name) + "'";
  if (const auto meant = closest(name, names)) {
    message += "; did you mean '" + std::string(*meant) + "'?";
  }
  complain("", message + "\nSee: skim help");
  return kWrongUsage;
}

int help_about(Arguments arguments) {
  if (arguments.empty()) return print(help());
  const Verb* verb = find_verb(arguments[0]);
  if (verb == nullptr) return unknown_verb(arguments[0]);
  // What follows may name a part of the verb: skim help train compare.
  std::vector<const char*> asked(arguments.begin() + 1, arguments.end());
  asked.push_back("--help");
  return verb->run(asked);
}

int start(Arguments arguments) {
  if (arguments.empty()) {
    static_cast<void>(write_all(2, help()));
    return kWrongUsage;
  }
  const std::string_view name = arguments[0];
  if (name == "--version" || name == "version") return print("skim " SKIM_VERSION "\n");
  if (name == "help" || name == "--help" || name == "-h") return help_about(arguments.subspan(1));
  const Verb* verb = find_verb(name);
  if (verb == nullptr) return unknown_verb(name);
  return verb->run(arguments.subspan(1));
}

}  // namespace
}  // namespace skim::cli

int main(int argc, char** argv) {
  // A closed pipe shall be an error of write, not the end without a word.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<const char*> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return skim::cli::start(arguments);
}
