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

// Sessions keep the memory of the longest text they have seen; those of longer ones are let go.
constexpr std::size_t kGiantText = std::size_t{1} << 20U;
constexpr std::size_t kIdleSessions = 64;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

Query query_from(const py::tuple& parts) {
  Query query;
  query.text = std::string(parts[0].cast<py::bytes>());
  query.question = std::string(parts[1].cast<py::bytes>());
  for (const py::handle choice : parts[2].cast<py::list>()) {
    query.choices.push_back(std::string(choice.cast<py::bytes>()));
  }
  return query;
}

py::array words_array(const std::vector<Word>& words) {
  std::vector<std::int64_t> extents;
  extents.reserve(2 * words.size());
  for (const Word& word : words) {
    extents.push_back(static_cast<std::int64_t>(word.begin));
    extents.push_back(static_cast<std::int64_t>(word.end));
  }
  return fixed_array({static_cast<py::ssize_t>(words.size()), 2}, extents.data());
}

py::tuple pass_tuple(const Pass& pass) {
  const auto count = static_cast<py::ssize_t>(pass.steps.size());
  std::vector<std::uint16_t> widths;
  std::vector<float> p_read;
  for (const Step& step : pass.steps) {
    widths.push_back(step.width);
    p_read.push_back(step.p_read);
  }
  return py::make_tuple(pass.reader, pass.hidden, pass.of_question ? "question" : "text",
                        fixed_array({count}, widths.data()), fixed_array({count}, p_read.data()));
}

// Plain values in the order of RawReading in python/skim/_skim.pyi.
py::tuple reading_tuple(const Reading& reading, double microseconds) {
  py::list passes;
  for (const Pass& pass : reading.trace) passes.append(pass_tuple(pass));
  const Answer& answer = reading.answer;
  const Costs& costs = reading.costs;
  return py::make_tuple(
      py::make_tuple(answer.index, answer.score, answer.begin, answer.end),
      fixed_array({static_cast<py::ssize_t>(reading.scores.size())}, reading.scores.data()),
      words_array(reading.words), words_array(reading.question_words), py::tuple(passes),
      py::make_tuple(costs.paper.reduction(), costs.counted.reduction(),
                     costs.executed.reduction()),
      skim_rate(reading.trace), microseconds);
}

// A model with sessions for whoever asks. The list of idle sessions is only touched by who holds
// the interpreter's lock, so it needs none of its own.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {}

  const Model& model() const { return model_; }

  py::tuple ask(const py::tuple& parts, const PolicyParts& policy_parts) {
    const Query query = query_from(parts);
    const Policy policy = policy_from(policy_parts);
    Session session = take();
    std::optional<Result<Reading>> reading;
    double microseconds = 0;
    {
      const py::gil_scoped_release others_may_run;
      const auto start = Clock::now();
      reading = session.ask(query, policy);
      microseconds = microseconds_since(start);
    }
    if (query.text.size() <= kGiantText) give_back(std::move(session));
    return reading_tuple(value_of(std::move(*reading)), microseconds);
  }

 private:
  Session take() {
    if (idle_.empty()) return Session(model_);
    Session session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }
  void give_back(Session session) {
    if (idle_.size() < kIdleSessions) idle_.push_back(std::move(session));
  }

  Model model_;
  std::vector<Session> idle_;
};

// Many texts at a time; belongs to one call of read_many.
class SharedBatch {
 public:
  SharedBatch(const SharedModel& model, int threads) : batch_(model.model(), threads) {}

  // `first` is the number of the first text, for messages.
  py::list ask(const py::list& parts, const PolicyParts& policy_parts, std::size_t first) {
    std::vector<Query> queries;
    for (const py::handle one : parts) queries.push_back(query_from(one.cast<py::tuple>()));
    const Policy policy = policy_from(policy_parts);
    if (readings_.size() < queries.size()) readings_.resize(queries.size());
    const auto readings = std::span(readings_).first(queries.size());
    double microseconds = 0;
    {
      const py::gil_scoped_release others_may_run;
      const auto start = Clock::now();
      batch_.ask(queries, policy, readings);
      microseconds = microseconds_since(start) / static_cast<double>(queries.size());
    }
    py::list answers;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!readings[i]) refuse(readings[i].error(), first + i);
      answers.append(reading_tuple(*readings[i], microseconds));
    }
    return answers;
  }

 private:
  [[noreturn]] static void refuse(const Error& error, std::size_t number) {
    throw Refusal({error.fault, "text " + std::to_string(number) + ": " + error.message});
  }

  Batch batch_;
  std::vector<Result<Reading>> readings_;
};

LoadOptions options_with(std::size_t table_bytes) {
  LoadOptions options;
  options.table_bytes = table_bytes;
  return options;
}

std::unique_ptr<SharedModel> load(const py::bytes& path, std::size_t table_bytes) {
  const std::string name = path;
  const py::gil_scoped_release others_may_run;
  return std::make_unique<SharedModel>(value_of(Model::load(name, options_with(table_bytes))));
}

std::unique_ptr<SharedModel> from_bytes(const py::bytes& given, const std::string& name,
                                        std::size_t table_bytes) {
  const std::string_view view = given;
  std::vector<std::byte> bytes(view.size());
  if (!view.empty()) std::memcpy(bytes.data(), view.data(), view.size());
  const py::gil_scoped_release others_may_run;
  return std::make_unique<SharedModel>(
      value_of(Model::from_bytes(std::move(bytes), name, options_with(table_bytes))));
}

py::list points_of(const SharedModel& shared) {
  py::list points;
  for (const Calibration::Point& point : shared.model().calibration().points) {
    points.append(py::make_tuple(point.threshold, point.work));
  }
  return points;
}

py::bytes name_of_model(const SharedModel& shared) { return shared.model().name(); }

}  // namespace

void bind_model(py::module_& module) {
  py::class_<SharedModel>(module, "Model")
      .def_static("load", &load, py::arg("path"), py::arg("table_bytes"))
      .def_static("from_bytes", &from_bytes, py::arg("data"), py::arg("name"),
                  py::arg("table_bytes"))
      .def("ask", &SharedModel::ask, py::arg("query"), py::arg("policy"))
      .def(
          "threshold_for",
          [](const SharedModel& shared, double budget) {
            return value_of(shared.model().threshold_for(budget));
          },
          py::arg("budget"))
      .def("plain",
           [](const SharedModel& shared) {
             const py::gil_scoped_release others_may_run;
             return std::make_unique<SharedModel>(value_of(shared.model().plain()));
           })
      .def_property_readonly("name", &name_of_model)
      .def_property_readonly("labels",
                             [](const SharedModel& shared) { return shared.model().spec().labels; })
      .def_property_readonly(
          "spec", [](const SharedModel& shared) { return spec_text(shared.model().spec()); })
      .def_property_readonly(
          "least", [](const SharedModel& shared) { return shared.model().spec().reader.least(); })
      .def_property_readonly("calibration_points", &points_of);
  py::class_<SharedBatch>(module, "Batch")
      .def(py::init<const SharedModel&, int>(), py::arg("model"), py::arg("threads"))
      .def("ask", &SharedBatch::ask, py::arg("queries"), py::arg("policy"), py::arg("first"));
}

}  // namespace skim::python
