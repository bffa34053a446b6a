#include "spec/spec_json.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/names.h"
#include "spec/params.h"

namespace skim {
namespace {

constexpr IntRange kAnyInt = {-2147483648LL, 2147483647LL};

// Reads the fields of an object and keeps the first error.
class Fields {
 public:
  Fields(const Json& json, std::string_view where) : json_(json), where_(where) {}

  void read(std::string_view key, int& into) {
    take(int_at(json_, key, kAnyInt, where_), [&](std::int64_t v) { into = static_cast<int>(v); });
  }
  void read(std::string_view key, double& into) {
    take(number_at(json_, key, where_), [&](double v) { into = v; });
  }
  void read(std::string_view key, bool& into) {
    take(bool_at(json_, key, where_), [&](bool v) { into = v; });
  }
  void read(std::string_view key, std::uint64_t& into) {
    take(unsigned_at(json_, key, where_), [&](std::uint64_t v) { into = v; });
  }
  void read(std::string_view key, std::string& into) {
    take(string_at(json_, key, where_), [&](std::string v) { into = std::move(v); });
  }
  template <class E>
  void read_name(std::string_view key, E& into) {
    take(string_at(json_, key, where_).and_then([&](const std::string& name) {
      return enum_from_name<E>(name, path(key));
    }),
         [&](E v) { into = v; });
  }
  // `read_one(element, path)` returns a Result<T>.
  template <class T, class ReadOne>
  void read_list(std::string_view key, std::vector<T>& into, ReadOne read_one) {
    take(array_at(json_, key, where_), [&](const Json* list) {
      into.clear();
      for (const Json& element : *list) {
        const std::string at = path(key) + "[" + std::to_string(into.size()) + "]";
        take(read_one(element, at), [&](T v) { into.push_back(std::move(v)); });
        if (error_) return;
      }
    });
  }
  template <class T, class ReadOne>
  void read_object(std::string_view key, T& into, ReadOne read_one) {
    take(field_at(json_, key, where_), [&](const Json* field) {
      take(read_one(*field, path(key)), [&](T v) { into = std::move(v); });
    });
  }

  template <class T>
  Result<T> finish(T value) {
    if (error_) return tl::make_unexpected(std::move(*error_));
    return value;
  }

 private:
  std::string path(std::string_view key) const { return where_ + "." + std::string(key); }

  template <class R, class Use>
  void take(R&& result, Use use) {
    if (error_) return;
    if (result) {
      use(*std::forward<R>(result));
    } else {
      error_ = result.error();
    }
  }

