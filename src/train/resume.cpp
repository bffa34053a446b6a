#include "train/resume.h"

#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "file/model_file.h"
#include "train/outputs.h"
#include "train/training_config.h"

namespace skim::train {
namespace {

namespace fs = std::filesystem;

// The configuration of the training that wrote the model; null when none did, or when another
// command has changed the model since.
Json stored_config(const std::string& model) {
  const Result<ModelFile> file = open_model_file(model);
  if (!file) return {};
  return parse_json(file->about, "about").value_or(Json());
}

Result<ResumeSource> find_local_source(const Job& job, const std::string& config) {
  const std::string path = checkpoint_file(job);
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    SKIM_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
    return ResumeSource{ResumeSource::Kind::checkpoint, {file.bytes().begin(), file.bytes().end()}};
  }
  if (!fs::exists(job.out, ignored)) return ResumeSource{};
  SKIM_ASSIGN_OR_RETURN(const Json now, parse_json(config, "config"));
  const Json stored = stored_config(job.out);
  if (stored == now) return ResumeSource{ResumeSource::Kind::finished, {}};
  if (!is_same_training(stored, now)) return ResumeSource{};
  return fail(Fault::mismatch,
              job.out +
                  ": this training has finished, with another --learning-rate, --max-steps or "
                  "--patience-steps, and there is no checkpoint in " +
                  job.checkpoint +
                  " to continue from; start from the model with --start-from and another --out, or "
                  "without --resume to train again and replace it");
}

// The last byte of a message tells what it is: a kind, or this for the text of an error.
constexpr std::byte kErrorTag{0xFF};

std::vector<std::byte> encode_source(Result<ResumeSource> found) {
  std::vector<std::byte> message;
  if (found) {
    message = std::move(found->checkpoint);
    message.push_back(static_cast<std::byte>(found->kind));
  } else {
    const auto text = std::as_bytes(std::span(found.error().message));
    message.assign(text.begin(), text.end());
    message.push_back(kErrorTag);
  }
  return message;
}

Result<ResumeSource> decode_source(std::vector<std::byte> message) {
  const std::byte tag = message.back();
  message.pop_back();
  if (tag != kErrorTag)
    return ResumeSource{static_cast<ResumeSource::Kind>(tag), std::move(message)};
  std::string text(message.size(), '\0');
  std::memcpy(text.data(), message.data(), message.size());
  return fail(Fault::io, text);
}

}  // namespace

Result<ResumeSource> find_resume_source(const Job& job, const std::string& config,
                                        ProcessGroup& group) {
  if (!job.resume) return ResumeSource{};
  std::vector<std::byte> message;
  if (group.rank() == 0) message = encode_source(find_local_source(job, config));
  group.broadcast(message);
  return decode_source(std::move(message));
}

}  // namespace skim::train
