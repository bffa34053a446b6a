#include "skim/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/result_macros.h"
#include "runtime/model_impl.h"
#include "spec/params.h"

namespace skim {
namespace {

std::vector<float> resolve_label_thresholds(const Calibration& calibration, const ModelSpec& spec) {
  constexpr float kDefault = 0.5F;
  if (spec.output != OutputActivation::sigmoid) return {};
  if (!calibration.label_thresholds.empty()) return calibration.label_thresholds;
  return std::vector<float>(spec.labels.size(), kDefault);
}

std::shared_ptr<ModelImpl> make_impl(std::shared_ptr<const ModelResources> resources,
                                     ModelSpec spec, LoadOptions options) {
  auto impl = std::make_shared<ModelImpl>();
  impl->net = make_net({spec, resources->file, resources->embeddings, options.table_bytes});
  impl->resources = std::move(resources);
  impl->options = options;
  impl->passes = model_passes(spec);
  impl->label_thresholds = resolve_label_thresholds(impl->resources->file.calibration, spec);
  impl->spec = std::move(spec);
  return impl;
}

Result<std::shared_ptr<ModelImpl>> make_impl(ModelFile file, LoadOptions options) {
  if (options.verify_checksum) SKIM_RETURN_IF_ERROR(check_data_checksum(file));
  Result<Vocab> vocab = Vocab::create(file.vocabulary, file.spec.tokenizer);
  if (!vocab)
    return fail(vocab.error().fault, file.name + ": vocabulary: " + vocab.error().message);
  auto resources = std::make_shared<const ModelResources>(std::move(file), std::move(*vocab));
  ModelSpec spec = resources->file.spec;
  auto impl = make_impl(std::move(resources), std::move(spec), options);
  impl->calibration = impl->resources->file.calibration;
  return impl;
}

// Formats with three decimals, the precision of a calibration.
std::string format_work(double value) {
  std::string text = std::to_string(std::round(value * 1000) / 1000);
  return text.substr(0, text.find('.') + 4);
}

}  // namespace

Result<Model> Model::load(const std::filesystem::path& path, LoadOptions options) {
  const FileAccess access = options.map_file ? FileAccess::map : FileAccess::copy;
  SKIM_ASSIGN_OR_RETURN(ModelFile file, open_model_file(path, access));
  SKIM_ASSIGN_OR_RETURN(auto impl, make_impl(std::move(file), options));
  return Model(std::move(impl));
}

Result<Model> Model::from_bytes(std::vector<std::byte> bytes, std::string name,
                                LoadOptions options) {
  SKIM_ASSIGN_OR_RETURN(ModelFile file, open_model_bytes(std::move(bytes), std::move(name)));
  SKIM_ASSIGN_OR_RETURN(auto impl, make_impl(std::move(file), options));
  return Model(std::move(impl));
}

const ModelSpec& Model::spec() const { return impl_->spec; }
const Calibration& Model::calibration() const { return impl_->calibration; }
std::span<const float> Model::label_thresholds() const { return impl_->label_thresholds; }
const std::string& Model::name() const { return impl_->resources->file.name; }
const std::string& Model::checksum() const { return impl_->resources->file.checksum; }
bool Model::reads_together() const { return impl_->net->gathering_net() != nullptr; }

bool Model::streams() const { return impl_->net->streaming_net() != nullptr; }

Result<float> Model::threshold_for(double budget) const {
  if (!(budget >= 0 && budget <= 1)) {
    return fail(Fault::argument,
                "budget is " + std::to_string(budget) +
                    ", expected a fraction of the dense reader's work from 0 to 1");
  }
  if (spec().reader.kind == ReaderKind::dense) {
    return fail(Fault::argument,
                name() + " is a dense reader, which reads every word, so it has no budget");
  }
  const std::vector<Calibration::Point>& points = calibration().points;
  if (points.empty()) {
    return fail(Fault::argument,
                name() +
                    " was never calibrated, so a budget cannot be converted to a threshold; run "
                    "'skim tune' on it, or specify a threshold instead");
  }
  if (budget < points.back().work) {
    return fail(Fault::argument, name() + " spends at least " + format_work(points.back().work) +
                                     " of the dense reader's work, even when it skims every word; "
                                     "specify a budget of at least that");
  }
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const auto& point) { return point.work <= budget; });
  if (above == points.begin()) return static_cast<float>(above->threshold);
  const Calibration::Point& more = *(above - 1);  // more work than the budget
  const double fraction = (more.work - budget) / (more.work - above->work);
  return static_cast<float>(more.threshold + fraction * (above->threshold - more.threshold));
}

Result<Model> Model::dense() const {
  if (spec().reader.kind == ReaderKind::dense) return *this;
  ModelSpec dense_spec = spec();
  dense_spec.reader.kind = ReaderKind::dense;
  dense_spec.reader.skim_sizes.clear();
  auto impl = make_impl(impl_->resources, std::move(dense_spec), impl_->options);
  impl->calibration.temperature = calibration().temperature;
  return Model(std::move(impl));
}

}  // namespace skim
