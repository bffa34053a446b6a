// The parsing and inference state of one worker thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"
#include "server/server_options.h"
#include "skim/query.h"
#include "skim/session.h"

namespace skim::server {

// One session per model, created on first use. Not thread-safe: each worker thread has its own.
class WorkerContext {
 public:
  // Borrows the models.
  explicit WorkerContext(const std::vector<ServedModel>& models)
      : models_(models), sessions_(models.size()) {}

  Session& session(std::size_t model);
  // The output buffer of the session; keeps its capacity between texts.
  Reading& reading() { return reading_; }
  JsonParser& json_parser() { return json_parser_; }
  // Frees the buffers of inference after a text longer than 64 KiB, so that they do not stay
  // allocated for the short texts that follow.
  void shrink(std::size_t text_bytes);

 private:
  const std::vector<ServedModel>& models_;
  std::vector<std::optional<Session>> sessions_;
  Reading reading_;
  JsonParser json_parser_;
};

}  // namespace skim::server
