// The parsing and inference state of one worker thread.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "server/model_registry.h"
#include "server/text_group.h"
#include "skim/query.h"

namespace skim::server {

// Not thread-safe: each worker thread has its own. Its sessions are in the ModelSet, so that they
// are freed with their models.
class WorkerContext {
 public:
  explicit WorkerContext(std::size_t worker) : worker_(worker) {}

  Session& session(ModelSet& models, std::size_t model) { return models.session(worker_, model); }
  // The output buffer of the session; keeps its capacity between texts.
  Reading& reading() { return reading_; }
  // The texts that are being read together.
  TextGroup& texts() { return texts_; }
  JsonParser& json_parser() { return json_parser_; }
  // Frees the buffers of inference after a text longer than 64 KiB, so that they do not stay
  // allocated for the short texts that follow.
  void shrink(ModelSet& models, std::size_t text_bytes);
  // Removes the texts that have been read together, and frees the buffers if they are large.
  void clear_texts(ModelSet& models);

 private:
  std::size_t worker_;
  Reading reading_;
  TextGroup texts_;
  JsonParser json_parser_;
};

}  // namespace skim::server
