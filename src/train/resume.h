// Finds out what --resume continues: a checkpoint, or nothing because the training has finished.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/result.h"
#include "train/options.h"
#include "train/process_group.h"

namespace skim::train {

struct ResumeSource {
  // nothing: training starts from scratch. finished: the model of this configuration exists.
  enum class Kind : unsigned char { nothing, checkpoint, finished };
  Kind kind = Kind::nothing;
  std::vector<std::byte> checkpoint;  // its bytes, not parsed yet
};

// The process of rank 0 looks at its files; all processes get the same result or the same error.
// Fails when there is no checkpoint and the model to write is that of the same training with
// another end or learning rate: it cannot be continued, and resuming must not replace it.
Result<ResumeSource> find_resume_source(const Job& job, const std::string& config,
                                        ProcessGroup& group);

}  // namespace skim::train
