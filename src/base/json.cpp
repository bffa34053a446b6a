#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace skim {
namespace {

// Fewer fields than this are compared pairwise, more are sorted: linear look-up while parsing would
// make an object of a million fields take hours.
constexpr std::size_t kFewFields = 16;

// What the parser's message says beyond the position, without what it read: that may be huge.
std::string reason_of(std::string_view message) {
  for (const std::string_view start : {": ", "] "}) {
    if (const auto at = message.find(start); at != std::string_view::npos) {
      message.remove_prefix(at + start.size());
    }
  }
  message = message.substr(0, message.find("; last read"));
  return std::string(message.substr(0, 160));
}

// Builds the document while the library's parser runs over the text.
class Builder {
 public:
  explicit Builder(Json& root) : root_(root) {}

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) {
    return add(value) != nullptr;
  }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(add(Json::object())); }
  bool start_array(std::size_t /*size*/) { return open(add(Json::array())); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() {
    const bool unique = check_fields(*open_.back());
    open_.pop_back();
    return unique;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    position_ = position > 0 ? position - 1 : 0;
    reason_ = reason_of(error.what());
    return false;
  }

  // Where the library gave up; unknown when a rule of ours was broken.
  std::size_t position() const { return position_; }
  const std::string& reason() const { return reason_; }

 private:
  // Adds past the library's own look-up of the key; duplicates are found when the object ends.
  template <class T>
  Json* add(T&& value) {
    if (open_.empty()) {
      root_ = Json(std::forward<T>(value));
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::forward<T>(value));
    auto& fields = parent.get_ref<Json::object_t&>();
    using Members = Json::object_t::Container;
    return &static_cast<Members&>(fields)
                .emplace_back(std::move(key_), Json(std::forward<T>(value)))
                .second;
  }

  // The pointer stays valid while the container is open: its parent grows only after it is closed.
  bool open(Json* container) {
    if (open_.size() >= kJsonDepth) {
      reason_ = "nested deeper than " + std::to_string(kJsonDepth) + " levels";
      return false;
    }
    open_.push_back(container);
    return true;
  }

  bool check_fields(const Json& object) {
    std::vector<std::string_view> names;
    names.reserve(object.size());
    for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
      if (names.size() < kFewFields && std::find(names.begin(), names.end(), name) != names.end()) {
        return fail_twice(name);
      }
      names.push_back(name);
    }
    if (names.size() <= kFewFields) return true;
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    return twin == names.end() || fail_twice(*twin);
  }

  bool fail_twice(std::string_view name) {
    reason_ = "field '" + std::string(name.substr(0, 80)) + "' is given twice";
    return false;
  }

  Json& root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string reason_;
  std::size_t position_ = std::string::npos;
};

std::string path_of(std::string_view where, std::string_view key) {
  return std::string(where) + "." + std::string(key);
}

tl::unexpected<Error> must_be(std::string_view where, const std::string& what) {
  return fail(Fault::format, std::string(where) + " must be " + what);
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view name) {
  const auto broken = [&](std::size_t position, const std::string& reason) {
    const std::string at =
        position == std::string::npos ? "" : " at byte " + std::to_string(position);
    return fail(Fault::format, std::string(name) + ": not valid JSON" + at + ": " + reason);
  };
  // The library takes a zero byte for the end of the text and would not look further.
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    return broken(zero, "a zero byte");
  }
  Json root;
  Builder builder(root);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return broken(builder.position(), builder.reason());
  }
  return root;
}

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<const Json*> field_at(const Json& object, std::string_view key, std::string_view where) {
  if (!object.is_object()) return must_be(where, "an object");
  const auto found = object.find(std::string(key));
  if (found == object.end()) return fail(Fault::format, path_of(where, key) + " is missing");
  return &*found;
}

Result<const Json*> object_at(const Json& object, std::string_view key, std::string_view where) {
  const auto field = field_at(object, key, where);
  if (field && !(*field)->is_object()) return must_be(path_of(where, key), "an object");
  return field;
}

Result<const Json*> array_at(const Json& object, std::string_view key, std::string_view where) {
  const auto field = field_at(object, key, where);
  if (field && !(*field)->is_array()) return must_be(path_of(where, key), "a list");
  return field;
}

Result<std::string> string_at(const Json& object, std::string_view key, std::string_view where) {
  const auto field = field_at(object, key, where);
  if (!field) return tl::make_unexpected(field.error());
  return as_string(**field, path_of(where, key));
}

Result<bool> bool_at(const Json& object, std::string_view key, std::string_view where) {
  const auto field = field_at(object, key, where);
  if (!field) return tl::make_unexpected(field.error());
  if (!(*field)->is_boolean()) return must_be(path_of(where, key), "true or false");
  return (*field)->get<bool>();
}

Result<double> number_at(const Json& object, std::string_view key, std::string_view where) {
  const auto field = field_at(object, key, where);
  if (!field) return tl::make_unexpected(field.error());
  return as_number(**field, path_of(where, key));
}

Result<std::uint64_t> unsigned_at(const Json& object, std::string_view key,
                                  std::string_view where) {
  const auto field = field_at(object, key, where);
  if (!field) return tl::make_unexpected(field.error());
  if (!(*field)->is_number_unsigned()) {
    return must_be(path_of(where, key), "a whole number, zero or more");
  }
  return (*field)->get<std::uint64_t>();
}

Result<std::int64_t> int_at(const Json& object, std::string_view key, IntRange range,
                            std::string_view where) {
  const auto field = field_at(object, key, where);
  if (!field) return tl::make_unexpected(field.error());
  return as_int(**field, range, path_of(where, key));
}

Result<std::string> as_string(const Json& value, std::string_view where) {
  if (!value.is_string()) return must_be(where, "a string");
  return value.get_ref<const std::string&>();
}

Result<double> as_number(const Json& value, std::string_view where) {
  if (!value.is_number()) return must_be(where, "a number");
  const double number = value.get<double>();
  if (!std::isfinite(number)) return must_be(where, "a finite number");
  return number;
}

Result<std::int64_t> as_int(const Json& value, IntRange range, std::string_view where) {
  const auto out_of_range = [&] {
    return must_be(where, "a whole number from " + std::to_string(range.low) + " to " +
                              std::to_string(range.high));
  };
  if (!value.is_number_integer()) return out_of_range();
  // An unsigned value beyond the signed range would turn negative.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return out_of_range();
  const auto number = value.get<std::int64_t>();
  if (number < range.low || number > range.high) return out_of_range();
  return number;
}

}  // namespace skim
