#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "bind.h"
#include "skim/batch.h"
#include "skim/model.h"
#include "skim/session.h"
#include "skim/spec_text.h"

namespace skim::python {
namespace {

using Clock = std::chrono::steady_clock;

// A session keeps buffers for the longest text it has read; beyond this size it is not reused.
constexpr std::size_t kMaxRetainedTextBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxIdleSessions = 64;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

Query to_query(const py::tuple& parts) {
  Query query;
  query.text = std::string(parts[0].cast<py::bytes>());
  query.question = std::string(parts[1].cast<py::bytes>());
  for (const py::handle choice : parts[2].cast<py::list>()) {
    query.choices.push_back(std::string(choice.cast<py::bytes>()));
  }
  return query;
}

// An array of shape [words, 2] with the byte offsets of begin and end.
py::array to_array(const std::vector<TokenSpan>& words) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(2 * words.size());
  for (const TokenSpan& word : words) {
    offsets.push_back(static_cast<std::int64_t>(word.begin));
    offsets.push_back(static_cast<std::int64_t>(word.end));
  }
  return make_readonly_array({static_cast<py::ssize_t>(words.size()), 2}, offsets.data());
}

py::tuple to_tuple(const Pass& pass) {
  const auto count = static_cast<py::ssize_t>(pass.steps.size());
  std::vector<std::uint16_t> widths;
  std::vector<float> p_read;
  for (const Step& step : pass.steps) {
    widths.push_back(step.width);
    p_read.push_back(step.p_read);
  }
  return py::make_tuple(pass.reader, pass.hidden_size, pass.over_question ? "question" : "text",
                        make_readonly_array({count}, widths.data()),
                        make_readonly_array({count}, p_read.data()));
}

// The text of a number; empty for other answers, whose text Python has.
std::string number_text(const Answer& answer) {
  return answer.index < 0 && answer.begin == answer.end ? answer.text : std::string{};
}

// The fields in the order of RawReading in python/skim/_skim.pyi.
py::tuple to_tuple(const Reading& reading, double microseconds) {
  py::list passes;
  for (const Pass& pass : reading.trace) passes.append(to_tuple(pass));
  const Answer& answer = reading.answer;
  const Costs& costs = reading.costs;
  return py::make_tuple(
      py::make_tuple(answer.index, answer.score, answer.begin, answer.end, answer.value,
                     number_text(answer)),
      make_readonly_array({static_cast<py::ssize_t>(reading.scores.size())}, reading.scores.data()),
      to_array(reading.words), to_array(reading.question_words), py::tuple(passes),
      py::make_tuple(costs.paper.reduction(), costs.counted.reduction(),
                     costs.executed.reduction()),
      skim_rate(reading.trace), microseconds, py::tuple(py::cast(reading.labels)));
}

// A model with a pool of idle sessions. The GIL guards the pool.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {}

  const Model& model() const { return model_; }

  py::tuple read(const py::tuple& parts, const PolicyParts& policy_parts) {
    const Query query = to_query(parts);
    const Policy policy = to_policy(policy_parts);
    Session session = acquire();
    std::optional<Result<Reading>> reading;
    double microseconds = 0;
    {
      const GilRelease release_gil;
      const auto start = Clock::now();
      reading = session.read(query, policy);
      microseconds = microseconds_since(start);
    }
    if (query.text.size() <= kMaxRetainedTextBytes) release(std::move(session));
    return to_tuple(unwrap(std::move(*reading)), microseconds);
  }

 private:
  Session acquire() {
    if (idle_.empty()) return Session(model_);
    Session session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }
  void release(Session session) {
    if (idle_.size() < kMaxIdleSessions) idle_.push_back(std::move(session));
  }

  Model model_;
  std::vector<Session> idle_;
};

// Reads many texts on several threads; created for one call of read_many.
class SharedBatch {
 public:
  SharedBatch(const SharedModel& model, int threads) : batch_(model.model(), threads) {}

