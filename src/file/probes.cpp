#include "file/probes.h"

#include <string>
#include <utility>

#include "spec/spec_json.h"

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

Result<float> parse_probability(const Json& json, const std::string& where) {
  const auto value = as_number(json, where);
  if (!value) return tl::make_unexpected(value.error());
  if (*value < 0 || *value > 1) return fail(Fault::format, where + " must be from 0 to 1");
  return static_cast<float>(*value);
}

Result<std::uint16_t> parse_width(const Json& json, const std::string& where) {
  return as_int(json, kWidths, where).map([](std::int64_t width) {
    return static_cast<std::uint16_t>(width);
  });
}

// The list object[key], each element parsed by `read_one(element, path)`.
template <class T, class ReadOne>
Result<std::vector<T>> list_at(const Json& object, std::string_view key, const std::string& where,
                               ReadOne read_one) {
  const auto list = array_at(object, key, where);
  if (!list) return tl::make_unexpected(list.error());
  std::vector<T> out;
  for (const Json& element : **list) {
    auto one =
        read_one(element, where + "." + std::string(key) + "[" + std::to_string(out.size()) + "]");
    if (!one) return tl::make_unexpected(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

Result<Pass> parse_pass(const Json& json, const std::string& where) {
  auto reader = string_at(json, "reader", where);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto hidden_size = int_at(json, "hidden_size", kWidths, where);
  if (!hidden_size) return tl::make_unexpected(hidden_size.error());
  const auto widths = list_at<std::uint16_t>(json, "widths", where, parse_width);
  if (!widths) return tl::make_unexpected(widths.error());
  const auto p_read = list_at<float>(json, "p_read", where, parse_probability);
  if (!p_read) return tl::make_unexpected(p_read.error());
  if (widths->size() != p_read->size()) {
    return fail(Fault::format, where + " has " + std::to_string(widths->size()) + " widths and " +
                                   std::to_string(p_read->size()) + " p_read");
  }
  Pass pass{std::move(*reader), static_cast<int>(*hidden_size), {}};
  for (std::size_t i = 0; i < widths->size(); ++i) {
    pass.steps.push_back({(*widths)[i], (*p_read)[i]});
  }
  return pass;
}

Result<Query> parse_probe_query(const Json& json, const std::string& where) {
  auto text = string_at(json, "text", where);
  if (!text) return tl::make_unexpected(text.error());
  auto question = string_at(json, "question", where);
  if (!question) return tl::make_unexpected(question.error());
  auto choices = list_at<std::string>(json, "choices", where, as_string);
  if (!choices) return tl::make_unexpected(choices.error());
  return Query{std::move(*text), std::move(*question), std::move(*choices)};
}

// Parses the span of the answer of an extractive net.
Result<void> parse_span(const Json& json, const ModelSpec& spec, const std::string& where,
                        Probe& probe) {
  if (!spec.is_extractive()) return {};
  const IntRange inside = {0, static_cast<std::int64_t>(probe.query.text.size())};
  const auto begin = int_at(json, "begin", inside, where);
  if (!begin) return tl::make_unexpected(begin.error());
  const auto end = int_at(json, "end", inside, where);
  if (!end) return tl::make_unexpected(end.error());
  probe.begin = static_cast<std::size_t>(*begin);
  probe.end = static_cast<std::size_t>(*end);
  return {};
}

Result<Probe> parse_probe(const Json& json, const ModelSpec& spec, const std::string& where) {
  Probe probe;
  std::int64_t answers = 0;  // number of labels or choices
  return object_at(json, "query", where)
      .and_then([&](const Json* query) { return parse_probe_query(*query, where + ".query"); })
      .and_then([&](Query query) {
        probe.query = std::move(query);
        const std::size_t count =
            spec.net == NetKind::classifier ? spec.labels.size() : probe.query.choices.size();
        answers = static_cast<std::int64_t>(count);
        return object_at(json, "policy", where);
      })
      .and_then([&](const Json* policy) { return parse_policy(*policy, where + ".policy"); })
      .and_then([&](Policy policy) {
        probe.policy = policy;
        return int_at(json, "index", {-1, answers - 1}, where);
      })
      .and_then([&](std::int64_t index) {
        probe.index = static_cast<int>(index);
        return parse_span(json, spec, where, probe);
      })
      .and_then([&] { return list_at<float>(json, "scores", where, parse_probability); })
      .and_then([&](std::vector<float> scores) -> Result<std::vector<Pass>> {
        if (!spec.is_extractive() && static_cast<std::int64_t>(scores.size()) != answers) {
          return fail(Fault::format, where + ".scores has " + std::to_string(scores.size()) +
                                         " entries for " + std::to_string(answers) +
                                         " labels or choices");
        }
        probe.scores = std::move(scores);
        return list_at<Pass>(json, "trace", where, parse_pass);
      })
      .map([&](Trace trace) {
        probe.trace = std::move(trace);
        return std::move(probe);
      });
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
    auto probe =
        parse_probe(element, spec, std::string(where) + "[" + std::to_string(probes.size()) + "]");
    if (!probe) return tl::make_unexpected(probe.error());
    probes.push_back(std::move(*probe));
  }
  return probes;
}

}  // namespace skim
