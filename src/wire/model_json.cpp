#include "wire/model_json.h"

#include <algorithm>

#include "skim/policy.h"
#include "spec/names.h"
#include "spec/spec_json.h"

namespace skim {

Json model_json(const Model& model, std::string_view name) {
  const ModelSpec& spec = model.spec();
  const auto& points = model.calibration().points;
  Json details = json_of(spec);
  details.erase("labels");
  Json json = {{"name", name},
               {"net", name_of(spec.net)},
               {"labels", spec.labels},
               {"takes_question", spec.net != NetKind::classifier},
               {"takes_choices", spec.net == NetKind::cloze},
               {"threshold", static_cast<double>(Policy{}.read_above)},
               {"layers", spec.layers},
               {"directions", spec.directions()},
               {"calibrated", !points.empty()},
               {"budgets", nullptr},
               {"spec", std::move(details)}};
  if (!points.empty()) {
    json["budgets"] = {{"least", points.back().work}, {"most", std::min(points.front().work, 1.0)}};
  }
  return json;
}

}  // namespace skim
