// Functions of Session for the library's own code.
#pragma once

#include <cstddef>

#include "runtime/query_source.h"
#include "skim/session.h"

namespace skim {

struct SessionAccess {
  // Allocates the memory for reading many texts at once, which read() below does not. May throw.
  static void prepare_gathering(Session& session);
  // Reads all queries of `source`, at most `max_in_flight` at once. Every reading equals that of
  // Session::read.
  static void read(Session& session, QuerySource& source, std::size_t max_in_flight) noexcept;
};

}  // namespace skim
