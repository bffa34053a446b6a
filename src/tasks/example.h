// One line of a labelled data set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"

namespace skim {

struct Example {
  Query query;
  std::string label;     // as the file spells it
  std::size_t line = 0;  // where it stands in the file, counted from 1
};

struct Dataset {
  std::string name;  // the file's path, or "standard input": for messages and reports
  std::vector<Example> examples;
};

}  // namespace skim
