// Compares readers with an independent implementation in double precision
// (tools/make_parity_fixtures.py), whose dense cells in turn are compared with PyTorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "skim/layer.h"

namespace skim {
namespace {

// f32 rounding errors of about a dozen products per unit, propagated through 14 steps.
// Probabilities depend on logits of magnitude up to about 10, whose errors are ten times larger.
constexpr float kStateTolerance = 5e-6F;
constexpr float kProbabilityTolerance = 2e-5F;

struct Fixture {
  struct Weights {
    std::string name;
    std::vector<std::size_t> shape;
    std::vector<float> values;
  };

  ReaderSpec spec;
  Policy policy;
  std::vector<Weights> weights;
  std::vector<float> rows, out, p_read;
  std::vector<int> widths;

  std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> named;
    for (const Weights& tensor : weights) {
      named.push_back({tensor.name, tensor.shape, tensor.values});
    }
    return named;
  }
};

// Parses the tokens of a fixture file in order.
class FixtureFile {
 public:
  explicit FixtureFile(const std::filesystem::path& path) : in_(path) {}

  bool complete() const { return static_cast<bool>(in_); }

  template <class T>
  T next() {
    T value{};
    in_ >> value;
    return value;
  }
  template <class T>
  T field(const std::string& name) {
    expect(name);
    return next<T>();
  }
  void expect(const std::string& name) { EXPECT_EQ(next<std::string>(), name); }

  template <class T>
  T choice(const std::string& name, const std::map<std::string, T>& names) {
    const auto found = names.find(field<std::string>(name));
    EXPECT_NE(found, names.end()) << "unknown " << name;
    return found == names.end() ? T{} : found->second;
  }
  template <class T>
  std::vector<T> list(std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) in_ >> value;
    return values;
  }
  // Integers, in multiples of 1/unit.
  std::vector<float> multiples(std::size_t count, float unit) {
    std::vector<float> values = list<float>(count);
    for (float& value : values) value /= unit;
    return values;
  }

 private:
  std::ifstream in_;
};

ReaderSpec read_spec(FixtureFile& file) {
  ReaderSpec spec;
  spec.kind =
      file.choice<ReaderKind>("kind", {{"dense", ReaderKind::dense}, {"skim", ReaderKind::skim}});
  spec.cell =
      file.choice<Cell>("cell", {{"lstm", Cell::lstm}, {"gru", Cell::gru}, {"rnn", Cell::rnn}});
  spec.input_size = file.field<int>("input_size");
  spec.hidden_size = file.field<int>("hidden_size");
  spec.skim_sizes = file.list<int>(file.field<std::size_t>("skim_sizes"));
  spec.small_input = file.choice<SmallInput>(
      "small_input", {{"prefix", SmallInput::prefix}, {"full", SmallInput::full}});
  spec.decision = file.choice<Decision>("decision", {{"linear", Decision::linear},
                                                     {"linear_cell", Decision::linear_cell},
                                                     {"dot", Decision::dot}});
  return spec;
}

Fixture::Weights read_weights(FixtureFile& file, float unit) {
  Fixture::Weights weights;
  weights.name = file.next<std::string>();
  weights.shape = file.list<std::size_t>(file.next<std::size_t>());
  std::size_t count = 1;
  for (const std::size_t extent : weights.shape) count *= extent;
  weights.values = file.multiples(count, unit);
  return weights;
}

Fixture load(const std::filesystem::path& path) {
  FixtureFile file(path);
  Fixture fixture;
  fixture.spec = read_spec(file);
  fixture.policy.threshold = file.field<float>("threshold");
  const auto unit = file.field<float>("unit");
  for (auto left = file.field<int>("tensors"); left > 0; --left) {
    fixture.weights.push_back(read_weights(file, unit));
  }
  const auto count = file.field<std::size_t>("rows");
  fixture.rows = file.multiples(count * static_cast<std::size_t>(fixture.spec.input_size), unit);
  file.expect("out");
  fixture.out = file.list<float>(count * static_cast<std::size_t>(fixture.spec.hidden_size));
  file.expect("widths");
  fixture.widths = file.list<int>(count);
  file.expect("p_read");
  fixture.p_read = file.list<float>(count);
  EXPECT_TRUE(file.complete()) << path << " ends early";
  return fixture;
}

std::vector<std::filesystem::path> fixture_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SKIM_PARITY_FIXTURES)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Parity : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Parity, StatesWidthsAndProbabilitiesEqualTheReference) {
  const Fixture fixture = load(GetParam());
  const Result<Layer> layer = Layer::create(fixture.spec, fixture.tensors());
  ASSERT_TRUE(layer.has_value()) << layer.error().message;

  LayerState state = layer->start();
  std::vector<float> out(fixture.out.size());
  std::vector<Step> steps(fixture.widths.size());
  const Result<void> done = layer->read(fixture.rows, fixture.policy, state, out, steps);
  ASSERT_TRUE(done.has_value()) << done.error().message;

  for (std::size_t t = 0; t < steps.size(); ++t) {
    EXPECT_EQ(steps[t].width, fixture.widths[t]) << "row " << t;
    EXPECT_NEAR(steps[t].p_read, fixture.p_read[t], kProbabilityTolerance) << "row " << t;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_NEAR(out[i], fixture.out[i], kStateTolerance) << "value " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Parity, testing::ValuesIn(fixture_files()),
                         [](const auto& given) {
                           std::string name = given.param.stem().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace skim
