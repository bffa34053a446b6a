#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "file/model_file.h"

namespace skim::cli {
namespace {

struct UpgradeOptions {
  ModelChoice model;
  std::string out;
  bool json = false;
};

struct Upgraded {
  std::string path;
  bool changed = false;
  std::size_t bytes = 0;
};

// Rewrites the file unless its bytes are those that the current writer produces. Weights,
// calibration and probes stay as they are.
Result<Upgraded> upgrade(const UpgradeOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(chosen.model));
  if (chosen.out.empty() && path.string() != chosen.model.file) {
    return fail(Fault::argument,
                path.string() +
                    ": is a built-in model; write the upgraded one to another file "
                    "with --out FILE");
  }
  const std::string out = chosen.out.empty() ? path.string() : chosen.out;
  SKIM_ASSIGN_OR_RETURN(const auto before, read_text(path));
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(path));
  const ModelDraft draft = to_draft(file);
  SKIM_ASSIGN_OR_RETURN(const auto bytes, to_bytes(draft));
  const std::string_view after(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool changed = after != before;
  if (changed || out != path.string()) {
    SKIM_RETURN_IF_ERROR(write_model_file(draft, out));
  }
  return Upgraded{out, changed, bytes.size()};
}

std::string upgraded_text(const Upgraded& done) {
  return printable(done.path) +
         (done.changed ? ": upgraded to the current format version, "
                       : ": has the current format version already, ") +
         std::to_string(done.bytes) + " bytes\n";
}

Json upgraded_json(const Upgraded& done) {
  return {{"model", done.path}, {"changed", done.changed}, {"file_bytes", done.bytes}};
}

}  // namespace

int upgrade_verb(Arguments arguments) {
  UpgradeOptions chosen;
  Options options("upgrade",
                  "Rewrites a model file in the current format version, in place or to another "
                  "file. Answers and decisions stay the same.",
                  "FILE [--out FILE] [options]");
  options.add_argument("FILE", chosen.model.file,
                       "the model file, or the name of a built-in model");
  options.add("--out", chosen.out, "FILE", "where to write it (default: in place)");
  options.add_flag("--json", chosen.json, "the result as JSON");
  options.add_example("skim upgrade imdb.skim");
  options.add_example("skim upgrade old.skim --out new.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  const auto done = upgrade(chosen);
  if (!done) return failed("upgrade", done.error());
  return print(chosen.json ? to_text(upgraded_json(*done)) + "\n" : upgraded_text(*done));
}

}  // namespace skim::cli
