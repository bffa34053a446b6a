#include "skim/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/contents.h"
#include "spec/params.h"

namespace skim {
namespace {

Result<std::shared_ptr<ModelContents>> contents_of(std::shared_ptr<const OpenModel> open,
                                                   ModelSpec spec, LoadOptions options) {
  auto contents = std::make_shared<ModelContents>();
  contents->net = make_net({spec, open->file, open->words, options.table_bytes});
  contents->open = std::move(open);
  contents->options = options;
  contents->passes = passes_of(spec);
  contents->spec = std::move(spec);
  return contents;
}

Result<std::shared_ptr<ModelContents>> contents_of(Result<ModelFile> file, LoadOptions options) {
  if (!file) return tl::make_unexpected(file.error());
  Result<Vocab> vocab = Vocab::create(file->vocabulary);
  if (!vocab) {
    return fail(vocab.error().fault, file->name + ": vocabulary: " + vocab.error().message);
  }
  auto open = std::make_shared<const OpenModel>(std::move(*file), std::move(*vocab));
  ModelSpec spec = open->file.spec;
  Result<std::shared_ptr<ModelContents>> contents =
      contents_of(std::move(open), std::move(spec), options);
  if (contents) (*contents)->calibration = (*contents)->open->file.calibration;
  return contents;
}

// As many digits as a calibration is worth.
std::string three_digits(double value) {
  std::string text = std::to_string(std::round(value * 1000) / 1000);
  return text.substr(0, text.find('.') + 4);
}

}  // namespace

Result<Model> Model::load(const std::filesystem::path& path, LoadOptions options) {
  return contents_of(open_model_file(path), options).map([](auto contents) {
    return Model(std::move(contents));
  });
}

Result<Model> Model::from_bytes(std::vector<std::byte> bytes, std::string name,
                                LoadOptions options) {
  return contents_of(open_model_bytes(std::move(bytes), std::move(name)), options)
      .map([](auto contents) { return Model(std::move(contents)); });
}

const ModelSpec& Model::spec() const { return contents_->spec; }
const Calibration& Model::calibration() const { return contents_->calibration; }
const std::string& Model::name() const { return contents_->open->file.name; }

Result<float> Model::threshold_for(double budget) const {
  if (!(budget >= 0 && budget <= 1)) {
    return fail(Fault::argument, "a budget is a share of the plain reader's work, from 0 to 1");
  }
  if (spec().reader.kind == ReaderKind::full) {
    return fail(Fault::argument, name() + " reads every word, so it has no budget to keep");
  }
  const std::vector<Calibration::Point>& points = calibration().points;
  if (points.empty()) {
    return fail(Fault::argument, name() +
                                     " was never calibrated, so it cannot keep to a budget; run "
                                     "'skim tune' on it, or give a threshold instead");
  }
  if (budget < points.back().work) {
    return fail(Fault::argument, name() + " spends at least " + three_digits(points.back().work) +
                                     " of the plain reader's work, even when it skims every word; "
                                     "ask for a budget of that or more");
  }
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const auto& point) { return point.work <= budget; });
  if (above == points.begin()) return static_cast<float>(above->threshold);
  const Calibration::Point& more = *(above - 1);  // more work than asked for
  const double share = (more.work - budget) / (more.work - above->work);
  return static_cast<float>(more.threshold + share * (above->threshold - more.threshold));
}

Result<Model> Model::plain() const {
  if (spec().reader.kind == ReaderKind::full) return *this;
  ModelSpec twin = spec();
  twin.reader.kind = ReaderKind::full;
  twin.reader.small.clear();
  return contents_of(contents_->open, std::move(twin), contents_->options).map([](auto contents) {
    return Model(std::move(contents));
  });
}

}  // namespace skim
