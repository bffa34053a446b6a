#include "runtime/probes.h"

#include <utility>

#include "base/result_macros.h"

namespace skim {

Result<Probe> make_probe(Session& session, const Query& query, const Policy& policy) {
  SKIM_ASSIGN_OR_RETURN(auto reading, session.read(query, policy));
  return Probe{query,
               policy,
               reading.answer.index,
               reading.answer.begin,
               reading.answer.end,
               std::move(reading.scores),
               std::move(reading.trace)};
}

Result<Model> load_draft(const ModelDraft& draft, const std::string& name) {
  auto bytes = to_bytes(draft);
  if (!bytes) return fail(bytes.error().fault, name + ": " + bytes.error().message);
  return Model::from_bytes(std::move(*bytes), name);
}

}  // namespace skim
