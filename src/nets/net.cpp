#include "nets/net.h"

#include "nets/bidaf.h"
#include "nets/classifier.h"
#include "nets/cloze.h"
#include "nets/span.h"

namespace skim {

std::unique_ptr<Net> make_net(const NetParts& parts) {
  switch (parts.spec.net) {
    case NetKind::classifier:
      return make_classifier(parts);
    case NetKind::cloze:
      return make_cloze(parts);
    case NetKind::span:
      return make_span(parts);
    case NetKind::bidaf:
      break;
  }
  return make_bidaf(parts);
}

}  // namespace skim
