#include "cli/output_files.h"

#include <system_error>

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

// Compares device and inode, which symbolic and hard links share.
bool is_same_file(const fs::path& left, const fs::path& right) {
  std::error_code ignored;
  return fs::is_regular_file(left, ignored) && fs::equivalent(left, right, ignored);
}

// Whether two outputs would be written to the same place; neither needs to exist.
bool is_same_target(const fs::path& left, const fs::path& right) {
  std::error_code failed_left, failed_right;
  const fs::path resolved_left = fs::weakly_canonical(left, failed_left);
  const fs::path resolved_right = fs::weakly_canonical(right, failed_right);
  return is_same_file(left, right) ||
         (!failed_left && !failed_right && resolved_left == resolved_right);
}

std::string collision(const NamedFile& output, const std::string& other, const char* consequence) {
  return output.option + " " + output.path.string() + " is the same file as " + other +
         ", which would be " + consequence + "; give another name";
}

}  // namespace

NamedFile model_file(const ModelChoice& choice) {
  const auto path = model_path(choice);
  return {choice.file.empty() ? "the built-in model" : "the model", path ? *path : fs::path()};
}

std::string validate_outputs(const std::vector<NamedFile>& outputs,
                             const std::vector<NamedFile>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->path.empty()) continue;
    for (const auto& [option, path] : inputs) {
      if (is_same_file(output->path, path == "-" ? fs::path("/dev/stdin") : path))
        return collision(*output, option, "overwritten");
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!other->path.empty() && is_same_target(output->path, other->path))
        return collision(*output, other->option, "written twice");
    }
  }
  return {};
}

}  // namespace skim::cli