  // `first` is the index of the first text, for error messages.
  py::list read(const py::list& parts, const PolicyParts& policy_parts, std::size_t first) {
    std::vector<Query> queries;
    for (const py::handle part : parts) queries.push_back(to_query(part.cast<py::tuple>()));
    const Policy policy = to_policy(policy_parts);
    if (readings_.size() < queries.size()) readings_.resize(queries.size());
    const auto readings = std::span(readings_).first(queries.size());
    double microseconds = 0;
    {
      const GilRelease release_gil;
      const auto start = Clock::now();
      batch_.read(queries, policy, readings);
      microseconds = microseconds_since(start) / static_cast<double>(queries.size());
    }
    py::list tuples;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!readings[i]) throw_error(readings[i].error(), first + i);
      tuples.append(to_tuple(*readings[i], microseconds));
    }
    return tuples;
  }

 private:
  [[noreturn]] static void throw_error(const Error& error, std::size_t index) {
    throw LibraryError({error.fault, "text " + std::to_string(index) + ": " + error.message});
  }

  Batch batch_;
  std::vector<Result<Reading>> readings_;
};

std::unique_ptr<SharedBatch> create_batch(const SharedModel& model, int threads) {
  return std::make_unique<SharedBatch>(model, threads);
}

LoadOptions make_load_options(std::size_t table_bytes) {
  LoadOptions options;
  options.table_bytes = table_bytes;
  return options;
}

std::unique_ptr<SharedModel> load(const py::bytes& path, std::size_t table_bytes) {
  const std::string name = path;
  const GilRelease release_gil;
  return std::make_unique<SharedModel>(unwrap(Model::load(name, make_load_options(table_bytes))));
}

std::unique_ptr<SharedModel> from_bytes(const py::bytes& data, const std::string& name,
                                        std::size_t table_bytes) {
  const std::string_view view = data;
  std::vector<std::byte> bytes(view.size());
  if (!view.empty()) std::memcpy(bytes.data(), view.data(), view.size());
  const GilRelease release_gil;
  return std::make_unique<SharedModel>(
      unwrap(Model::from_bytes(std::move(bytes), name, make_load_options(table_bytes))));
}

py::list calibration_points(const SharedModel& shared) {
  py::list points;
  for (const Calibration::Point& point : shared.model().calibration().points) {
    points.append(py::make_tuple(point.threshold, point.work));
  }
  return points;
}

py::bytes model_name(const SharedModel& shared) { return shared.model().name(); }

}  // namespace

void bind_model(py::module_& module) {
  declare_class<SharedModel>(module, "Model")
      .def_static("load", &load, py::arg("path"), py::arg("table_bytes"))
      .def_static("from_bytes", &from_bytes, py::arg("data"), py::arg("name"),
                  py::arg("table_bytes"))
      .def("read", &SharedModel::read, py::arg("query"), py::arg("policy"))
      .def(
          "threshold_for",
          [](const SharedModel& shared, double budget) {
            return unwrap(shared.model().threshold_for(budget));
          },
          py::arg("budget"))
      .def("dense",
           [](const SharedModel& shared) {
             const GilRelease release_gil;
             return std::make_unique<SharedModel>(unwrap(shared.model().dense()));
           })
      .def_property_readonly("name", &model_name)
      .def_property_readonly("labels",
                             [](const SharedModel& shared) { return shared.model().spec().labels; })
      .def_property_readonly("label_thresholds",
                             [](const SharedModel& shared) {
                               const auto thresholds = shared.model().label_thresholds();
                               return std::vector<float>(thresholds.begin(), thresholds.end());
                             })
      .def_property_readonly(
          "spec", [](const SharedModel& shared) { return to_json_text(shared.model().spec()); })
      .def_property_readonly(
          "min_width",
          [](const SharedModel& shared) { return shared.model().spec().reader.min_width(); })
      .def_property_readonly("streams",
                             [](const SharedModel& shared) { return shared.model().streams(); })
      .def_property_readonly(
          "temperature",
          [](const SharedModel& shared) { return shared.model().calibration().temperature; })
      .def_property_readonly("calibration_points", &calibration_points);
  declare_class<SharedBatch>(module, "Batch")
      .def_static("create", &create_batch, py::arg("model"), py::arg("threads"))
      .def("read", &SharedBatch::read, py::arg("queries"), py::arg("policy"), py::arg("first"));
}

}  // namespace skim::python
