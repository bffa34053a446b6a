#include "wire/model_json.h"

#include <algorithm>
#include <vector>

#include "skim/policy.h"
#include "spec/names.h"
#include "spec/spec_json.h"

namespace skim {

Json describe_model(const Model& model, std::string_view name) {
  const ModelSpec& spec = model.spec();
  const auto& points = model.calibration().points;
  Json spec_json = to_json(spec);
  spec_json.erase("labels");
  Json json = {{"name", name},
               {"checksum", model.checksum()},
               {"net", to_string(spec.net)},
               {"output", to_string(spec.output)},
               {"labels", spec.labels},
               {"takes_question", spec.net != NetKind::classifier},
               {"takes_choices", spec.net == NetKind::cloze},
               {"threshold", static_cast<double>(Policy{}.threshold)},
               {"num_layers", spec.num_layers},
               {"directions", spec.directions()},
               {"temperature", model.calibration().temperature},
               {"calibrated", !points.empty()},
               {"budgets", nullptr},
               {"spec", std::move(spec_json)}};
  if (spec.output == OutputActivation::sigmoid)
    json["label_thresholds"] =
        std::vector<float>(model.label_thresholds().begin(), model.label_thresholds().end());
  if (!points.empty()) {
    json["budgets"] = {{"min", points.back().work}, {"max", std::min(points.front().work, 1.0)}};
  }
  return json;
}

}  // namespace skim
