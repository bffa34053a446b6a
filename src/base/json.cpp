#include "base/json.h"

#include <cmath>

#include "base/result_macros.h"

namespace skim {
namespace {

tl::unexpected<Error> must_be(std::string_view where, const std::string& what) {
  return fail(Fault::format, std::string(where) + " must be " + what);
}

}  // namespace

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string field_path(std::string_view where, std::string_view key) {
  return std::string(where) + "." + std::string(key);
}

Result<const Json*> field_at(const Json& object, std::string_view key, std::string_view where) {
  if (!object.is_object()) return must_be(where, "an object");
  const auto found = object.find(std::string(key));
  if (found == object.end()) return fail(Fault::format, field_path(where, key) + " is missing");
  return &*found;
}

Result<const Json*> object_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  if (!field->is_object()) return must_be(field_path(where, key), "an object");
  return field;
}

Result<const Json*> array_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  if (!field->is_array()) return must_be(field_path(where, key), "a list");
  return field;
}

Result<std::string> string_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  return as_string(*field, field_path(where, key));
}

Result<bool> bool_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  if (!field->is_boolean()) return must_be(field_path(where, key), "true or false");
  return field->get<bool>();
}

Result<double> number_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  return as_number(*field, field_path(where, key));
}

Result<std::uint64_t> unsigned_at(const Json& object, std::string_view key,
                                  std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  if (!field->is_number_unsigned()) {
    return must_be(field_path(where, key), "a whole number, zero or more");
  }
  return field->get<std::uint64_t>();
}

Result<std::int64_t> int_at(const Json& object, std::string_view key, IntRange range,
                            std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto field, field_at(object, key, where));
  return as_int(*field, range, field_path(where, key));
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
