#include "nets/net.h"

#include "file/model_file.h"
#include "nets/classifier.h"

namespace skim {

Result<std::unique_ptr<Net>> make_net(const NetParts& parts) {
  if (parts.spec.net == "classifier") return make_classifier(parts);
  return fail(Fault::version, parts.file.name + ": the net '" + parts.spec.net +
                                  "' is unknown to this version; a newer skim may know it");
}

}  // namespace skim
