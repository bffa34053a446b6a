#include "file/probes.h"

#include <string>
#include <utility>

#include "base/result_macros.h"
#include "spec/spec_json.h"
#include "spec/temperature.h"

namespace skim {
namespace {

constexpr IntRange kWidths = {0, 4096};

Json trace_json(const Trace& trace) {
  Json passes = Json::array();
  for (const Pass& pass : trace) {
    Json widths = Json::array();
    Json p_read = Json::array();
    for (const Step& step : pass.steps) {
      widths.push_back(step.width);
      p_read.push_back(step.p_read);
    }
    passes.push_back({{"reader", pass.reader},
                      {"hidden_size", pass.hidden_size},
                      {"widths", std::move(widths)},
                      {"p_read", std::move(p_read)}});
  }
  return passes;
}

Result<float> parse_value(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const auto value, as_number(json, where));
  return static_cast<float>(value);
}

Result<float> parse_probability(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const auto value, as_number(json, where));
  if (value < 0 || value > 1) return fail(Fault::format, where + " must be from 0 to 1");
  return static_cast<float>(value);
}

Result<std::uint16_t> parse_width(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const auto width, as_int(json, kWidths, where));
  return static_cast<std::uint16_t>(width);
}

Result<Pass> parse_pass(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(auto reader, string_at(json, "reader", where));
  SKIM_ASSIGN_OR_RETURN(const auto hidden_size, int_at(json, "hidden_size", kWidths, where));
  SKIM_ASSIGN_OR_RETURN(const auto widths,
                        list_at<std::uint16_t>(json, "widths", where, parse_width));
  SKIM_ASSIGN_OR_RETURN(const auto p_read,
                        list_at<float>(json, "p_read", where, parse_probability));
  if (widths.size() != p_read.size()) {
    return fail(Fault::format, where + " has " + std::to_string(widths.size()) + " widths and " +
                                   std::to_string(p_read.size()) + " p_read");
  }
  Pass pass{std::move(reader), static_cast<int>(hidden_size), {}};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    pass.steps.push_back({widths[i], p_read[i]});
  }
  return pass;
}

Result<Query> parse_probe_query(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(auto text, string_at(json, "text", where));
  SKIM_ASSIGN_OR_RETURN(auto question, string_at(json, "question", where));
  SKIM_ASSIGN_OR_RETURN(auto choices, list_at<std::string>(json, "choices", where, as_string));
  return Query{std::move(text), std::move(question), std::move(choices)};
}

// Parses the span of the answer of an extractive net.
Result<void> parse_span(const Json& json, const ModelSpec& spec, const std::string& where,
                        Probe& probe) {
  if (!spec.is_extractive()) return {};
  const IntRange inside = {0, static_cast<std::int64_t>(probe.query.text.size())};
  SKIM_ASSIGN_OR_RETURN(const auto begin, int_at(json, "begin", inside, where));
  SKIM_ASSIGN_OR_RETURN(const auto end, int_at(json, "end", inside, where));
  probe.begin = static_cast<std::size_t>(begin);
  probe.end = static_cast<std::size_t>(end);
  return {};
}

Result<Probe> parse_probe(const Json& json, const ModelSpec& spec, const std::string& where) {
  Probe probe;
  SKIM_ASSIGN_OR_RETURN(const Json* const query, object_at(json, "query", where));
  SKIM_ASSIGN_OR_RETURN(probe.query, parse_probe_query(*query, where + ".query"));
  SKIM_ASSIGN_OR_RETURN(const Json* const policy, object_at(json, "policy", where));
  SKIM_ASSIGN_OR_RETURN(probe.policy, parse_policy(*policy, where + ".policy"));
  const bool is_number = spec.output == OutputActivation::linear;
  const std::size_t answers =
      spec.net == NetKind::classifier ? spec.num_logits() : probe.query.choices.size();
  const IntRange indices = {-1, is_number ? -1 : static_cast<std::int64_t>(answers) - 1};
  SKIM_ASSIGN_OR_RETURN(const auto index, int_at(json, "index", indices, where));
  probe.index = static_cast<int>(index);
  SKIM_RETURN_IF_ERROR(parse_span(json, spec, where, probe));
  SKIM_ASSIGN_OR_RETURN(probe.scores, list_at<float>(json, "scores", where,
                                                     is_number ? parse_value : parse_probability));
  if (!spec.is_extractive() && probe.scores.size() != answers) {
    return fail(Fault::format, where + ".scores has " + std::to_string(probe.scores.size()) +
                                   " entries for " + std::to_string(answers) +
                                   " labels or choices");
  }
  SKIM_ASSIGN_OR_RETURN(probe.trace, list_at<Pass>(json, "trace", where, parse_pass));
  return probe;
}

}  // namespace

Json to_json(const std::vector<Probe>& probes) {
  Json list = Json::array();
  for (const Probe& probe : probes) {
    list.push_back({{"query",
                     {{"text", probe.query.text},
                      {"question", probe.query.question},
                      {"choices", Json(probe.query.choices)}}},
                    {"policy", to_json(probe.policy)},
                    {"index", probe.index},
                    {"scores", Json(probe.scores)},
                    {"trace", trace_json(probe.trace)}});
    if (probe.index >= 0) continue;
    list.back()["begin"] = probe.begin;
    list.back()["end"] = probe.end;
  }
  return list;
}

Result<std::vector<Probe>> parse_probes(const Json& json, const ModelSpec& spec,
                                        std::string_view where) {
  if (!json.is_array()) return fail(Fault::format, std::string(where) + " must be a list");
  std::vector<Probe> probes;
  for (const Json& element : json) {
    SKIM_ASSIGN_OR_RETURN(
        auto probe,
        parse_probe(element, spec, std::string(where) + "[" + std::to_string(probes.size()) + "]"));
    probes.push_back(std::move(probe));
  }
  return probes;
}

void set_temperature(ModelDraft& draft, double temperature) {
  const double ratio = draft.calibration.temperature / temperature;
  for (Probe& probe : draft.probes) sharpen_scores(probe.scores, ratio);
  draft.calibration.temperature = temperature;
}

}  // namespace skim
