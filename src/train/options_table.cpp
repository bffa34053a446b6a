#include "train/options_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace skim::train {
namespace {

std::string range_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

bool Range::contains(double value) const {
  const bool low = exclude_min ? value > min : value >= min;
  const bool high = exclude_max ? value < max : value <= max;
  return std::isfinite(value) && low && high;
}

std::string Range::text() const {
  const bool bounded_below = std::isfinite(min), bounded_above = std::isfinite(max);
  if (bounded_below && bounded_above && !exclude_min && !exclude_max)
    return "from " + range_number(min) + " to " + range_number(max);
  std::string text;
  if (bounded_below) text = (exclude_min ? "above " : "at least ") + range_number(min);
  if (bounded_below && bounded_above) text += " and ";
  if (bounded_above) text += (exclude_max ? "below " : "at most ") + range_number(max);
  return text;
}

std::string checkpoint_key(const OptionInfo& option) {
  std::string key(option.name.substr(2));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

}  // namespace skim::train
