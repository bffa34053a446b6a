#include "train/outputs.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/result_macros.h"

namespace skim::train {

namespace fs = std::filesystem;

std::string checkpoint_file(const Job& job) {
  return (fs::path(job.checkpoint) / "checkpoint.safetensors").string();
}

Result<void> check_outputs(const Job& job) {
  SKIM_RETURN_IF_ERROR(check_writable(job.out));
  if (!job.log.empty()) SKIM_RETURN_IF_ERROR(check_writable(job.log));
  std::error_code error, ignored;
  const bool created = fs::create_directories(job.checkpoint, error);
  if (error)
    return fail(Fault::io, job.checkpoint +
                               ": the folder of checkpoints cannot be created: " + error.message());
  const Result<void> writable = check_writable(checkpoint_file(job));
  if (created) fs::remove(job.checkpoint, ignored);
  return writable;
}

}  // namespace skim::train
