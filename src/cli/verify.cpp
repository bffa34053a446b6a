#include "skim/verify.h"

#include <cstdio>

#include "base/json.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "eval/report.h"

namespace skim::cli {
namespace {

std::string report_text(const Model& model, const VerifyReport& report) {
  std::string text;
  for (const std::string& message : report.messages) text += printable(message) + "\n";
  if (report.ok() && report.probes == 0) {
    return text + printable(model.name()) + ": the checksum is correct; the file has no probes\n";
  }
  text += printable(model.name()) + ": " + std::to_string(report.probes - report.failed) + " of " +
          std::to_string(report.probes) + " probes gave the stored answers and decisions";
  char error[48];
  std::snprintf(error, sizeof error, "; largest score difference %.1e", report.max_score_error);
  return text + error + "\n";
}

Json report_json(const Model& model, const VerifyReport& report) {
  return {{"model", model.name()},
          {"ok", report.ok()},
          {"probes", report.probes},
          {"failed", report.failed},
          {"max_score_error", round_significant(report.max_score_error)},
          {"messages", report.messages}};
}

}  // namespace

int verify_verb(Arguments arguments) {
  ModelChoice choice;
  std::string file;
  bool json = false;
  Options options(
      "verify",
      "Replays the probes of a model file and compares answers and decisions; exit code 1 "
      "if they differ.",
      "[FILE] [options]");
  options.add_argument("FILE", file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, choice);
  options.add_flag("--json", json, "the result as JSON");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim verify imdb.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (!file.empty()) choice.file = file;
  const auto model = load_model(choice);
  if (!model) return failed("verify", model.error());
  const auto report = verify(*model);
  if (!report) return failed("verify", report.error());
  const int printed =
      print(json ? to_text(report_json(*model, *report)) + "\n" : report_text(*model, *report));
  return report->ok() ? printed : static_cast<int>(kFailure);
}

}  // namespace skim::cli