  const Json& json_;
  std::string where_;
  std::optional<Error> error_;
};

Result<int> read_int(const Json& json, const std::string& at) {
  return as_int(json, kAnyInt, at).map([](std::int64_t v) { return static_cast<int>(v); });
}

Result<JumpSpec> read_jump(const Json& json, std::string_view where) {
  Fields fields(json, where);
  JumpSpec spec;
  fields.read("tokens_per_jump", spec.tokens_per_jump);
  fields.read("max_jump", spec.max_jump);
  fields.read("max_jumps", spec.max_jumps);
  if (json.is_object() && json.contains("sentence_end_ids")) {
    fields.read_list("sentence_end_ids", spec.sentence_end_ids, read_int);
  }
  return fields.finish(spec);
}

Result<CharCnnSpec> read_char_cnn(const Json& json, std::string_view where) {
  Fields fields(json, where);
  CharCnnSpec spec;
  fields.read("embedding_size", spec.embedding_size);
  fields.read("num_filters", spec.num_filters);
  fields.read("kernel_size", spec.kernel_size);
  return fields.finish(spec);
}

Result<ReaderSpec> read_reader(const Json& json, std::string_view where) {
  Fields fields(json, where);
  ReaderSpec spec;
  fields.read_name("kind", spec.kind);
  fields.read_name("cell", spec.cell);
  fields.read("input_size", spec.input_size);
  fields.read("hidden_size", spec.hidden_size);
  fields.read_list("skim_sizes", spec.skim_sizes, read_int);
  fields.read_name("small_input", spec.small_input);
  fields.read_name("decision", spec.decision);
  if (spec.kind == ReaderKind::lstm_jump) fields.read_object("jump", spec.jump, read_jump);
  return fields.finish(std::move(spec));
}

Result<Calibration::Point> read_point(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Calibration::Point point;
  fields.read("threshold", point.threshold);
  fields.read("work", point.work);
  return fields.finish(point);
}

// Validates `value`; prepends `where` to the error.
template <class T>
Result<T> checked(T value, std::string_view where) {
  if (auto valid = check(value); !valid) {
    return fail(valid.error().fault, std::string(where) + ": " + valid.error().message);
  }
  return value;
}

}  // namespace

Json to_json(const ReaderSpec& spec) {
  Json json = {{"kind", to_string(spec.kind)},        {"cell", to_string(spec.cell)},
               {"input_size", spec.input_size},       {"hidden_size", spec.hidden_size},
               {"skim_sizes", spec.skim_sizes},       {"small_input", to_string(spec.small_input)},
               {"decision", to_string(spec.decision)}};
  if (spec.kind == ReaderKind::lstm_jump) {
    json["jump"] = {{"tokens_per_jump", spec.jump.tokens_per_jump},
                    {"max_jump", spec.jump.max_jump},
                    {"max_jumps", spec.jump.max_jumps}};
    if (!spec.jump.sentence_end_ids.empty())
      json["jump"]["sentence_end_ids"] = spec.jump.sentence_end_ids;
  }
  return json;
}

Json to_json(const ModelSpec& spec) {
  Json json = {{"net", to_string(spec.net)},
               {"tokenizer", to_string(spec.tokenizer)},
               {"vocab_size", spec.vocab_size},
               {"embedding_size", spec.embedding_size},
               {"reader", to_json(spec.reader)},
               {"num_layers", spec.num_layers},
               {"bidirectional", spec.bidirectional},
               {"pooling", to_string(spec.pooling)},
               {"weight_type", to_string(spec.weight_type)},
               {"labels", spec.labels}};
  const CharCnnSpec& char_cnn = spec.char_cnn;
  if (spec.net == NetKind::bidaf)
    json["char_cnn"] = {{"embedding_size", char_cnn.embedding_size},
                        {"num_filters", char_cnn.num_filters},
                        {"kernel_size", char_cnn.kernel_size}};
  return json;
}

Json to_json(const Calibration& calibration) {
  Json points = Json::array();
  for (const Calibration::Point& point : calibration.points) {
    points.push_back({{"threshold", point.threshold}, {"work", point.work}});
  }
  return {{"data", calibration.data}, {"points", std::move(points)}};
}

Json to_json(const Policy& policy) {
  return {{"threshold", policy.threshold}, {"rule", to_string(policy.rule)}, {"seed", policy.seed}};
}

Result<ReaderSpec> parse_reader_spec(const Json& json, std::string_view where) {
  return read_reader(json, where).and_then([&](ReaderSpec spec) {
    return checked(std::move(spec), where);
  });
}

Result<ModelSpec> parse_model_spec(const Json& json, std::string_view where) {
  Fields fields(json, where);
  ModelSpec spec;
  fields.read_name("net", spec.net);
  fields.read_name("tokenizer", spec.tokenizer);
  fields.read("vocab_size", spec.vocab_size);
  fields.read("embedding_size", spec.embedding_size);
  fields.read_object("reader", spec.reader, read_reader);
  fields.read("num_layers", spec.num_layers);
  fields.read("bidirectional", spec.bidirectional);
  fields.read_name("pooling", spec.pooling);
  fields.read_name("weight_type", spec.weight_type);
  fields.read_list("labels", spec.labels, as_string);
  if (spec.net == NetKind::bidaf) fields.read_object("char_cnn", spec.char_cnn, read_char_cnn);
  return fields.finish(std::move(spec)).and_then([&](ModelSpec read) {
    return checked(std::move(read), where);
  });
}

Result<Calibration> parse_calibration(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Calibration calibration;
  fields.read("data", calibration.data);
  fields.read_list("points", calibration.points, read_point);
  return fields.finish(std::move(calibration)).and_then([&](Calibration read) {
    return checked(std::move(read), where);
  });
}

Result<Policy> parse_policy(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Policy policy;
  double threshold = 0;
  fields.read("threshold", threshold);
  fields.read_name("rule", policy.rule);
  fields.read("seed", policy.seed);
  return fields.finish(policy).and_then([&](Policy read) -> Result<Policy> {
    if (!(threshold >= 0 && threshold <= 1)) {
      return fail(Fault::format, std::string(where) + ".threshold must be from 0 to 1");
    }
    read.threshold = static_cast<float>(threshold);
    return read;
  });
}

Result<void> check(const Calibration& calibration) {
  const Calibration::Point* previous = nullptr;
  for (const Calibration::Point& point : calibration.points) {
    const std::string at = "the point at threshold " + std::to_string(point.threshold);
    if (!(point.threshold >= 0 && point.threshold <= 1)) {
      return fail(Fault::format, at + " is outside 0 to 1");
    }
    if (!std::isfinite(point.work) || point.work < 0) {
      return fail(Fault::format, at + " has work " + std::to_string(point.work));
    }
    if (previous != nullptr && point.threshold <= previous->threshold) {
      return fail(Fault::format, at + " does not exceed the threshold before it");
    }
    if (previous != nullptr && point.work > previous->work) {
      return fail(Fault::format, at + " has more work than a lower threshold");
    }
    previous = &point;
  }
  return {};
}

}  // namespace skim
