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

// Collects fields and remembers the first error, so that reading a struct stays a list of its
// fields.
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
      return value_named<E>(name, path(key));
    }),
         [&](E v) { into = v; });
  }
  // `read_one(element, its path)` gives a Result of T.
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
  fields.read("run", spec.run);
  fields.read("reach", spec.reach);
  fields.read("most", spec.most);
  if (json.is_object() && json.contains("ends")) fields.read_list("ends", spec.ends, read_int);
  return fields.finish(spec);
}

Result<LetterSpec> read_letters(const Json& json, std::string_view where) {
  Fields fields(json, where);
  LetterSpec spec;
  fields.read("width", spec.width);
  fields.read("filters", spec.filters);
  fields.read("window", spec.window);
  return fields.finish(spec);
}

Result<ReaderSpec> read_reader(const Json& json, std::string_view where) {
  Fields fields(json, where);
  ReaderSpec spec;
  fields.read_name("kind", spec.kind);
  fields.read_name("cell", spec.cell);
  fields.read("input", spec.input);
  fields.read("hidden", spec.hidden);
  fields.read_list("small", spec.small, read_int);
  fields.read_name("small_sees", spec.small_sees);
  fields.read_name("decision", spec.decision);
  if (spec.kind == ReaderKind::jump) fields.read_object("jump", spec.jump, read_jump);
  return fields.finish(std::move(spec));
}

Result<Calibration::Point> read_point(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Calibration::Point point;
  fields.read("threshold", point.threshold);
  fields.read("work", point.work);
  return fields.finish(point);
}

// Passes on what check() says, with the place in front.
template <class T>
Result<T> checked(T value, std::string_view where) {
  if (auto sound = check(value); !sound) {
    return fail(sound.error().fault, std::string(where) + ": " + sound.error().message);
  }
  return value;
}

}  // namespace

Json json_of(const ReaderSpec& spec) {
  Json json = {{"kind", name_of(spec.kind)},
               {"cell", name_of(spec.cell)},
               {"input", spec.input},
               {"hidden", spec.hidden},
               {"small", spec.small},
               {"small_sees", name_of(spec.small_sees)},
               {"decision", name_of(spec.decision)}};
  if (spec.kind == ReaderKind::jump) {
    json["jump"] = {{"run", spec.jump.run}, {"reach", spec.jump.reach}, {"most", spec.jump.most}};
    if (!spec.jump.ends.empty()) json["jump"]["ends"] = spec.jump.ends;
  }
  return json;
}

Json json_of(const ModelSpec& spec) {
  Json json = {{"net", name_of(spec.net)},
               {"tokenizer", name_of(spec.tokenizer)},
               {"vocabulary", spec.vocabulary},
               {"word_width", spec.word_width},
               {"reader", json_of(spec.reader)},
               {"layers", spec.layers},
               {"bidirectional", spec.bidirectional},
               {"pooling", name_of(spec.pooling)},
               {"weights", name_of(spec.weights)},
               {"labels", spec.labels}};
  const LetterSpec& letters = spec.letters;
  if (spec.net == NetKind::bidaf)
    json["letters"] = {
        {"width", letters.width}, {"filters", letters.filters}, {"window", letters.window}};
  return json;
}

Json json_of(const Calibration& calibration) {
  Json points = Json::array();
  for (const Calibration::Point& point : calibration.points) {
    points.push_back({{"threshold", point.threshold}, {"work", point.work}});
  }
  return {{"data", calibration.data}, {"points", std::move(points)}};
}

Json json_of(const Policy& policy) {
  return {{"read_above", policy.read_above}, {"rule", name_of(policy.rule)}, {"seed", policy.seed}};
}

Result<ReaderSpec> reader_spec_of(const Json& json, std::string_view where) {
  return read_reader(json, where).and_then([&](ReaderSpec spec) {
    return checked(std::move(spec), where);
  });
}

Result<ModelSpec> model_spec_of(const Json& json, std::string_view where) {
  Fields fields(json, where);
  ModelSpec spec;
  fields.read_name("net", spec.net);
  fields.read_name("tokenizer", spec.tokenizer);
  fields.read("vocabulary", spec.vocabulary);
  fields.read("word_width", spec.word_width);
  fields.read_object("reader", spec.reader, read_reader);
  fields.read("layers", spec.layers);
  fields.read("bidirectional", spec.bidirectional);
  fields.read_name("pooling", spec.pooling);
  fields.read_name("weights", spec.weights);
  fields.read_list("labels", spec.labels, as_string);
  if (spec.net == NetKind::bidaf) fields.read_object("letters", spec.letters, read_letters);
  return fields.finish(std::move(spec)).and_then([&](ModelSpec read) {
    return checked(std::move(read), where);
  });
}

Result<Calibration> calibration_of(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Calibration calibration;
  fields.read("data", calibration.data);
  fields.read_list("points", calibration.points, read_point);
  return fields.finish(std::move(calibration)).and_then([&](Calibration read) {
    return checked(std::move(read), where);
  });
}

Result<Policy> policy_of(const Json& json, std::string_view where) {
  Fields fields(json, where);
  Policy policy;
  double read_above = 0;
  fields.read("read_above", read_above);
  fields.read_name("rule", policy.rule);
  fields.read("seed", policy.seed);
  return fields.finish(policy).and_then([&](Policy read) -> Result<Policy> {
    if (!(read_above >= 0 && read_above <= 1)) {
      return fail(Fault::format, std::string(where) + ".read_above must be from 0 to 1");
    }
    read.read_above = static_cast<float>(read_above);
    return read;
  });
}

Result<void> check(const Calibration& calibration) {
  const Calibration::Point* before = nullptr;
  for (const Calibration::Point& point : calibration.points) {
    const std::string at = "the point at threshold " + std::to_string(point.threshold);
    if (!(point.threshold >= 0 && point.threshold <= 1)) {
      return fail(Fault::format, at + " lies outside 0 to 1");
    }
    if (!std::isfinite(point.work) || point.work < 0) {
      return fail(Fault::format, at + " has work " + std::to_string(point.work));
    }
    if (before != nullptr && point.threshold <= before->threshold) {
      return fail(Fault::format, at + " does not come after the one before it");
    }
    if (before != nullptr && point.work > before->work) {
      return fail(Fault::format, at + " does more work than a lower threshold");
    }
    before = &point;
  }
  return {};
}

}  // namespace skim
